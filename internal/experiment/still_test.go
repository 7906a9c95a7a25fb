package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// stillFor reports whether the readings of a block are of clocks that stand still.
func stillFor(r *simRun, block uint32) bool {
	return r.trial.Plan.Does(func(s freedom.Step) bool {
		return s.What == freedom.ClockStill && (s.At.Block == 0 || s.At.Block == block)
	})
}

// A goroutine that is held reads the clock at two blocks: what the second says decides, or what both say, or the clock has
// no influence, since the other goroutine comes first.
func TestStanding(t *testing.T) {
	for name, c := range map[string]struct {
		saved   func(r *simRun) bool
		still   bool
		reading uint32
	}{
		"one reading": {func(r *simRun) bool { return stillFor(r, 20) }, true, 20},
		"both":        {func(r *simRun) bool { return stillFor(r, 13) && stillFor(r, 20) }, true, 0},
		"order":       {func(*simRun) bool { return false }, false, 0},
		"by halves":   {func(r *simRun) bool { return stillFor(r, 20) && r.rnd.IntN(2) == 0 }, false, 0},
	} {
		s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActClock, 13, 20), rule: func(r *simRun) string {
			if r.held(2, 4, 6) >= 3*time.Millisecond && !c.saved(r) {
				return "expired"
			}
			return ""
		}}
		f := one(t, s.find(t))
		if (f.Still.Of > 0) != c.still || f.reading != c.reading || f.Verdict != proof.Proved {
			t.Errorf("%s: %v, still %+v at block %d", name, f.Verdict, f.Still, f.reading)
		}
	}
}

// Where nothing reads the clock no runs are made for it.
func TestStandingWithoutClock(t *testing.T) {
	still := 0
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		if stillFor(r, 20) {
			still++
		}
		if r.held(2, 4, 6) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}}
	if f := one(t, s.find(t)); f.Still.Of > 0 || still > 0 {
		t.Errorf("still %+v, in %d runs", f.Still, still)
	}
}

// The other goroutine looks at the clock again and again while this one is held: until when it does so is an order of the two.
func TestStandingWhilePolled(t *testing.T) {
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		held := r.held(2, 4, 6)
		r.draws = []trace.Draw{{Kind: trace.ActClock, Block: 20, Count: 3 + int64(held/time.Millisecond)}}
		if held >= 3*time.Millisecond && !stillFor(r, 20) {
			return "timed out"
		}
		return ""
	}}
	if f := one(t, s.find(t)); f.Still.Of > 0 {
		t.Errorf("still %+v", f.Still)
	}
}
