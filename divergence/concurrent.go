package divergence

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// Concurrent is the work of another goroutine of the test, or of none, that was not certainly done when failing runs came
// to a divergence of the chain: nothing recorded puts it before.
type Concurrent struct {
	Divergence int   // index in Analysis.Chain
	Blocks     []int // in the order in which they first ran
	// Waited are the blocks in which the test's own goroutine had waited before it came to the
	// divergence in that run, the last first; none if another goroutine came there.
	Waited []int
}

const maxConcurrentRuns = 8 // failing runs looked at

// concurrent collects, for each divergence, the blocks that other goroutines may have run at the
// same time, over some of the failing runs.
func (a *analysis) concurrent() {
	for i := range a.shown {
		a.out.Concurrent = append(a.out.Concurrent, a.concurrentAt(i)...)
	}
}

func (a *analysis) concurrentAt(divergence int) []Concurrent {
	var list []Concurrent
	index := make(map[trace.GoroutineID]int)
	runs := 0
	for _, s := range a.anchors(a.shown[divergence]) {
		if !a.in.Runs[s.run].Failed || runs == maxConcurrentRuns {
			continue
		}
		runs++
		for _, g := range a.in.Runs[s.run].Trace.Goroutines {
			if g == s.g || !a.own(g.Test) || inTurn(g, s.g) {
				continue
			}
			from := a.doneAt(g, s)
			if from == g.Len() {
				continue
			}
			i, seen := index[g.ID]
			if !seen {
				i = len(list)
				list = append(list, Concurrent{Divergence: divergence, Waited: testWaited(s)})
				index[g.ID] = i
			}
			a.blocksIn(g, from, g.Len(), &list[i].Blocks)
		}
	}
	return list
}

// testWaited returns the blocks in which a test waited before it came to an anchor. It returns
// none if the anchor is another goroutine's.
func testWaited(s anchor) []int {
	if !s.g.Root {
		return nil
	}
	return waitedBefore(s.g, s.pos)
}

// inTurn reports whether two goroutines belong to tests that package testing never runs at the same time: the same
// test, run again with -count, or a test and its subtests, which wait for each other even if they are parallel.
func inTurn(g, h *trace.Goroutine) bool {
	return g.Root && h.Root &&
		(g.Test == h.Test || strings.HasPrefix(g.Test, h.Test+"/") || strings.HasPrefix(h.Test, g.Test+"/"))
}

func (a *analysis) own(test string) bool {
	m := matcher{test: a.in.Test}
	return m.own(test) || m.above(test)
}

// maxBlocksIn is how many different blocks of a range of a stream are listed.
const maxBlocksIn = 500

// blocksIn adds the blocks of events from..to-1 to list, each once. It leaves out unreadable
// parts, because the list is for naming a place, not for counting.
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

// maxAncestors is how many go statements are followed back.
const maxAncestors = 64

// doneAt returns how many events of g had certainly happened at s. It uses the recorded times, and that all events of g
// before it starts a goroutine come before those of this one.
func (a *analysis) doneAt(g *trace.Goroutine, s anchor) int64 {
	return max(progress(g, s.lo), a.doneBeforeStart(a.in.Runs[s.run].Trace.Goroutines, g, s.g))
}

// doneBeforeStart returns how many events of g had happened when it started h or an ancestor of
// h, or 0 if it did not or that is unknown.
func (a *analysis) doneBeforeStart(all []*trace.Goroutine, g, h *trace.Goroutine) int64 {
	for range maxAncestors {
		if h.Parent == 0 || h.Parent == h.ID {
			return 0
		}
		if h.Parent == g.ID {
			return a.startedAt(all, g, h)
		}
		i := slices.IndexFunc(all, func(x *trace.Goroutine) bool { return x.ID == h.Parent })
		if i < 0 {
			return 0
		}
		h = all[i]
	}
	return 0
}

// startedAt returns the position of the block with the go statement by which g started h: everything before it was
// done by then. A line may have several blocks, so the statement may be later, but not earlier.
func (a *analysis) startedAt(all []*trace.Goroutine, g, h *trace.Goroutine) int64 {
	file, ok := a.in.Sites.Rel(h.Spawn.File)
	if !ok {
		return 0
	}
	left := 1 // those that it started there before, and this one
	for _, x := range all {
		if x.Parent == g.ID && x.Spawn == h.Spawn && x.Start < h.Start {
			left++
		}
	}
	at := int64(0)
	_ = eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if !a.onLine(e, file, h.Spawn.Line) {
				continue
			}
			if left--; left == 0 {
				at = pos + int64(i)
				return false
			}
		}
		return true
	})
	return at
}
