package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// maxAncestors is how many go statements are followed back.
const maxAncestors = 64

// doneAt returns how many events of g had certainly happened at s, and from which event on none
// had. It uses the recorded times, and that whatever g does before it starts a goroutine comes
// before everything this one does.
func (a *analysis) doneAt(g *trace.Goroutine, s anchor) (sure, never int64) {
	sure, never = progress(g, s.lo, s.hi)
	sure = max(sure, a.doneBeforeStart(a.in.Runs[s.run].Trace.Goroutines, g, s.g))
	return sure, max(sure, never)
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

// startedAt returns the position of the block with the go statement by which g started h:
// everything before it was done by then. A line may have several blocks, so the statement may be
// later, but not earlier.
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
