package experiment

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A hold that suffices only since a timer fires meanwhile shows the limit of time, and nothing of the test. It does show
// something if it suffices whenever timers fire, if it is far shorter than the limit, or if late timers cure what fails
// by itself. The simulated test takes 40 ms and has a limit of 25 ms; the second goroutine is held.
func TestLimit(t *testing.T) {
	const limit = 25 * time.Millisecond
	for _, c := range []struct {
		name  string
		rule  func(r *simRun, late time.Duration) bool // fails
		limit bool
	}{
		{"wherever it is held", func(r *simRun, late time.Duration) bool { return r.held(2, 0, 11) >= limit+late }, true},
		{"in a window only", func(r *simRun, late time.Duration) bool { return r.held(2, 4, 6) >= limit+late }, true},
		{"whenever timers fire", func(r *simRun, _ time.Duration) bool { return r.held(2, 4, 6) >= limit }, false},
		{"far below the limit", func(r *simRun, late time.Duration) bool { return r.held(2, 4, 6) >= limit/5+late }, false},
		{"it fails by itself for something else", func(r *simRun, late time.Duration) bool {
			return r.held(2, 4, 6) >= limit+late || r.rnd.IntN(4) == 0
		}, true},
		{"it fails by itself for the limit too", func(r *simRun, late time.Duration) bool {
			return r.held(1, 0, 5) == 0 && (r.held(2, 4, 6) >= limit+late || late == 0 && r.rnd.IntN(4) == 0)
		}, false},
	} {
		s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActTimer, 1), rule: func(r *simRun) string {
			late := r.trial.Plan.First(func(a freedom.Step) bool { return a.What == freedom.TimerLate }).Value
			if c.rule(r, time.Duration(late)) {
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
		shown := slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Kind() == "stall" })
		if len(r.Limits) > 0 != c.limit || shown == c.limit {
			t.Errorf("%s: limits %v, found %v", c.name, r.Limits, shown)
		}
		if c.limit && (len(r.Limits) == 0 || r.Limits[0].Text != "25 * time.Millisecond (m.go:1)") {
			t.Errorf("%s: limits %v", c.name, r.Limits)
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
