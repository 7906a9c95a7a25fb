package divergence

import (
	"github.com/fdebug/fdebug/trace"
)

// A Meanwhile is what another goroutine ran that was not certainly done when
// failing runs came to the last divergence of the chain: nothing that is
// recorded puts it before.
type Meanwhile struct {
	Goroutine *trace.Goroutine // in one of the failing runs
	Own       bool             // it belongs to the test under analysis, or to one above it
	Blocks    []int            // in the order in which they were first run
}

const maxMeanwhileRuns = 8 // failing runs that are looked at

// meanwhile collects what other goroutines may have run at the same time, over
// some of the failing runs.
func (a *analysis) meanwhile() {
	if len(a.shown) == 0 {
		return
	}
	stays := a.stays()
	index := make(map[trace.GoroutineID]int)
	runs := 0
	for _, s := range a.anchors(a.shown[len(a.shown)-1]) {
		if !a.in.Runs[s.run].Failed || runs == maxMeanwhileRuns {
			continue
		}
		runs++
		for _, g := range a.in.Runs[s.run].Trace.Goroutines {
			from, ok := a.notBefore(g, s, stays[s.run])
			if !ok {
				continue
			}
			i, seen := index[g.ID]
			if !seen {
				i = len(a.out.Meanwhile)
				a.out.Meanwhile = append(a.out.Meanwhile, Meanwhile{Goroutine: g, Own: a.own(g.Test)})
				index[g.ID] = i
			}
			a.blocksIn(g, from, g.Len(), &a.out.Meanwhile[i].Blocks)
		}
	}
}

// notBefore returns the first event of a goroutine that is not certain to have
// happened before an anchor; of a goroutine of another test, the first one in
// the time of the test under analysis. ok is false if there is none.
func (a *analysis) notBefore(g *trace.Goroutine, s anchor, st stay) (from int64, ok bool) {
	if g == s.g || g.End > 0 && g.End <= st.start || again(g, s.g) {
		return 0, false
	}
	if a.own(g.Test) {
		from, _ = progress(g, s.lo, s.hi)
	} else if from, _ = within(g, st); st.end > 0 && g.Start > st.end {
		return 0, false
	}
	return from, from < g.Len()
}

// again reports whether a goroutine is that of the same test, run once more with
// -count: the testing package runs them one after another, parallel tests too.
func again(g, parted *trace.Goroutine) bool {
	return g.Root && parted.Root && g.Test == parted.Test
}

func (a *analysis) own(test string) bool {
	m := matcher{test: a.in.Test}
	return m.own(test) || m.above(test)
}
