package experiment

import (
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// passedSo counts the runs with nothing perturbed that passed though their events came in the order that a
// finding forces, those that failed so though they came in the other order, and those whose order is known. A run
// of the first two kinds shows that the order does not decide, or not alone.
func (b *bench) passedSo(f *Finding) error {
	f.Unforced = proof.Unforced{}
	for _, out := range slices.Concat(b.plain, f.Traces.Pass, f.Traces.Plain) {
		is := out.Tells(&f.Sig)
		if is < proof.TellsPass || out.Trace == "" {
			continue
		}
		t, err := b.open(b.ctx, out.Trace)
		if err != nil {
			return err
		}
		had, known, err := inOrder(t, f.Trial.Plan.Acts)
		t.Close()
		if err != nil {
			return err
		}
		meet(&f.Unforced, is == proof.TellsFailure, had, known)
	}
	return nil
}

// meet counts a run in which nothing was perturbed.
func meet(u *proof.Unforced, failed, had, known bool) {
	switch {
	case !known:
	case failed && !had:
		u.FailedElse++
	case !failed && had:
		u.PassedSo++
	}
}

// inOrder reports whether in a run each of the events that are waited for had certainly come before the one
// that is held for it, and whether that is known either way.
func inOrder(t *trace.Trace, orders []freedom.Step) (had, known bool, err error) {
	had, known = true, true
	for _, o := range orders {
		until, err := timeOf(t, o.Until)
		if err != nil {
			return false, false, err
		}
		hold, err := timeOf(t, o.At)
		if err != nil {
			return false, false, err
		}
		switch {
		case !hold.there:
			return false, false, nil
		case !until.there || hold.latest <= until.earliest:
			had = false
		case until.latest > hold.earliest:
			known = false
		}
	}
	return had && known, known || !had, nil
}

// A moment bounds the time of an event in a run; there is none if it is not there.
type moment struct {
	there            bool
	earliest, latest int64
}

// timeOf returns when the goroutine of a position came there.
func timeOf(t *trace.Trace, at freedom.Position) (moment, error) {
	i := slices.IndexFunc(t.Goroutines, func(g *trace.Goroutine) bool { return g.ID == at.G.ID })
	if i < 0 {
		return moment{}, nil
	}
	g := t.Goroutines[i]
	if at.Block == freedom.End {
		return moment{g.End > 0, g.End, g.End}, nil
	}
	pos, err := visitIn(g, at.Block, func(_ int64, hit uint32) bool { return hit == at.Hit })
	if pos < 0 || err != nil {
		return moment{}, err
	}
	m := moment{there: true}
	if m.earliest, m.latest = g.Between(pos); m.latest == 0 {
		m.latest = math.MaxInt64
	}
	return m, nil
}
