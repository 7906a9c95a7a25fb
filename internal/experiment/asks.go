package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// survey makes one run that lists where the test asks the system for something.
func (b *bench) survey() error {
	if b.asks != nil {
		return nil
	}
	o, err := b.run(b.ctx, do(freedom.Survey()...), false)
	if err != nil {
		return err
	}
	b.asks = append([]trace.Draw{}, o.Draws...)
	return nil
}

// Asks reports whether something of a kind is asked for anywhere, also where there are no probes.
func (b *bench) Asks(kind trace.ActKind) bool {
	return slices.ContainsFunc(b.asks, func(d trace.Draw) bool { return d.Kind == kind })
}

// askers returns the blocks that ask for something of a kind.
func (b *bench) askers(kind trace.ActKind) []uint32 {
	var list []uint32
	for _, d := range b.asks {
		if d.Kind == kind && !slices.Contains(list, d.Block) && b.Sites.Has(int(d.Block)) {
			list = append(list, d.Block)
		}
	}
	return list
}

// asked reports whether the program asked for the value that is set, and saw nothing that tells it from the truth.
func asked(o *Outcome, set freedom.Step) bool {
	if set.Differs() && seesAnother(o.Draws) {
		return false
	}
	return set.Always() || slices.ContainsFunc(o.Draws, func(d trace.Draw) bool {
		return d.Kind == set.Kind && (set.At.Block == 0 || d.Block == set.At.Block)
	})
}

// seesAnother reports whether a run sees the clock of the kernel itself or, as it starts some, of other processes.
func seesAnother(asks []trace.Draw) bool {
	return slices.ContainsFunc(asks, func(d trace.Draw) bool {
		return d.Kind == trace.ActProcess || d.Kind == trace.ActKernel
	})
}

func (b *bench) readsClock() (bool, error) {
	err := b.survey()
	return len(b.askers(trace.ActClock)) > 0, err
}
