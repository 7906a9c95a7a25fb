package experiment

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// What replay files of version 1 have done to runs is done still, byte for byte: plans.golden was written by
// the last fdebug that made such files.
func TestVersion1Plans(t *testing.T) {
	dir := filepath.Join("..", "proof", "testdata", "v1")
	files, err := filepath.Glob(filepath.Join(dir, "*.replay.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var b strings.Builder
	for _, f := range files {
		p, err := proof.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []float64{1, 3} {
			x := exact(p, n)
			name := filepath.Join(t.TempDir(), "plan")
			if err := x.Plan.WriteFile(name); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %v: %d bytes %x, %q, %q %v %d, hold %v, kind %s, %s\n", strings.TrimSuffix(filepath.Base(f), ".replay.json"), n,
				len(data), sha256.Sum256(data), x.Plan.Env("plan"), x.Before, x.Suite, x.Shuffle, x.hold(), x.Kind(), p.Kind())
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "plans.golden"))
	if got := b.String(); err != nil || got != string(want) {
		t.Errorf("got\n%s\nwant\n%s, %v", got, want, err)
	}
}

// What a proof does to a run is what the finding did, in the dose of the confirmation.
func TestProofPlans(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: perturb.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11}
	other := Site{G: perturb.Goroutine{ID: 101}, Block: 7, Hit: 1, ByHit: true, Class: 11}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	for _, f := range []*Finding{
		{Trial: do(site.stall(time.Second)), sites: []Site{site}, Proof: proof.Proof{Smallest: 4 * time.Millisecond, Verdict: proof.Proved}},
		{Trial: do(site.stall(time.Second), other.stall(time.Second)), sites: []Site{site, other}, Proof: proof.Proof{Smallest: 20 * time.Millisecond}},
		{Trial: do(perturb.Late(7, time.Second)), Proof: proof.Proof{Smallest: 4 * time.Millisecond}},
		{Trial: do(perturb.Order(site.position(), other.position(), time.Second)), ordered: &Ordered{First: other, Then: site}},
		{Trial: do(perturb.Collect(site.position())), sites: []Site{site}},
		{Trial: do(perturb.Pin(trace.ActMap, 1<<63+1, 7), perturb.Pin(trace.ActSelect, 9, 0))},
		{Trial: do(perturb.Yield(1<<63+1, 64, time.Millisecond))},
		{Trial: do(perturb.Sched(5, 16))},
		{Trial: Trial{Plan: do(perturb.Files(9)).Plan, Before: []string{"TestA"}}},
		{Trial: do(perturb.Phase(time.Second, 5), perturb.Zone("UTC"))},
	} {
		if got, want := exact(e.Proof(f), factor), f.dosed(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", f.Kind(), got, want)
		}
		if got := e.Proof(f).Kind(); got != f.Kind() {
			t.Errorf("kind %q, want %q", got, f.Kind())
		}
	}
}
