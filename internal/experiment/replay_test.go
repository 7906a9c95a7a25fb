package experiment

import (
	"reflect"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A proof does the same to a run as the finding did, in the dose of the confirmation.
func TestProofPlans(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: freedom.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11}
	other := Site{G: freedom.Goroutine{ID: 101}, Block: 7, Hit: 1, ByHit: true, Class: 11}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	for _, f := range []*Finding{
		{Trial: do(stall(site, time.Second)), sites: []Site{site}, Proof: proof.Proof{Smallest: 4 * time.Millisecond, Verdict: proof.Proved}},
		{Trial: do(stall(site, time.Second), stall(other, time.Second)), sites: []Site{site, other}, Proof: proof.Proof{Smallest: 20 * time.Millisecond}},
		{Trial: do(freedom.Late(7, time.Second)), Proof: proof.Proof{Smallest: 4 * time.Millisecond}},
		{Trial: do(freedom.Order(site.Position(), other.Position(), time.Second)), ordered: &Ordered{First: other, Then: site}},
		{Trial: do(freedom.Step{Kind: trace.ActGC, At: site.Position()}), sites: []Site{site}},
		{Trial: do(freedom.Pin(trace.ActMap, 1<<63+1, 7), freedom.Pin(trace.ActSelect, 9, 0))},
		{Trial: Trial{Plan: do(freedom.Files(9)).Plan, Before: []string{"TestA"}}},
		{Trial: do(freedom.StartAt(time.Second, 5), freedom.Zone("UTC"))},
	} {
		if got, want := exact(e.Proof(f), factor), f.dosed(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", f.Kind(), got, want)
		}
		if got := e.Proof(f).Kind(); got != f.Kind() {
			t.Errorf("kind %q, want %q", got, f.Kind())
		}
	}
}
