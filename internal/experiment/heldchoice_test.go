package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// heldSearches are findings of searches with several seeds. A goroutine that is held at one of its events has two cases
// ready at block 15, and the rule gives the outcome.
func heldSearches(t *testing.T, rule func(r *simRun) bool) (list []*Finding) {
	t.Helper()
	for seed := range uint64(30) {
		s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if r.held(2, 4, 6) < time.Millisecond {
				return ""
			}
			r.draws = append(drawsAt(trace.ActSelect, 15), drawsAt(trace.ActMap, 4)...) // plain runs have none
			if rule(r) {
				return "flushed"
			}
			return ""
		}}
		e := s.experimenter()
		e.Seed = seed + 1
		s.rnd = rand.New(rand.NewPCG(seed, 5))
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r.Findings...)
	}
	return list
}

// The select decides while the goroutine is held, and the map does not.
func TestHeldChoice(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	proved := 0
	for _, f := range heldSearches(t, func(r *simRun) bool { return r.drawn(trace.ActSelect, 15, 2) == 0 }) {
		if f.Verdict != proof.Proved {
			continue
		}
		proved++
		if f.Kind() != "stall+select" || !slices.Equal(f.blocks, []int{15}) {
			t.Errorf("%s, choices of %v; %+v", f.Kind(), f.blocks, f.Confirmed)
		}
		if c := f.Confirmed.Cure; c.Of == 0 || c.Failed != 0 || len(f.cures) > len(f.sites) {
			t.Errorf("with other choices %+v", c)
		}
	}
	if proved < 20 {
		t.Errorf("%d of 30 proved", proved)
	}
}

// Nothing that can be chosen decides: no choice is named.
func TestHeldChance(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, f := range heldSearches(t, func(r *simRun) bool { return r.rnd.IntN(2) == 0 }) {
		if f.Trial.Plan.Does(freedom.Step.Chooses) || len(f.blocks) > 0 {
			t.Errorf("%s, %v, choices of %v; %+v", f.Kind(), f.Verdict, f.blocks, f.Confirmed)
		}
	}
}

// The hold alone suffices.
func TestHeldAlone(t *testing.T) {
	list := heldSearches(t, func(*simRun) bool { return true })
	for _, f := range list {
		if f.Verdict != proof.Proved || f.Kind() != "stall" {
			t.Errorf("%s, %v", f.Kind(), f.Verdict)
		}
	}
	if len(list) < 25 {
		t.Errorf("%d of 30 found", len(list))
	}
}
