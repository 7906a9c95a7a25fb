package divergence

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A WaitTime says how long the goroutine that failed waited in one block before the last
// divergence of the chain, in each run, for any reason.
type WaitTime struct {
	Block int
	// Passing and Failing hold the longest wait there of each run that came to the divergence, in
	// nanoseconds, sorted; 0 for a run that did not wait.
	Passing, Failing []int64
}

// At returns how many failing and passing runs waited for at least limit.
func (h *WaitTime) At(limit int64) Table {
	var t Table
	t.FailNot, _ = slices.BinarySearch(h.Failing, limit)
	t.PassNot, _ = slices.BinarySearch(h.Passing, limit)
	t.FailTaken, t.PassTaken = len(h.Failing)-t.FailNot, len(h.Passing)-t.PassNot
	return t
}

const (
	maxWaits    = 8       // longest waits of a run that are considered
	minWaitTime = 100_000 // nanoseconds; shorter waits are due to the scheduler
)

// waitTimes collects the waits before the last divergence of the chain.
func (a *analysis) waitTimes() {
	last := len(a.shown) - 1
	if last < 0 {
		return
	}
	anchors := a.anchors(a.shown[last])
	waits := make([]map[int]int64, len(anchors)) // by block
	blocks := make(map[int]bool)
	for i, s := range anchors {
		waits[i] = a.waitsBefore(s)
		for b := range waits[i] {
			blocks[b] = true
		}
	}
	for _, b := range slices.Sorted(maps.Keys(blocks)) {
		h := WaitTime{Block: b}
		for i, s := range anchors {
			if a.in.Runs[s.run].Failed {
				h.Failing = append(h.Failing, waits[i][b])
			} else {
				h.Passing = append(h.Passing, waits[i][b])
			}
		}
		slices.Sort(h.Passing)
		slices.Sort(h.Failing)
		a.out.WaitTimes = append(a.out.WaitTimes, h)
	}
}

// waitsBefore returns the longest waits of a goroutine before an anchor, by block.
func (a *analysis) waitsBefore(s anchor) map[int]int64 {
	var list []wait
	perturbed := a.in.Runs[s.run].Trace.PerturbedBefore(s.g)
	for _, w := range waitsOf(s.g) {
		if w.to -= perturbed[w.pos]; w.pos > 0 && w.pos <= s.pos && w.time() >= minWaitTime {
			list = append(list, w)
		}
	}
	slices.SortStableFunc(list, func(x, y wait) int { return cmp.Compare(y.time(), x.time()) })
	out := make(map[int]int64)
	for _, w := range list[:min(len(list), maxWaits)] {
		if b, ok := eventAt(s.g, w.pos-1).Block(); ok && a.in.Sites.Has(b) {
			out[b] = max(out[b], w.time())
		}
	}
	return out
}

// A wait is how long a goroutine stayed at one position of its stream, in one or several waits
// without an event in between.
type wait struct{ pos, from, to int64 }

func (w wait) time() int64 { return w.to - w.from }

// waitsOf returns the waits of a goroutine that have ended.
func waitsOf(g *trace.Goroutine) []wait {
	var list []wait
	for i := 1; i < len(g.Stamps); i++ {
		begin, end := g.Stamps[i-1], g.Stamps[i]
		if begin.GoesOn || !end.GoesOn || begin.Pos != end.Pos {
			continue
		}
		if n := len(list); n > 0 && list[n-1].pos == begin.Pos {
			list[n-1].to = end.Time
		} else {
			list = append(list, wait{begin.Pos, begin.Time, end.Time})
		}
	}
	return list
}
