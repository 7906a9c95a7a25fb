package divergence

import (
	"maps"
	"slices"
	"sort"

	"github.com/fdebug/fdebug/trace"
)

// An anchor is where a run came to a divergence, and when at the earliest.
type anchor struct {
	run int
	g   *trace.Goroutine
	pos int64
	lo  int64
}

// anchors returns the runs that came to a divergence: those that took it and the passing runs
// that went the other way. If a run came there several times, the last time counts.
func (a *analysis) anchors(f *finding) []anchor {
	last := map[int]int64{}
	for _, p := range slices.Concat(f.fails, f.passes) {
		last[p.run] = max(last[p.run], p.pos)
	}
	var list []anchor
	for _, run := range slices.Sorted(maps.Keys(last)) {
		p, g := place{run, last[run]}, f.lane.streams[run]
		if g == nil {
			continue
		}
		lo, _ := g.Between(max(p.pos-1, 0)) // the deciding value was read after the last common event
		list = append(list, anchor{p.run, g, p.pos, lo})
	}
	return list
}

// maxWaited is how many waits of a goroutine are considered.
const maxWaited = 8

// waitedBefore returns the blocks in which a goroutine waited before a position, the last first.
func waitedBefore(g *trace.Goroutine, pos int64) (list []int) {
	for i := len(g.Stamps) - 1; i >= 0 && len(list) < maxWaited; i-- {
		if s := g.Stamps[i]; !s.GoesOn && s.Pos > 0 && s.Pos <= pos {
			if b, ok := eventAt(g, s.Pos-1).Block(); ok && !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	return list
}

// progress returns how many events of g had certainly happened at a time.
func progress(g *trace.Goroutine, at int64) int64 {
	return int64(sort.Search(int(g.Len()), func(i int) bool { _, latest := g.Between(int64(i)); return latest > at }))
}
