package divergence

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// Concurrent is what another goroutine ran that was not certainly done when
// failing runs came to a divergence of the chain: nothing that is recorded puts
// it before.
type Concurrent struct {
	Divergence int              // index in Analysis.Chain
	Goroutine  *trace.Goroutine // in one of the failing runs
	Blocks     []int            // in the order in which they were first run
	// Around are those of them that in some of these runs were run neither certainly
	// before nor certainly after; the others were run after.
	Around []int
	// After are those that were run certainly after, in each of these runs: of Around
	// they were run again.
	After []int
	// Waited are the blocks in which the test's own goroutine had waited before it came
	// to the divergence, in that run, the last first; none if another came there.
	Waited []int
}

const maxConcurrentRuns = 8 // failing runs that are looked at

// concurrent collects what other goroutines may have run at the same time, over
// some of the failing runs, at each divergence.
func (a *analysis) concurrent() {
	stays := a.stays()
	for i := range a.shown {
		a.out.Concurrent = append(a.out.Concurrent, a.concurrentAt(i, stays)...)
	}
}

func (a *analysis) concurrentAt(divergence int, stays []stay) []Concurrent {
	var list []Concurrent
	index := make(map[trace.GoroutineID]int)
	runs, in := 0, []int{}
	after := [][][]int{} // of each goroutine, in each of its runs
	for _, s := range a.anchors(a.shown[divergence]) {
		if !a.in.Runs[s.run].Failed || runs == maxConcurrentRuns {
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
				list = append(list, Concurrent{Divergence: divergence, Goroutine: g, Waited: testWaited(s)})
				index[g.ID], in, after = i, append(in, 0), append(after, nil)
			}
			in[i]++
			a.blocksIn(g, from, g.Len(), &list[i].Blocks)
			sure, never := progress(g, s.lo, s.hi)
			a.blocksIn(g, max(from, sure), never, &list[i].Around)
			var late []int
			a.blocksIn(g, max(from, never), g.Len(), &late)
			after[i] = append(after[i], late)
		}
	}
	for i := range list {
		list[i].After = inAll(after[i])
	}
	// A test, whose identity is the same in all runs, does not explain them if it
	// was there in few.
	return slices.DeleteFunc(list, func(c Concurrent) bool { return c.Goroutine.Root && 2*in[index[c.Goroutine.ID]] < runs })
}

// inAll returns what is in each of some lists, in the order of the first.
func inAll(lists [][]int) []int {
	return slices.DeleteFunc(slices.Clone(lists[0]), func(b int) bool {
		return slices.ContainsFunc(lists, func(l []int) bool { return !slices.Contains(l, b) })
	})
}

// testWaited returns the blocks in which a test waited before it came to an anchor,
// none if that is another goroutine's.
func testWaited(s anchor) []int {
	if !s.g.Root {
		return nil
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
	} else if _, from = progress(g, st.start, st.start); st.end > 0 && g.Start > st.end {
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

// A stay is the time of the test under analysis in one run.
type stay struct{ start, end int64 }

// stays returns the time of the test in each run: up to its failed check.
func (a *analysis) stays() []stay {
	list := make([]stay, len(a.in.Runs))
	for i, r := range a.in.Runs {
		for _, t := range r.Trace.Tests {
			if t.Name == a.in.Test {
				list[i] = stay{t.Start, t.End}
				break
			}
		}
		if c := a.checks[i]; c.lane != nil {
			list[i].end = c.hi
		}
	}
	return list
}

// maxBlocksIn is how many different blocks of a stretch of a stream are listed.
const maxBlocksIn = 500

// blocksIn adds the blocks of events from..to-1, each once. What can't be read
// is left out: the list serves to name a place, not to count.
func (a *analysis) blocksIn(g *trace.Goroutine, from, to int64, list *[]int) {
	seen := make(map[int]bool)
	for _, b := range *list {
		seen[b] = true
	}
	if from >= to {
		return
	}
	eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for _, e := range events[:max(0, min(int64(len(events)), to-pos))] {
			if b, ok := e.Block(); ok && a.in.Sites.Has(b) && !seen[b] {
				seen[b] = true
				*list = append(*list, b)
			}
		}
		return pos+int64(len(events)) < to && len(*list) < maxBlocksIn
	})
}
