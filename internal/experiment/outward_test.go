package experiment

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// heldFirst returns the blocks and visits at which a search of a test that never fails holds one goroutine as usual,
// each once, in its order.
func heldFirst(t *testing.T, s *sim) (list [][2]int) {
	t.Helper()
	s.rule = func(r *simRun) string {
		holds := r.trial.Plan.Of(freedom.Step.Holds)
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
		if r.trial.Plan.Does(freedom.Step.Chooses) {
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

// Of the first 100 runs at least 60 hold somebody, and each kind that the test has is seen in the first 40, whatever a run
// takes. What it has none of costs none. Each test has the limits of the machine.
func TestFirstHundred(t *testing.T) {
	asks := func(kinds ...trace.ActKind) (list []trace.Draw) {
		for i, k := range kinds {
			list = append(list, drawsAt(k, uint32(20+i))...)
		}
		return list
	}
	one := [][]trace.Event{stream(1, 150)}
	two := append(one, stream(201, 150))
	const many = 100 // runs
	for _, c := range []struct {
		name    string
		streams [][]trace.Event
		draws   []trace.Draw
		kinds   []string
	}{
		{"one goroutine that reads the clock", one, asks(trace.ActClock), []string{"clock", "limits", "stall"}},
		{"one goroutine with a timer", one, asks(trace.ActTimer), []string{"limits", "stall", "timer"}},
		{"nothing but two goroutines", two, nil, []string{"limits", "stall"}},
		{"everything", two, asks(trace.ActMap, trace.ActClock, trace.ActTimer, trace.ActRead, trace.ActDir, trace.ActNetwork),
			[]string{"clock", "dir", "gc", "limits", "read", "select+map+rand", "stall", "timer"}},
	} {
		s := &sim{streams: c.streams, draws: c.draws, rule: func(*simRun) string { return "" }}
		e := s.experimenter()
		e.quiet = make([]bool, len(e.Sites.Blocks))
		if c.name == "everything" {
			e.Source = func(string) ([]byte, error) { return []byte("package m\n\nvar p sync.Pool\n"), nil }
		}
		n := make(map[string]int)
		var early []string // kinds of the first 40 runs
		made := 0
		run := e.Run
		ctx, cancel := context.WithCancel(t.Context())
		survey := ptr(do(freedom.Survey()...)).Kind()
		e.Run = func(_ context.Context, x Trial, keep bool, limit time.Duration) (Outcome, error) {
			kind := x.Kind()
			if made == 0 && (kind == "" || kind == survey || kind == "select+map+rand") { // what there is
				return run(ctx, x, keep, limit)
			}
			if made++; made > many {
				cancel()
				return Outcome{}, ctx.Err()
			}
			if n[kind]++; made <= 40 && n[kind] == 1 {
				early = append(early, kind)
			}
			return run(ctx, x, keep, limit)
		}
		if _, err := e.Find(ctx); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		cancel()
		slices.Sort(early)
		if n["stall"] < 60 || !slices.Equal(early, c.kinds) {
			t.Errorf("%s: %v; early %q, want %q", c.name, n, early, c.kinds)
		}
		t.Logf("%s: %v", c.name, n)
	}
}
