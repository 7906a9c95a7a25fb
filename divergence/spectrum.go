package divergence

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// ochiai returns the coefficient of a block or line that fail of nFail failing runs and pass
// passing runs ran (Abreu, Zoeteweij and van Gemund 2007).
func ochiai(fail, nFail, pass int) float64 {
	if fail == 0 || nFail == 0 {
		return 0
	}
	return float64(fail) / math.Sqrt(float64(nFail)*float64(fail+pass))
}

// spectrum ranks the blocks that failing runs ran on the test's own goroutines. A chunk that
// several runs share is read only once.
func (a *analysis) spectrum() ([]Score, error) {
	h := &hits{by: make([]runSet, len(a.code.blocks)), runs: len(a.in.Runs), stamp: make([]uint32, len(a.code.blocks))}
	for _, l := range a.lanes {
		if l.background {
			continue
		}
		if err := h.addLane(l); err != nil {
			return nil, err
		}
	}
	var list []Score
	for b, set := range h.by {
		if set == nil {
			continue
		}
		s := Score{Block: b, Failing: set.count(a.cohort.fail), Passing: set.count(a.cohort.pass)}
		s.Ochiai = ochiai(s.Failing, a.cohort.nFail, s.Passing)
		if s.Failing > 0 {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y Score) int {
		return cmp.Or(cmp.Compare(y.Ochiai, x.Ochiai), cmp.Compare(x.Block, y.Block))
	})
	return list[:min(len(list), maxSpectrum)], nil
}

// hits records which runs ran which blocks.
type hits struct {
	by    []runSet // by block; nil if no run did
	runs  int
	stamp []uint32 // by block: the chunk it was last seen in
	chunk uint32   // counts chunks
	buf   []trace.Event
	found []int32
}

// addLane adds the streams of one goroutine, side by side, so that equal chunks are next to each
// other.
func (h *hits) addLane(l *lane) error {
	runs := make([]int, 0, len(l.streams))
	longest := 0
	for i, g := range l.streams {
		if g != nil {
			runs = append(runs, i)
			longest = max(longest, len(g.Chunks))
		}
	}
	for i := range longest {
		runs = slices.DeleteFunc(runs, func(r int) bool { return i >= len(l.streams[r].Chunks) })
		slices.SortStableFunc(runs, func(x, y int) int {
			return cmp.Compare(l.streams[x].Chunks[i].Hash, l.streams[y].Chunks[i].Hash)
		})
		if err := h.addChunks(l, runs, i); err != nil {
			return err
		}
	}
	return nil
}

// addChunks adds the i-th chunks of the given runs, sorted by hash.
func (h *hits) addChunks(l *lane, runs []int, i int) error {
	for len(runs) > 0 {
		hash := l.streams[runs[0]].Chunks[i].Hash
		n := 1
		for n < len(runs) && l.streams[runs[n]].Chunks[i].Hash == hash {
			n++
		}
		same := runs[:n]
		runs = runs[n:]
		k := slices.IndexFunc(same, func(r int) bool { return l.streams[r].Chunks[i].Kept })
		if k < 0 {
			continue
		}
		var err error
		if h.buf, err = l.streams[same[k]].Load(i, h.buf); err != nil {
			return err
		}
		h.add(h.buf, same)
	}
	return nil
}

// add notes that the given runs ran the blocks among events.
func (h *hits) add(events []trace.Event, runs []int) {
	h.chunk++
	h.found = h.found[:0]
	for _, e := range events {
		if int(e) < len(h.stamp) && h.stamp[e] != h.chunk {
			h.stamp[e] = h.chunk
			h.found = append(h.found, int32(e))
		}
	}
	for _, b := range h.found {
		if h.by[b] == nil {
			h.by[b] = newRunSet(h.runs)
		}
		for _, r := range runs {
			h.by[b].add(r)
		}
	}
}
