package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// A place that only passing runs come to is no control, as one behind the check: a run passes whenever it acts.
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

// failsIf names a failure if a run has it.
func failsIf(fails bool, name string) string {
	if fails {
		return name
	}
	return ""
}
