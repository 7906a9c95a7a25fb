package experiment

import (
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// heldFirst returns the blocks and visits at which a search of what never fails holds one goroutine for the usual time,
// each once, in its order.
func heldFirst(t *testing.T, s *sim) (list [][2]int) {
	t.Helper()
	s.rule = func(r *simRun) string {
		holds := r.trial.Plan.Of(freedom.Act.Holds)
		if len(holds) != 1 || holds[0].Dose != sweepDose {
			return ""
		}
		at := holds[0].At
		st := s.streams[at.G.ID-1]
		visit := [2]int{int(at.Block), 0}
		for _, e := range st[:at.Event+1] {
			if int(e) == visit[0] {
				visit[1]++
			}
		}
		if !slices.Contains(list, visit) {
			list = append(list, visit)
		}
		return ""
	}
	s.find(t)
	return list
}

// A test of blocks 1 to 5, which comes to 2 and 3 five times, and a goroutine of blocks 11 to 13.
func TestOutward(t *testing.T) {
	own := []trace.Event{1, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 4, 5}
	got := heldFirst(t, &sim{streams: [][]trace.Event{own, stream(11, 3)}})
	want := [][2]int{{5, 1}, {13, 1}, {4, 1}, {12, 1}, {3, 5}, {11, 1}, {2, 5}, {3, 1}, {2, 1}, {1, 1},
		{2, 2}, {3, 2}, {2, 3}, {3, 3}, {2, 4}, {3, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Only package testing makes a map: one run shows that, and no other follows a seed.
func TestNoChoice(t *testing.T) {
	chosen := 0
	s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActMap, 0), rule: func(r *simRun) string {
		if r.trial.Plan.Does(freedom.Act.Chooses) {
			chosen++
		}
		return ""
	}}
	if s.find(t); chosen != 1 {
		t.Errorf("%d runs with choices, want 1", chosen)
	}
}

// Very many visits take no time to choose from.
func TestSomeVisits(t *testing.T) {
	if got, want := halves(9, 100), []int{0, 8, 4, 2, 6, 1, 3, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for n := range 4 {
		if got, want := len(halves(n+1, 10)), n+1; got != want {
			t.Errorf("%d of %d", got, want)
		}
	}
	if got := halves(1e6, 3); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// It fails when the test is late by 80 ms at any visit of its loop but the first two, and the goroutine beside it does
// not matter.
func TestLaterVisit(t *testing.T) {
	own := []trace.Event{1, 2, 2, 2, 2, 2, 2, 3}
	s := &sim{streams: [][]trace.Event{own, stream(11, 3)}, rule: func(r *simRun) string {
		return failsIf(r.held(1, 3, 6) > 80*time.Millisecond, "late")
	}}
	if f := one(t, s.find(t)); f.Found > 60 || f.sites[0].Block != 2 {
		t.Errorf("found after %d runs at %+v", f.Found, f.sites)
	}
}
