package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// countWays counts how many runs took each of the two ways at a divergence.
func (a *analysis) countWays(f *finding, d *Divergence) {
	d.Left = f.rewind
	took := newRunSet(len(a.in.Runs))
	for _, p := range f.passes {
		if eventAt(f.lane.streams[p.run], p.pos) == d.PassNext && !f.coarse {
			took.add(p.run)
		}
	}
	d.PassTook = took.count(a.cohort.pass)
	if !d.SamePath || f.coarse {
		return
	}
	d.Resumed = slices.ContainsFunc(f.fails, func(p place) bool {
		return blockFrom(f.lane.streams[p.run], p.pos) == d.PassNext
	})
	d.Followed = a.followed(f)
}

// followed counts the failing runs of a failed check that took exactly the way of some passing run,
// each up to where it failed.
func (a *analysis) followed(f *finding) (n int) {
	tries := make(map[*lane]*trie)
	count := func(l *lane, p place) {
		if tries[l] == nil {
			tries[l] = newTrie(l.in(a.cohort.pass))
		}
		if x := tries[l].leave(l.streams[p.run], -1); x.err == nil && x.pos >= p.pos {
			n++
		}
	}
	for _, p := range f.fails {
		count(f.lane, p)
	}
	all := a.runsOf(f.candidate)
	for run, c := range a.checks {
		seen := slices.ContainsFunc(f.fails, func(p place) bool { return p.run == run })
		if all.has(run) && !seen && c.lane != nil && c.lane.class == f.class {
			count(c.lane, place{run, c.pos})
		}
	}
	return n
}

// blockFrom returns the first block that g ran from a position on, or 0 if there is none.
func blockFrom(g *trace.Goroutine, pos int64) (next trace.Event) {
	if err := eachChunk(g, pos, func(_ int64, events []trace.Event) bool {
		if i := slices.IndexFunc(events, func(e trace.Event) bool { return !isCheck(e) }); i >= 0 {
			next = events[i]
		}
		return next == 0
	}); err != nil {
		return 0
	}
	return next
}
