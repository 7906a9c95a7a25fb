package experiment

import (
	"context"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestSettle has a choice that in this build follows from another seed than in the one of
// the replay file: runs are made with the first seed that fails, and none if there is none.
func TestSettle(t *testing.T) {
	const block = 7
	sig := runner.Signature{Test: "TestX", Message: "got N"}
	for _, c := range []struct {
		name  string
		fails func(seed uint64) bool
		ok    bool
		runs  int
	}{
		{"the seed of the file", func(seed uint64) bool { return seed == 9 }, true, 1},
		{"another one", func(seed uint64) bool { return seed != 9 }, true, 2},
		{"none", func(uint64) bool { return false }, false, 5 * proof.ConfirmRuns},
	} {
		runs := 0
		e := &Experimenter{Test: "TestX", Run: func(_ context.Context, x Trial, _ bool, _ time.Duration) (Outcome, error) {
			runs++
			o := Outcome{Ran: true, Draws: []trace.Draw{{Kind: trace.ActMap, Block: block}}}
			if o.Failed = c.fails(x.Plan.Acts[0].Seed); o.Failed {
				o.Signature = sig
			}
			return o, nil
		}}
		e.begin()
		first := do(freedom.Pin(trace.ActMap, 9, block))
		re, ok, err := e.Settle(t.Context(), &Retrial{Trials: e.reseeded(first)}, &sig)
		if err != nil || ok != c.ok || runs != c.runs {
			t.Errorf("%s: %v after %d runs, %v; want %v after %d", c.name, ok, runs, err, c.ok, c.runs)
		}
		if ok && (len(re.Trials) != 1 || !c.fails(re.Trials[0].Plan.Acts[0].Seed)) {
			t.Errorf("%s: settled on %+v", c.name, re.Trials)
		}
	}
}
