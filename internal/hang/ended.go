package hang

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// endedBy returns the way in which a goroutine ended before its function had returned, and the place; "" if it did not.
// After that only its deferred calls run.
func (f *finder) endedBy(g *trace.Goroutine) (finding.Ending, trace.Frame) {
	events, ok := eventsOf(g)
	if !ok || g.End == 0 || g.End > f.shown.time {
		return "", trace.Frame{}
	}
	for i, e := range slices.Backward(events) {
		kind, _, ok := e.Check()
		at := blockAt(g, int64(i))
		switch {
		case ok && kind == trace.CheckFailNow:
			return finding.EndedByFailNow, f.code.endOf(at)
		case ok && kind == trace.CheckSkip:
			return finding.EndedBySkipNow, f.code.endOf(at)
		case ok && kind == trace.CheckPanic && !f.wentOnIn(events[i:], blockAt(g, 0)):
			return finding.EndedByPanic, f.code.endOf(at)
		}
	}
	last := blockAt(g, g.Len()-1)
	if f.Sites.Has(last) && slices.ContainsFunc(f.code.Block(last, source.Call), func(o *source.Op) bool {
		return o.How == string(finding.EndedByGoexit)
	}) {
		return finding.EndedByGoexit, f.code.endOf(last)
	}
	return "", trace.Frame{}
}

// wentOnIn reports whether some events are in the function of a block: it has recovered from a panic of one that it
// called.
func (f *finder) wentOnIn(events []trace.Event, block int) bool {
	return f.Sites.Has(block) && slices.ContainsFunc(events, func(e trace.Event) bool {
		b, ok := e.Block()
		return ok && f.Sites.Has(b) && f.Sites.Blocks[b].Func == f.Sites.Blocks[block].Func
	})
}
