package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// standing makes the runs of a stall again with clocks that stand still while the goroutine is held. If the test passes
// as without a hold then, it is the time that passes which decides, and not an order of goroutines.
// Of several blocks that read the clock it is looked for one that suffices.
func (b *bench) standing(f *Finding) error {
	if f.Verdict != proof.Proved || f.Always || !f.Trial.Plan.Does(freedom.Step.Holds) ||
		f.Trial.Plan.Does(freedom.Step.Sets) {
		return nil
	}
	if is, err := b.readsClock(); err != nil || !is {
		return err
	}
	blocks, err := b.stillReaders(f)
	if err != nil || len(blocks) == 0 {
		return err
	}
	t := f.dosed().with(freedom.Still())
	reading, err := b.stillReading(f, blocks)
	if err != nil {
		return err
	}
	if reading != 0 {
		t = stillAt(f, reading)
	}
	c, err := b.count(b.ctx, t, &f.Sig, proof.ConfirmRuns)
	if err != nil {
		return err
	}
	if asPlain := !proof.More(c, f.Confirmed.Plain) ||
		proof.Chance(c, f.Confirmed.Plain) >= proof.ShamDiffers; asPlain && c.Of >= proof.ConfirmRuns && c.Acts() &&
		proof.Chance(f.Confirmed.With, c) < proof.Reproduces {
		f.Still, f.reading = c, reading
	}
	return nil
}

// stillReaders returns the blocks that read the clock in runs in which it stands still. It returns nil if none of these
// passes, or if some block reads it more often than without a hold: code that looks again and again until a time is up
// goes on meanwhile, and then an order decides, that of its end and of the step that is held.
func (b *bench) stillReaders(f *Finding) ([]uint32, error) {
	base, is, err := b.once(b.ctx, do(freedom.Still()), &f.Sig)
	if err != nil || is != proof.TellsPass {
		return nil, err
	}
	usual := readings(base)
	var blocks []uint32
	t := f.dosed().with(freedom.Still())
	for range readingRuns {
		o, err := b.runAgain(b.ctx, t)
		if err != nil {
			return nil, err
		}
		switch t.tells(o, nil) {
		case proof.TellsMissed:
			return nil, nil
		case proof.TellsNothing, proof.TellsFailure: // as it may with nothing changed
			continue
		}
		for block, n := range readings(o) {
			if n > usual[block] {
				return nil, nil
			}
			if b.Sites.Has(int(block)) && !slices.Contains(blocks, block) {
				blocks = append(blocks, block)
			}
		}
	}
	slices.Sort(blocks)
	return blocks, nil
}

// readings returns how often each block read the clock in a run.
func readings(o *Outcome) map[uint32]int64 {
	n := make(map[uint32]int64)
	for _, d := range o.Draws {
		if d.Kind == trace.ActClock {
			n[d.Block] += d.Count
		}
	}
	return n
}

// stillReading returns the only block, or the first for whose readings alone it suffices that the clock stands still; 0
// if there is none.
func (b *bench) stillReading(f *Finding, blocks []uint32) (uint32, error) {
	if len(blocks) == 1 {
		return blocks[0], nil
	}
	for _, block := range blocks[:min(len(blocks), maxReadings)] {
		c, err := b.count(b.ctx, stillAt(f, block), &f.Sig, readingRuns)
		if err != nil {
			return 0, err
		}
		if c.Of == readingRuns && c.Failed <= 1 { // the rest is seen by the runs that count
			return block, nil
		}
	}
	return 0, nil
}

// stillAt is the trial of a finding with a clock that stands still for the readings of one block.
func stillAt(f *Finding, block uint32) Trial {
	return f.dosed().with(freedom.Still().Moved(freedom.Position{Block: block}))
}
