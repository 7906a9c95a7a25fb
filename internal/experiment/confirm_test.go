package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestHeldOfSide tells how long a goroutine was held, and not for how long that was asked
// for, unless the process ended before.
func TestHeldOfSide(t *testing.T) {
	const ms = time.Millisecond
	held := do(perturb.Stall(perturb.Position{}, 10*ms, false))
	trial := &held
	act := func(held time.Duration, applied bool) *Outcome {
		return &Outcome{Ran: true, Failed: true, Acts: []Act{{Act: trace.Act{Kind: trace.ActStall, Held: int64(held), Applied: applied}}}}
	}
	for _, c := range []struct {
		name string
		runs []*Outcome
		want time.Duration
	}{
		{"the median of three", []*Outcome{act(10*ms, true), act(11_234_567, true), act(30*ms, true)}, 11 * ms},
		{"one that did not act", []*Outcome{act(12*ms, true), act(90*ms, false)}, 12 * ms},
		{"the process ended before", []*Outcome{act(0, true)}, 10 * ms},
		{"none", nil, 0},
	} {
		sd := &side{trial: trial}
		for _, o := range c.runs {
			sd.add(o, nil)
		}
		if got := sd.lasted(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What only runs come to that pass is no control, as what is behind the check: it passes whenever it acts.
func TestNoShamBehindTheCheck(t *testing.T) {
	fails := func(r *simRun) bool { return r.turn%10 < 3 }
	s := &sim{
		streams: twoGoroutines(),
		absent:  func(r *simRun, g int, event uint64) bool { return fails(r) && (g != 2 || event > 9) },
		rule:    func(r *simRun) string { return failsIf(r.held(2, 0, 9) >= 3*time.Millisecond || fails(r), "order") },
	}
	f := one(t, s.find(t))
	if c := f.Confirmed; c.With.Of < proof.ConfirmRuns || c.Sham != (proof.Count{}) {
		t.Errorf("%v, with %+v, sham %+v", f.Verdict, c.With, c.Sham)
	}
}
