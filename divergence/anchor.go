package divergence

import (
	"maps"
	"slices"
	"sort"

	"github.com/fdebug/fdebug/trace"
)

// An anchor is where and when a run came to a divergence.
type anchor struct {
	run    int
	g      *trace.Goroutine
	pos    int64
	lo, hi int64
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
		// The deciding value was read after the last common event and before the next.
		lo, _ := g.Between(max(p.pos-1, 0))
		_, hi := g.Between(p.pos)
		list = append(list, anchor{p.run, g, p.pos, lo, hi})
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

// progress returns how many events of g had certainly happened before lo, and from which event on
// none had happened by hi.
func progress(g *trace.Goroutine, lo, hi int64) (sure, never int64) {
	n := g.Len()
	if g.Start >= hi {
		return 0, 0
	}
	before := func(i int64) bool { _, latest := g.Between(i); return latest <= lo }
	after := func(i int64) bool { earliest, _ := g.Between(i); return earliest >= hi }
	sure = int64(sort.Search(int(n), func(i int) bool { return !before(int64(i)) }))
	never = int64(sort.Search(int(n), func(i int) bool { return after(int64(i)) }))
	return sure, max(never, sure)
}
