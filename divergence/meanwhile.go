package divergence

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A Meanwhile is what another goroutine ran that was not certainly done when
// failing runs came to a divergence of the chain: nothing that is recorded puts
// it before.
type Meanwhile struct {
	Divergence int              // index in Analysis.Chain
	Goroutine  *trace.Goroutine // in one of the failing runs
	Own        bool             // it belongs to the test under analysis, or to one above it
	Blocks     []int            // in the order in which they were first run
	// Waited is the block in which the test's own goroutine had waited last before it
	// came to the divergence, in that run; 0 if it had not, or another came there.
	Waited int
}

const maxMeanwhileRuns = 8 // failing runs that are looked at

// meanwhile collects what other goroutines may have run at the same time, over
// some of the failing runs, at each divergence.
func (a *analysis) meanwhile() {
	stays := a.stays()
	for i := range a.shown {
		a.out.Meanwhile = append(a.out.Meanwhile, a.meanwhileAt(i, stays)...)
	}
}

func (a *analysis) meanwhileAt(divergence int, stays []stay) []Meanwhile {
	var list []Meanwhile
	index := make(map[trace.GoroutineID]int)
	runs, in := 0, []int{}
	for _, s := range a.anchors(a.shown[divergence]) {
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
				i = len(list)
				list = append(list, Meanwhile{Divergence: divergence, Goroutine: g, Own: a.own(g.Test), Waited: testWaited(s)})
				index[g.ID], in = i, append(in, 0)
			}
			in[i]++
			a.blocksIn(g, from, g.Len(), &list[i].Blocks)
		}
	}
	// A test, whose identity is the same in all runs, does not explain them if it
	// was there in few.
	return slices.DeleteFunc(list, func(m Meanwhile) bool { return m.Goroutine.Root && 2*in[index[m.Goroutine.ID]] < runs })
}

// testWaited returns the block in which a test waited last before it came to an
// anchor, 0 if it did not, or if that is another goroutine's.
func testWaited(s anchor) int {
	if !s.g.Root {
		return 0
	}
	return waitedBefore(s.g, s.pos)
}

// notBefore returns the first event of a goroutine that is not certain to have
// happened before an anchor; of a goroutine of another test, the first one in
// the time of the test under analysis. ok is false if there is none.
func (a *analysis) notBefore(g *trace.Goroutine, s anchor, st stay) (from int64, ok bool) {
	if g == s.g || g.End > 0 && g.End <= st.start || inTurn(g, s.g) {
		return 0, false
	}
	if a.own(g.Test) {
		from, _ = progress(g, s.lo, s.hi)
	} else if from, _ = within(g, st); st.end > 0 && g.Start > st.end {
		return 0, false
	}
	return from, from < g.Len()
}

// inTurn reports whether two goroutines are those of tests that the testing
// package never runs at the same time: the same test, run once more with -count,
// and a test and its subtests, which wait for each other, if they are parallel too.
func inTurn(g, h *trace.Goroutine) bool {
	return g.Root && h.Root && (g.Test == h.Test || strings.HasPrefix(g.Test, h.Test+"/") || strings.HasPrefix(h.Test, g.Test+"/"))
}

func (a *analysis) own(test string) bool {
	m := matcher{test: a.in.Test}
	return m.own(test) || m.above(test)
}
