package experiment

import (
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// readingRuns is how often the clock of one reading is set right to see whether it is the one that decides.
const readingRuns = 5

// reading names the reading of the clock that decides: the only one, or the one that needs
// only the time that it has in the cure.
func (b *bench) reading(f *Finding) error {
	blocks := b.askers(trace.ActClock)
	if len(blocks) == 1 {
		f.blocks = []int{int(blocks[0])}
		return nil
	}
	by, ok := laterBy(f)
	if !ok || len(blocks) > maxReadings {
		return nil
	}
	for _, block := range blocks {
		t := f.Trial.with(freedom.Shift(by, block))
		is, acts, err := b.always(b.ctx, t, &f.Sig, false, readingRuns)
		if err != nil {
			return err
		}
		if is && acts {
			f.blocks = []int{int(block)}
			return nil
		}
	}
	return nil
}

// laterBy returns how much later it is by the cure than by the trial.
func laterBy(f *Finding) (time.Duration, bool) {
	if f.cure == nil {
		return 0, false
	}
	for _, a := range f.Trial.Plan.Acts {
		for _, b := range f.cure.Plan.Acts {
			switch {
			case a.What != b.What:
			case a.What == freedom.ClockPhase:
				return time.Duration((b.Value - a.Value + a.Unit) % a.Unit), true
			case a.Shifted():
				return time.Duration(b.Value - a.Value), true
			}
		}
	}
	return 0, false
}
