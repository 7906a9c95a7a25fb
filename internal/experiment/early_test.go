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

// Of goroutines that are alike one may be late and another early.
func TestEarlySibling(t *testing.T) {
	s := &sim{streams: [][]trace.Event{stream(1, 6), stream(11, 12), stream(11, 12)}, classes: []uint64{100, 200, 200}, rule: func(r *simRun) string {
		held := r.held(2, 4, 6)
		return failsIf(held >= 3*time.Millisecond && r.held(3, 0, 7) <= held, "late")
	}}
	if f := one(t, s.find(t)); f.early == nil || f.early.G.ID != 3 || f.Early.Held.Of != proof.ConfirmRuns {
		t.Errorf("too early at %+v, want goroutine 3", f.early)
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
