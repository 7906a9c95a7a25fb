package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Stops: if a perturbation acts on a goroutine at its n-th event, the end of its chunk is set
// there, so that the probe finds no room and calls FdebugMore. All other events are as fast as
// without a plan, and the trace is the same.

const (
	fdebugWindow = 1 << 16 // events within which a block is looked for
	fdebugNever  = 1<<64 - 1
	fdebugAtEnd  = 1<<32 - 1 // stands for the block at a goroutine's end
)

// fdebugPerturbed is the part of the plan that concerns one goroutine.
type fdebugPerturbed struct {
	ids, classes fdebugCursor
	armed        bool // whether the fields above are set
	busy         bool // whether it is in perturb
}

// A fdebugCursor goes through the positions of one goroutine or class, in the order of their
// events.
type fdebugCursor struct {
	next, end uint32 // in the plan
	done      uint64 // bit i: the one at next+i is done
}

// arm looks up the positions for d.
func (d *fdebugG) arm() {
	p := &d.perturbed
	p.armed = true
	p.ids = fdebugFind(d.id << 1)
	p.classes = fdebugFind(d.class<<1 | 1)
}

func fdebugPositionAt(i uint32) *fdebugPosition {
	return (*fdebugPosition)(unsafe.Pointer(fdebugPlan.positions + uintptr(i)*fdebugPlanPosition))
}

// fdebugFind returns the positions of a goroutine or class.
func fdebugFind(who uint64) fdebugCursor {
	lo, hi := uint32(0), fdebugPlan.numPos
	for lo < hi {
		if mid := (lo + hi) / 2; fdebugPositionAt(mid).who < who {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	c := fdebugCursor{next: lo, end: lo}
	for c.end < fdebugPlan.numPos && fdebugPositionAt(c.end).who == who {
		c.end++
	}
	return c
}

// perturb carries out the plan before d writes an event, and sets the end of its chunk to the
// next stop. There must be room for the event.
func (d *fdebugG) perturb(gp *g, event uint32) {
	p := &d.perturbed
	if p.busy { // the collector has called user code while d allocates
		return
	}
	p.busy = true
	if !p.armed {
		d.arm()
	}
	at := d.written()
	// Release those that wait for this position first, even if d is one of them.
	d.visit(gp, &p.ids, at, event, fdebugActUntil)
	d.visit(gp, &p.classes, at, event, fdebugActUntil)
	d.visit(gp, &p.ids, at, event, 0)
	d.visit(gp, &p.classes, at, event, 0)
	next := min(p.ids.stop(at), p.classes.stop(at))
	d.end = d.limit
	if n := uint64(d.limit-d.pos) / 4; next-at < n {
		d.end = d.pos + uintptr(next-at)*4
	}
	p.busy = false
}

// visit acts at the positions that c has reached: if until is set, those that others wait for,
// else the other ones.
func (d *fdebugG) visit(gp *g, c *fdebugCursor, at uint64, event, until uint32) {
	for n := c.next; ; n++ {
		c.pass()
		n = max(n, c.next)
		if n == c.end || n-c.next == 64 {
			return
		}
		r := fdebugPositionAt(n)
		if r.event > at {
			return
		}
		i := n - c.next
		if c.done>>i&1 != 0 || r.kind&fdebugActUntil != until {
			continue
		}
		switch {
		case r.block == event && (r.hit == 0 || d.hits(r) == r.hit):
			c.done |= 1 << i
			d.act(gp, r, at, event)
		case r.hit == 0 && at-r.event >= fdebugWindow:
			c.done |= 1 << i
			d.missed(r, at, event)
		}
	}
}

// pass goes past the positions that are done, which makes room for others.
func (c *fdebugCursor) pass() {
	for c.done&1 != 0 {
		c.done >>= 1
		c.next++
	}
}

// stop returns the number of the first event after at that c must see.
func (c *fdebugCursor) stop(at uint64) uint64 {
	for i := uint32(0); i < 64 && c.next+i < c.end; i++ {
		if c.done>>i&1 == 0 {
			return max(fdebugPositionAt(c.next+i).event, at+1)
		}
	}
	return fdebugNever
}

// hits counts how often d has come to the block of r.
func (d *fdebugG) hits(r *fdebugPosition) uint32 {
	return fdebugCounter(fdebugMix(fdebugMix(d.id, uint64(uintptr(unsafe.Pointer(r)))), 0x417)) + 1
}

// act carries out r.
func (d *fdebugG) act(gp *g, r *fdebugPosition, at uint64, event uint32) {
	if r.kind == fdebugActOrder|fdebugActUntil {
		fdebugPass(r.index)
		return
	}
	if r.first != 0 && !atomic.Cas(&r.taken, 0, 1) {
		return // another goroutine of its class was first
	}
	if !fdebugMayHold(gp) {
		d.missed(r, at, event)
		return
	}
	rec := d.record(r.kind|fdebugActApplied, r.index, at, event)
	start := fdebugTime()
	switch {
	case r.kind == fdebugActGC:
		GC()
		GC()
	case r.kind == fdebugActOrder:
		fdebugHoldG(gp, r.dose, int32(r.until), rec)
	case r.dose == 0:
		goyield()
	default:
		fdebugHoldClock(1)
		fdebugHoldG(gp, r.dose, fdebugNoOrder, 0)
		fdebugHoldClock(-1)
	}
	rec.over(start)
}

func (d *fdebugG) missed(r *fdebugPosition, at uint64, event uint32) {
	if r.kind&fdebugActUntil == 0 {
		d.record(r.kind, r.index, at, event)
	}
}

// missedAll records the positions that d did not reach before it ended, and releases those that
// wait for its end.
func (d *fdebugG) missedAll() {
	for _, c := range [...]fdebugCursor{d.perturbed.ids, d.perturbed.classes} {
		for ; c.next < c.end; c.next, c.done = c.next+1, c.done>>1 {
			if c.done&1 != 0 {
				continue
			}
			if r := fdebugPositionAt(c.next); r.block == fdebugAtEnd && r.kind&fdebugActUntil != 0 {
				fdebugPass(r.index)
			} else {
				d.missed(r, d.written(), 0)
			}
		}
	}
}
