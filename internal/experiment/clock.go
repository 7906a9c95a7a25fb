package experiment

import (
	"cmp"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// readingRuns is how often the clock of one reading is set right to see whether it is the one that decides.
const readingRuns = 5

// reading names the reading of the clock that decides: the only one, or the one that needs only the time that it has in
// the cure. Where another one may as well have the time as long before, a period ends between the two.
func (b *bench) reading(f *Finding) error {
	blocks := b.askers(trace.ActClock)
	if f.cure == nil || len(blocks) < 2 || len(blocks) > maxReadings {
		return nil
	}
	a, cure := f.Trial.Plan.First(freedom.Step.Sets), f.cure.Plan.First(freedom.Step.Sets)
	if a.What != cure.What || a.What != freedom.ClockPhase && !a.Shifted() {
		return nil
	}
	by := time.Duration(cure.Value - a.Value)
	if u := time.Duration(cmp.Or(f.Law.Unit, a.Unit)); 0 < u && u <= 24*time.Hour {
		by = (by%u + u) % u
	}
	var decide [2][]int // later, and earlier
	for i := range 2 * len(blocks) {
		block, by := blocks[i/2], []time.Duration{by, -by}[i%2]
		is, acts, err := b.always(b.ctx, f.Trial.with(freedom.Shift(by, block)), &f.Sig, false, readingRuns)
		if err != nil {
			return err
		}
		if is && acts {
			decide[i%2] = append(decide[i%2], int(block))
		}
	}
	switch later, earlier := decide[0], decide[1]; {
	case len(later) == 1 && len(earlier) == 1 && later[0] != earlier[0] && f.Law.Unit > 0:
		f.Law.Kind, f.blocks = proof.LawEnds, append(later, earlier...)
	case len(later) > 0:
		f.blocks = later[:1]
	}
	return nil
}
