package experiment

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A stall about as long as a limit that is written there is an artefact of it only if the
// dose decides and the place does not: here the first or the second goroutine is held,
// the source has a limit of 25 ms and a sleep of 400 ms, and all stalls are about as long.
func TestLimit(t *testing.T) {
	const limit = 25 * time.Millisecond
	for _, c := range []struct {
		name            string
		rule            func(r *simRun) bool // fails
		limit, artefact bool
		verdict         proof.Verdict
	}{
		{"wherever it is held", func(r *simRun) bool { return r.held(2, 0, 11) >= limit }, true, true, proof.Proved},
		{"in a window only", func(r *simRun) bool { return r.held(2, 4, 6) >= limit }, false, false, proof.Proved},
		{"for a shorter time too, now and then", func(r *simRun) bool {
			d := r.held(2, 0, 11)
			return d >= limit || d >= limit/3 && r.rnd.IntN(2) == 0
		}, false, false, proof.Proved},
		{"it fails by itself too", func(r *simRun) bool {
			return r.held(1, 0, 5) == 0 && (r.held(2, 4, 6) >= limit || r.rnd.IntN(4) == 0)
		}, false, false, proof.Proved},
		{"of another length", func(r *simRun) bool { return r.held(2, 0, 11) >= limit/5 }, false, false, proof.Proved},
		{"longer than a run takes, 50 ms", func(r *simRun) bool { return r.held(2, 0, 11) >= 160*time.Millisecond }, false, true, proof.Proved},
		{"longer than a run, in a window only", func(r *simRun) bool { return r.held(2, 4, 6) >= 160*time.Millisecond }, false, false, proof.Proved},
	} {
		s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if c.rule(r) {
				return "failed"
			}
			return ""
		}}
		e := s.experimenter()
		s.rnd = rand.New(rand.NewPCG(3, 3))
		// All of it is in a function that defers something: there no two lines are taken for one.
		src := "package m; import \"time\"; const limit = 25 * time.Millisecond; func f() { defer f(); time.Sleep(400 * time.Millisecond)" + strings.Repeat("\n", 40) + "}"
		e.Source = func(string) ([]byte, error) { return []byte(src), nil }
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 {
			t.Errorf("%s: %d findings", c.name, len(r.Findings))
			continue
		}
		f := r.Findings[0]
		if (f.Limit != "") != c.limit || (f.Artefact != "") != c.artefact || f.Verdict != c.verdict {
			t.Errorf("%s: %v after %v: limit %q, artefact %q, %+v", c.name, f.Verdict, f.Smallest, f.Limit, f.Artefact, f.Confirmed)
		}
	}
}

// The order of a map follows from the keys of hashes, which are drawn before any block
// runs, together with what a block draws: no block decides by itself, but given all else
// one does, and another one does not.
func TestDrawGivenOthers(t *testing.T) {
	s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActMap, 4, 5), rule: func(r *simRun) string {
		if (r.drawn(trace.ActMap, 0, 3)+r.drawn(trace.ActMap, 5, 3))%3 == 0 {
			return "order"
		}
		return ""
	}}
	f := one(t, s.find(t))
	if f.Verdict != proof.Proved || f.Kind() != "map" || len(f.blocks) != 1 || f.blocks[0] != 5 {
		t.Errorf("%v, %s at %v; want proved, map at 5", f.Verdict, f.Kind(), f.blocks)
	}
	if c := f.Confirmed; c.With.Failed != 20 || c.Cure == (proof.Count{}) || c.Cure.Failed != 0 {
		t.Errorf("confirmation %+v", c)
	}
}
