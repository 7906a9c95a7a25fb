package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// TestHeldOfSide tells how long a goroutine was held, and not for how long that was asked
// for, unless the process ended before.
func TestHeldOfSide(t *testing.T) {
	const ms = time.Millisecond
	trial := &Trial{Plan: perturb.Plan{Stalls: []perturb.Stall{{Dose: 10 * ms}}}}
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
