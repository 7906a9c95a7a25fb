package hang

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A call is a function on a goroutine's call path, with the locks that it took
// and did not release.
type call struct {
	fn      int
	block   int // its last one
	entered int // functions that were entered from that block
	locks   []heldLock
}

// A heldLock is a lock that was taken, and by which operation.
type heldLock struct {
	finding.HeldLock
	op *lockOp
}

// locksOf returns the locks that a goroutine holds on its call path, as the source
// of the blocks that it ran has them. The one that it waits for is none of them.
func (f *finder) locksOf(s *state) []heldLock {
	events, ok := eventsOf(s.g)
	if !ok || s.pos > int64(len(events)) {
		return nil
	}
	path, _ := f.walk(events[:s.pos], lockWait(s.reason))
	path = f.blocking(path, s.reason)
	var all []heldLock
	for _, c := range path {
		all = append(all, c.locks...)
	}
	if s.reason == condWait && len(all) > 0 {
		return all[:len(all)-1] // Wait has released the lock that it needs
	}
	return all
}

const condWait = "sync.Cond.Wait"

// lockWait reports whether a goroutine waits for a lock.
func lockWait(reason string) bool { return strings.Contains(reason, "Mutex") }

// walk follows a goroutine through its calls. It returns the call path in the
// end, and the locks of functions that came back without having released them.
func (f *finder) walk(events []trace.Event, waits bool) (path callPath, leaked []heldLock) {
	for i, e := range events {
		b, ok := e.Block()
		if !ok || !f.Sites.Has(b) {
			continue
		}
		fn := f.Sites.Blocks[b].Func
		if f.Sites.Blocks[b].Kind == trace.BlockEntry {
			var back []call
			path, back = f.came(path, func(call) bool { return false })
			for _, c := range back {
				leaked = append(leaked, f.undone(c)...)
			}
			if len(path) > 0 {
				path[len(path)-1].entered++
			}
			path = append(path, call{fn: fn})
		}
		for len(path) > 1 && path[len(path)-1].fn != fn && slices.ContainsFunc(path, func(c call) bool {
			return c.fn == fn
		}) {
			leaked = append(leaked, f.undone(path[len(path)-1])...)
			path = path[:len(path)-1]
		}
		if len(path) == 0 || path[len(path)-1].fn != fn {
			path = append(path, call{fn: fn})
		}
		c := &path[len(path)-1]
		c.block, c.entered = b, 0
		f.locks(c, b, waits && i == len(events)-1)
	}
	return path, leaked
}

// locks does the locking of a block. If the goroutine waits for the last lock in
// it, that one is not held.
func (f *finder) locks(c *call, block int, waits bool) {
	ops := f.code.lockOps(block)
	if waits && len(ops) > 0 && ops[len(ops)-1].lock {
		ops = ops[:len(ops)-1]
	}
	for i := range ops {
		op := &ops[i]
		if op.lock {
			c.locks = append(c.locks, heldLock{finding.HeldLock{Lock: op.name,
				At: f.code.frame(block, f.code.Line(op.Node))}, op})
			continue
		}
		if i := slices.IndexFunc(c.locks, func(h heldLock) bool { return h.op.sameName(op) }); i >= 0 {
			c.locks = slices.Delete(c.locks, i, i+1)
		}
	}
}

// undone returns the locks of a function that has come back and neither released
// them nor has a deferred call that would. A function that has no Unlock of it at
// all hands the lock on to its caller.
func (f *finder) undone(c call) []heldLock {
	var out []heldLock
	for _, h := range c.locks {
		if deferred, other := f.code.unlocks(c.fn, h.op); other && !deferred {
			out = append(out, h)
		}
	}
	return out
}

// relate finds the goroutines that hold locks that others wait for.
func (f *finder) relate() {
	waits := f.out.Waits
	for i := range waits {
		w := &waits[i]
		if on := f.known[i].on; !w.Benign && lockWait(w.Reason) && len(on.ops) == 1 {
			f.holders(i, on)
		}
	}
	if len(f.out.LockOrder) < 2 {
		f.out.LockOrder = nil
	}
}

// holders finds the goroutines that hold the lock that the i-th wait is for.
func (f *finder) holders(i int, on operand) {
	w := &f.out.Waits[i]
	for j, other := range f.out.Waits {
		if !other.Benign && slices.ContainsFunc(f.known[j].holds, func(h heldLock) bool {
			return f.mayBe(h, on, i == j)
		}) {
			w.Holders = append(w.Holders, j)
		}
	}
	if len(w.Holders) == 0 {
		w.Leaked = f.leaks(on.ops[0])
	}
	if len(w.Holds) > 0 && f.failingLike(w) {
		f.out.LockOrder = append(f.out.LockOrder, i)
	}
}

// mayBe reports whether a lock that is held may be the one that is waited for.
// A goroutine that would wait for itself must have named it alike.
func (f *finder) mayBe(h heldLock, on operand, self bool) bool {
	if self {
		return h.Lock == on.text
	}
	return f.code.same(h.op, on.ops[0])
}

// failingLike reports whether the wait is typical of the failing runs.
func (f *finder) failingLike(w *finding.Wait) bool { return 2*w.Failing >= len(f.failing) }

// leaks returns the locks that may be the one waited for, and that goroutines of the
// run shown took and never released.
func (f *finder) leaks(wanted *source.Op) []finding.HeldLock {
	var out []finding.HeldLock
	for _, g := range f.shown.Trace.Goroutines {
		events, ok := eventsOf(g)
		if !ok || !f.ours(g) {
			continue
		}
		path, leaked := f.walk(events, false)
		if g.End != 0 {
			for _, c := range path {
				leaked = append(leaked, f.undone(c)...)
			}
		}
		for _, h := range leaked {
			if f.code.same(h.op, wanted) && !slices.Contains(out, h.HeldLock) {
				out = append(out, h.HeldLock)
			}
		}
	}
	return out
}

// lastName returns the last name of an operand or function: "mu" of "from.mu".
func lastName(operand string) string {
	return operand[strings.LastIndexByte(operand, '.')+1:]
}
