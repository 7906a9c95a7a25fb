package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// maxTogether is how many goroutines of a run are looked at for what they ran
// together.
const maxTogether = 256

// together collects the blocks that several goroutines of the test ran which were
// there at the same time, and had done all they did when the failing run shown
// came to the last divergence: what they change depends on how they took turns.
func (a *analysis) together() {
	if len(a.shown) == 0 {
		return
	}
	d := a.out.Chain[len(a.shown)-1]
	spots := a.anchors(a.shown[len(a.shown)-1])
	i := slices.IndexFunc(spots, func(s anchor) bool { return a.in.Runs[s.run].N == d.FailingRun })
	if i < 0 {
		return
	}
	ran := make(map[int][]*trace.Goroutine) // by block
	var order []int
	for _, g := range a.doneBy(spots[i]) {
		var blocks []int
		a.blocksIn(g, 0, g.Len(), &blocks)
		for _, b := range blocks {
			if ran[b] == nil {
				order = append(order, b)
			}
			ran[b] = append(ran[b], g)
		}
	}
	for _, b := range order {
		if overlap(ran[b]) {
			a.out.Together = append(a.out.Together, b)
		}
	}
}

// doneBy returns goroutines of the test, but for those of its subtests, that had
// certainly written their last event by an anchor.
func (a *analysis) doneBy(s anchor) []*trace.Goroutine {
	var list []*trace.Goroutine
	for _, g := range a.in.Runs[s.run].Trace.Goroutines {
		if g == s.g || g.Root || !a.own(g.Test) || g.End == 0 || len(list) == maxTogether {
			continue
		}
		if sure, _ := progress(g, s.lo, s.hi); sure == g.Len() {
			list = append(list, g)
		}
	}
	return list
}

// overlap reports whether two of some goroutines were there at the same time.
func overlap(gs []*trace.Goroutine) bool {
	gs = slices.SortedFunc(slices.Values(gs), func(x, y *trace.Goroutine) int { return cmp.Compare(x.Start, y.Start) })
	for i := 1; i < len(gs); i++ {
		if gs[i].Start < gs[i-1].End {
			return true
		}
	}
	return false
}
