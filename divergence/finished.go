package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// maxFinished is how many goroutines of a run are examined that ended before the test looked at the result.
const maxFinished = 256

// A Finished is a goroutine of the test, and its blocks, that had ended when the failing run shown came to the last
// divergence, or to the failed check, and that had overlapped with another such goroutine.
type Finished struct {
	Goroutine *trace.Goroutine
	Blocks    []int // in the order in which they first ran
}

// finished collects the goroutines that worked side by side. Their result depends on how they took turns.
func (a *analysis) finished() {
	if len(a.shown) == 0 {
		return
	}
	d := a.out.Chain[len(a.shown)-1]
	points := a.anchors(a.shown[len(a.shown)-1])
	i := slices.IndexFunc(points, func(s anchor) bool { return a.in.Runs[s.run].N == d.FailingRun })
	if i < 0 {
		return
	}
	for _, g := range sideBySide(a.doneBy(points[i])) {
		f := Finished{Goroutine: g}
		a.blocksIn(g, 0, g.Len(), &f.Blocks)
		a.out.Finished = append(a.out.Finished, f)
	}
}

// doneBy returns goroutines of the test, without those of its subtests, that had certainly
// written their last event by an anchor.
func (a *analysis) doneBy(s anchor) []*trace.Goroutine {
	var list []*trace.Goroutine
	for _, g := range a.in.Runs[s.run].Trace.Goroutines {
		if g == s.g || g.Root || !a.own(g.Test) || g.End == 0 || len(list) == maxFinished {
			continue
		}
		if progress(g, s.lo) == g.Len() {
			list = append(list, g)
		}
	}
	return list
}

// sideBySide returns the goroutines that overlapped with another one, in the order in which they began.
func sideBySide(gs []*trace.Goroutine) []*trace.Goroutine {
	slices.SortFunc(gs, func(x, y *trace.Goroutine) int { return cmp.Compare(x.Start, y.Start) })
	beside := make([]bool, len(gs))
	longest := 0 // of the earlier ones, the one that ended last
	for i := 1; i < len(gs); i++ {
		if gs[i].Start < gs[longest].End {
			beside[i], beside[longest] = true, true
		}
		if gs[i].End > gs[longest].End {
			longest = i
		}
	}
	var list []*trace.Goroutine
	for i, g := range gs {
		if beside[i] {
			list = append(list, g)
		}
	}
	return list
}
