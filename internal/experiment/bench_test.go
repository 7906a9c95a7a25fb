package experiment

import (
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// byFacts looks for the cause in a simulated process by package search.
func (s *sim) byFacts(t *testing.T, set func(*Experimenter)) *Result {
	t.Helper()
	e := s.experimenter()
	if set != nil {
		set(e)
	}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Causes of any kind are found and proved by facts.
func TestFacts(t *testing.T) {
	late := func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}
	for name, c := range map[string]struct {
		sim    *sim
		set    func(*Experimenter)
		kind   string
		sites  int
		blocks []int
	}{
		"hold": {sim: &sim{streams: twoGoroutines(), rule: late}, kind: "stall", sites: 1},
		"two holds": {sim: &sim{streams: [][]trace.Event{stream(1, 6), stream(11, 12), stream(31, 12)}, rule: func(r *simRun) string {
			if r.held(2, 3, 6) >= time.Millisecond && r.held(3, 5, 8) >= time.Millisecond {
				return "both late"
			}
			return ""
		}}, kind: "stall", sites: 2},
		"draw": {sim: &sim{streams: twoGoroutines(), draws: append(drawsAt(trace.ActSelect, 3, 12, 15), drawsAt(trace.ActMap, 4)...), rule: func(r *simRun) string {
			if r.drawn(trace.ActSelect, 12, 3) == 0 {
				return "wrong case"
			}
			return ""
		}}, kind: "select", blocks: []int{12}},
		"draw that mostly fails": {sim: &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActRand, 12), rule: func(r *simRun) string {
			if r.drawn(trace.ActRand, 12, 20) < 13 {
				return "too great"
			}
			return ""
		}}, kind: "rand", blocks: []int{12}},
		"test before": {sim: &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if slices.Contains(r.trial.Before, "TestB") {
				return "spoiled"
			}
			return ""
		}}, set: func(e *Experimenter) {
			e.Tests = []string{"TestA", "TestB", "TestC", "TestD", "TestX"}
		}, kind: "tests"},
		"test that is needed": {sim: &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if !slices.Contains(r.trial.Before, "TestB") {
				return "not set"
			}
			return ""
		}}, set: func(e *Experimenter) {
			e.Tests = []string{"TestA", "TestB", "TestC", "TestD", "TestX"}
		}, kind: "tests"},
	} {
		r := c.sim.byFacts(t, c.set)
		if len(r.Findings) != 1 {
			t.Errorf("%s: %d findings, want one", name, len(r.Findings))
			continue
		}
		f := r.Findings[0]
		if f.Verdict != proof.Proved || f.Kind() != c.kind || len(f.sites) != c.sites || !slices.Equal(f.blocks, c.blocks) {
			t.Errorf("%s: %v, %s with %d sites at %v; want proved, %s with %d at %v", name, f.Verdict, f.Kind(), len(f.sites), f.blocks, c.kind, c.sites, c.blocks)
		}
	}
}

// The window and the dose of a hold are those of the simulated process, and the hold of a replay is the one
// that was confirmed.
func TestFactsWindow(t *testing.T) {
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}}
	f := one(t, s.byFacts(t, nil))
	if w := f.window; w == nil || w.First.Event != 4 || w.Last.Event != 9 {
		t.Errorf("window %+v, want events 4 to 9", w)
	}
	if f.Smallest < 3*time.Millisecond || f.Smallest > 3*time.Millisecond*weaken {
		t.Errorf("smallest dose %v, want 3 ms to 9 ms", f.Smallest)
	}
	replay := f.dosed()
	if got, want := replay.dose(), f.Trial.dose(); got != want {
		t.Errorf("a replay holds for %v, the confirmation for %v", got, want)
	}
	if c := f.Confirmed; c.With != (proof.Count{Failed: 20, Of: 20}) || c.Plain != (proof.Count{Of: 20}) || c.Sham.Of != 20 || c.Held == 0 {
		t.Errorf("confirmation %+v", c)
	}
}

// What fails by chance is not proved.
func TestFactsChance(t *testing.T) {
	for _, of := range []int{2, 10} {
		s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActMap, 4)}
		s.rule = func(r *simRun) string {
			if s.rnd.IntN(of) == 0 {
				return "by chance"
			}
			return ""
		}
		r := s.byFacts(t, func(e *Experimenter) {
			e.Natural = []runner.Signature{failure("by chance")}
		})
		for _, f := range r.Findings {
			t.Errorf("what fails in 1 run of %d by chance: %v, %s", of, f.Verdict, f.Kind())
		}
	}
}
