package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// One goroutine is late, and another one does not wait for it: held too, where it looks or before that, it passes.
func TestEarly(t *testing.T) {
	late := func(r *simRun, g int, last int64) bool { // another goroutine is not held up to some event for longer than the late one
		return r.held(2, 4, 6) >= 3*time.Millisecond && r.held(g, 0, last) <= r.held(2, 4, 6)
	}
	for name, c := range map[string]struct {
		rule  func(r *simRun) string
		block int // where it is too early, 0 if that is not shown
	}{
		"look":      {func(r *simRun) string { return failsIf(late(r, 1, 3), "late") }, 4},
		"beginning": {func(r *simRun) string { return failsIf(late(r, 1, 0), "late") }, 1},
		"third":     {func(r *simRun) string { return failsIf(late(r, 3, 2), "late") }, 23},
		"whatever":  {func(r *simRun) string { return failsIf(r.held(2, 4, 6) >= 3*time.Millisecond, "late") }, 0},
		"by halves": {func(r *simRun) string { return failsIf(late(r, 1, 3) || late(r, 1, -1) && r.rnd.IntN(2) == 0, "late") }, 0},
		"otherwise": {func(r *simRun) string {
			if r.held(1, 0, 9) > 0 && r.held(2, 4, 6) > 0 {
				return "too slow"
			}
			return failsIf(late(r, 1, 3), "late")
		}, 0},
	} {
		s := &sim{streams: append(twoGoroutines(), stream(21, 4)), rule: c.rule}
		f := one(t, s.find(t))
		got := 0
		if f.early != nil {
			got = f.early.Block
		}
		if got != c.block || f.Verdict != proof.Proved {
			t.Errorf("%s: %v, too early at block %d, want %d", name, f.Verdict, got, c.block)
		}
		if f.early != nil && (f.Early.Held.Of != proof.ConfirmRuns || f.Early.Held.Failed > 0) {
			t.Errorf("%s: with both held %+v", name, f.Early.Held)
		}
	}
}

// Where the test starts the goroutine that comes too early, it is that one.
func TestEarlyStarted(t *testing.T) {
	for _, c := range []struct{ line, block int }{{0, 4}, {3, 4}, {4, 23}} {
		s := &sim{streams: append(twoGoroutines(), stream(21, 4)), spawned: map[int]int{3: c.line}, rule: func(r *simRun) string {
			held := r.held(2, 4, 6)
			return failsIf(held >= 3*time.Millisecond && r.held(1, 0, 3) <= held && r.held(3, 0, 2) <= held, "late")
		}}
		if f := one(t, s.find(t)); f.early == nil || f.early.Block != c.block {
			t.Errorf("started in line %d: too early at %+v, want block %d", c.line, f.early, c.block)
		}
	}
}

// Of goroutines that are alike one may be late and another early. If it is started after the place at which to hold
// the test itself helps as well, it is that one.
func TestEarlySibling(t *testing.T) {
	for _, c := range []struct {
		test    bool  // whether to hold the test helps too, at its event 3 or before
		started int64 // when the last of the goroutines is, in a run in which the test comes to event 3 at 50
		g       uint64
	}{{false, 60, 3}, {true, 60, 3}, {true, 40, 1}} {
		s := &sim{
			streams: [][]trace.Event{stream(1, 6), stream(11, 12), stream(11, 12)}, classes: []uint64{100, 200, 200},
			times: func(t *trace.Trace) {
				t.Goroutines[0].Stamps = []trace.Stamp{{Pos: 3, Time: 50}}
				t.Goroutines[2].Start = c.started
			},
			rule: func(r *simRun) string {
				held := r.held(2, 4, 6)
				return failsIf(held >= 3*time.Millisecond && r.held(3, 0, 7) <= held && (!c.test || r.held(1, 0, 3) <= held), "late")
			},
		}
		if f := one(t, s.find(t)); f.early == nil || uint64(f.early.G.ID) != c.g || f.Early.Held.Of != proof.ConfirmRuns {
			t.Errorf("%+v: too early at %+v", c, f.early)
		}
	}
}

// Of a goroutine that comes to very many places some are tried, and then those between.
func TestEarlyFar(t *testing.T) {
	const look = 73
	s := &sim{streams: [][]trace.Event{stream(1, 150), stream(201, 12)}, rule: func(r *simRun) string {
		held := r.held(2, 4, 6)
		return failsIf(held >= 3*time.Millisecond && r.held(1, 0, look) <= held, "late")
	}}
	if f := one(t, s.find(t)); f.early == nil || f.early.Event != look {
		t.Errorf("too early at %+v, want event %d", f.early, look)
	}
}

func failsIf(fails bool, name string) string {
	if fails {
		return name
	}
	return ""
}
