package crash

import (
	"math"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A visit is one time that a goroutine ran a statement.
type visit struct {
	g    *trace.Goroutine
	i    int // the event: that of its block, or, if it is deferred, the last of its function
	op   *source.Op
	from trace.Frame // where its function was called from, zero if that can't be told
	// Between these it was done; never if earliest is math.MaxInt64.
	earliest, latest int64
}

// maxEvents is the length up to which streams are read: 16 MB.
const maxEvents = 4 << 20

// eventsOf returns the stream of a goroutine, nil if it is too long.
func eventsOf(g *trace.Goroutine) []trace.Event {
	if g.Len() > maxEvents {
		return nil
	}
	all := make([]trace.Event, 0, g.Len())
	var buf []trace.Event
	for i := range g.Chunks {
		var err error
		if buf, err = g.Load(i, buf); err != nil {
			return nil
		}
		all = append(all, buf...)
	}
	return all
}

// visits returns the visits of statements by a goroutine.
func (f *finder) visits(g *trace.Goroutine, list map[int][]*source.Op) []visit {
	if len(list) == 0 {
		return nil
	}
	events := eventsOf(g)
	var out []visit
	entered := make(map[int]int) // the last entry of a function
	for i, e := range events {
		b, ok := e.Block()
		if !ok || !f.Sites.Has(b) {
			continue
		}
		if f.Sites.Blocks[b].Kind == trace.BlockEntry {
			entered[f.Sites.Blocks[b].Func] = i
		}
		for _, o := range list[b] {
			v := visit{g: g, i: i, op: o, from: f.caller(events, entered[f.Sites.Blocks[b].Func])}
			if f.code.AtEnd(o) {
				v.i = f.lastOf(events, i)
			}
			v.earliest, v.latest = f.between(g, events, v.i, o)
			out = append(out, v)
		}
	}
	return out
}

// lastOf returns the last event of the call of a function that event i is in, except for
// those of functions that it calls.
func (f *finder) lastOf(events []trace.Event, i int) int {
	fn, last := f.funcAt(events, i), i
	for k := i + 1; k < len(events); k++ {
		if f.funcAt(events, k) != fn {
			continue
		}
		if b, _ := events[k].Block(); f.Sites.Blocks[b].Kind == trace.BlockEntry {
			break
		}
		last = k
	}
	return last
}

// between bounds the time at which an operation of a block was done: after what the
// block waits for before, and before what it waits for later. What is deferred is
// done after the last event of its function.
func (f *finder) between(g *trace.Goroutine, events []trace.Event, i int, o *source.Op) (earliest, latest int64) {
	earliest, latest = g.Between(int64(i))
	end := int64(math.MaxInt64)
	if g.End != 0 {
		end = g.End
	}
	if f.code.AtEnd(o) {
		if i+1 < len(events) {
			_, end = g.Between(int64(i + 1))
		}
		return earliest, end
	}
	waits, calls, later := f.aroundOp(o)
	switch {
	case waits && !calls && !later:
		earliest, latest = afterWaits(g, int64(i), end)
	case waits || calls:
		latest = f.untilNext(g, events, i, end)
	}
	return earliest, latest
}

// aroundOp reports whether its block waits, or calls functions of the user's, before
// an operation, and whether it waits later.
func (f *finder) aroundOp(o *source.Op) (waits, calls, later bool) {
	for _, x := range f.code.Block(o.Block, source.Wait, source.Call) {
		before := x.Node.End() <= o.Node.Pos()
		switch {
		case x.Node == o.Node || f.code.AtEnd(x):
		case x.Kind == source.Call:
			calls = calls || before && f.code.Callee(x) >= 0
		case before:
			waits = true
		default:
			later = true
		}
	}
	return waits, calls, later
}

// afterWaits bounds what is done after the waits that follow event i. If the last of
// them did not end it was not done.
func afterWaits(g *trace.Goroutine, i, end int64) (earliest, latest int64) {
	earliest, latest = g.Between(i)
	if latest > end || latest == math.MaxInt64 {
		latest = end
	}
	for n, s := range g.Stamps {
		if s.Pos != i+1 {
			continue
		}
		if earliest, latest = s.Time, end; !s.GoesOn {
			earliest = math.MaxInt64
		}
		if s.GoesOn && n+1 < len(g.Stamps) {
			latest = g.Stamps[n+1].Time
		}
	}
	return earliest, latest
}

// untilNext returns by when the next event of the same function was written.
func (f *finder) untilNext(g *trace.Goroutine, events []trace.Event, i int, end int64) int64 {
	fn := f.funcAt(events, i)
	for k := i + 1; k < len(events); k++ {
		if f.funcAt(events, k) == fn {
			_, latest := g.Between(int64(k))
			return latest
		}
	}
	return end
}

// funcAt returns the function of an event, -1 if it is no block.
func (f *finder) funcAt(events []trace.Event, i int) int {
	if b, ok := events[i].Block(); ok && f.Sites.Has(b) {
		return f.Sites.Blocks[b].Func
	}
	return -1
}

// caller returns where a function was called from that was entered with an event: what
// came before, if that has a call of it.
func (f *finder) caller(events []trace.Event, entry int) trace.Frame {
	if entry == 0 {
		return trace.Frame{}
	}
	last, _ := events[entry-1].Block()
	for _, o := range f.code.Block(last, source.Call) {
		if f.code.Callee(o) == f.funcAt(events, entry) {
			return f.frame(o)
		}
	}
	return trace.Frame{}
}

// An order is what is known of two visits.
type order int

const (
	unknown order = iota
	before
	after
)

// orderOf says whether v was done before w.
func (f *finder) orderOf(v, w visit) order {
	if v.g == w.g {
		switch late := f.code.AtEnd(w.op); {
		case f.code.AtEnd(v.op) && !late && w.i <= v.i:
			return after
		case f.code.AtEnd(v.op), late && v.i > w.i:
			return unknown // functions have no event for their end
		case late:
			return before
		case v.i < w.i || v.i == w.i && v.op.Node.Pos() < w.op.Node.Pos():
			return before
		}
		return after
	}
	switch {
	case v.earliest == math.MaxInt64:
		return after
	case v.latest <= w.earliest:
		return before
	case w.latest <= v.earliest:
		return after
	}
	return unknown
}
