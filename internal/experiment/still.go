package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// standing makes the runs of a stall again with clocks that stand still while the goroutine is held. If the test passes
// as without a hold then, though who comes first is the same, it is the time that passes which decides, and not an order of goroutines.
// Of several blocks that read the clock it is looked for one that suffices.
func (s *search) standing(f *Finding) error {
	if f.Verdict != Proved || f.Always || f.Artefact != "" || len(f.Trial.Plan.Stalls) == 0 || len(f.Trial.Plan.Settings) > 0 {
		return nil
	}
	if is, err := s.readsClock(); err != nil || !is {
		return err
	}
	blocks, err := s.stillReaders(f)
	if err != nil || len(blocks) == 0 {
		return err
	}
	t := addSettings(f.dosed(), perturb.Still())
	reading, err := s.stillReading(f, blocks)
	if err != nil {
		return err
	}
	if reading != 0 {
		t = stillAt(f, reading)
	}
	c, err := s.count(s.ctx, "clock standing still", t, &f.Signature, confirmRuns)
	if err != nil {
		return err
	}
	if asPlain := !more(c, f.Confirmed.Plain) || fisher(c, f.Confirmed.Plain) >= shamDiffers; asPlain && c.Of >= confirmRuns && c.acts() && fisher(f.Confirmed.With, c) < reproduces {
		f.Still, f.Reading = &c, reading
	}
	return nil
}

// stillReaders returns the blocks that read the clock in runs in which it stands still, nil if one of these fails.
func (s *search) stillReaders(f *Finding) ([]uint32, error) {
	var blocks []uint32
	t := addSettings(f.dosed(), perturb.Still())
	for range readingRuns {
		o, err := s.runAgain(s.ctx, "clock standing still", t, false)
		if err != nil {
			return nil, err
		}
		if !o.Ran || o.Failed || !t.acted(o) {
			return nil, nil
		}
		for _, d := range o.Draws {
			if d.Kind == trace.ActClock && s.Sites.Has(int(d.Block)) && !slices.Contains(blocks, d.Block) {
				blocks = append(blocks, d.Block)
			}
		}
	}
	return blocks, nil
}

// stillReading returns the only block, or the first for whose readings alone it suffices that the clock stands still; 0 if
// there is none.
func (s *search) stillReading(f *Finding, blocks []uint32) (uint32, error) {
	if len(blocks) == 1 {
		return blocks[0], nil
	}
	for _, b := range blocks[:min(len(blocks), maxReadings)] {
		is, acts, err := s.always(s.ctx, "reading", stillAt(f, b), &f.Signature, false, readingRuns)
		if err != nil {
			return 0, err
		}
		if is && acts {
			return b, nil
		}
	}
	return 0, nil
}

// stillAt is the trial of a finding with a clock that stands still for what one block reads.
func stillAt(f *Finding, block uint32) Trial {
	still := perturb.Still()
	still.Block = block
	return addSettings(f.dosed(), still)
}
