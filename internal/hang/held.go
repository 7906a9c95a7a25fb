package hang

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A heldLock is a lock that was taken, and by which operation.
type heldLock struct {
	finding.HeldLock
	op *lockOp
}

const condWait = "sync.Cond.Wait"

// lockWait reports whether a goroutine waits for a lock.
func lockWait(reason string) bool { return strings.Contains(reason, "Mutex") }

// locksOf returns the locks that the function in which a goroutine waits has taken since it was entered, and not
// released, by the source of its blocks. What is deferred comes later. The lock that it waits for is none of them.
func (f *finder) locksOf(s *state) (held []heldLock) {
	events, ok := eventsOf(s.g)
	if !ok || s.pos > int64(len(events)) {
		return nil
	}
	events = events[:s.pos]
	in := f.waitBlock(s, events)
	if !f.Sites.Has(in) {
		return nil
	}
	for _, e := range events {
		b, ok := e.Block()
		if !ok || !f.Sites.Has(b) || f.Sites.Blocks[b].Func != f.Sites.Blocks[in].Func {
			continue
		}
		if f.Sites.Blocks[b].Kind == trace.BlockEntry {
			held = nil
		}
		held = f.locked(held, b)
	}
	ops := f.code.lockOps(in)
	if n := len(held); n > 0 && (s.reason == condWait || lockWait(s.reason) && len(ops) > 0 && ops[len(ops)-1].lock) {
		return held[:n-1] // Cond.Wait has released the lock that it needs
	}
	return held
}

// waitBlock returns the block whose statement a goroutine waits in, the last of its events with the line of the dump:
// of a select whose cases call functions, not the last of these.
func (f *finder) waitBlock(s *state, events []trace.Event) int {
	d := f.shown.dumped(s.g)
	if d == nil {
		return s.block
	}
	at, rel, _ := f.inUserCode(d.Frames)
	for _, e := range slices.Backward(events) {
		b, _ := e.Block()
		if span, ok := f.Sites.Pos(b); ok && span.File == rel && span.Start <= at.Line && at.Line <= span.End {
			return b
		}
	}
	return 0
}

// locked returns the locks that are held after a block.
func (f *finder) locked(held []heldLock, block int) []heldLock {
	ops := f.code.lockOps(block)
	for i := range ops {
		op := &ops[i]
		if op.lock {
			at := f.code.frame(block, f.code.Line(op.Node))
			held = append(held, heldLock{finding.HeldLock{Lock: op.name, At: at}, op})
		} else if k := slices.IndexFunc(held, func(h heldLock) bool { return h.op.sameName(op) }); k >= 0 {
			held = slices.Delete(held, k, k+1)
		}
	}
	return held
}

// lockOrder finds the goroutines that wait for each other's locks.
func (f *finder) lockOrder() {
	for i := range f.known {
		next, seen := f.holders(i), make(map[int]bool)
		for len(next) > 0 && !seen[i] {
			j := next[0]
			if next = next[1:]; !seen[j] {
				seen[j] = true
				next = append(next, f.holders(j)...)
			}
		}
		if seen[i] {
			f.out.LockOrder = append(f.out.LockOrder, i)
		}
	}
}

// holders returns the other goroutines that may hold the lock which the i-th wait is for, as in most failing runs.
func (f *finder) holders(i int) (list []int) {
	w, on := &f.out.Waits[i], f.known[i].on.op
	if w.Benign || !lockWait(w.Reason) || on == nil || 2*w.Failing < len(f.failing) {
		return nil
	}
	for j, k := range f.known {
		if j != i && slices.ContainsFunc(k.holds, func(h heldLock) bool { return f.code.same(h.op, on) }) {
			list = append(list, j)
		}
	}
	return list
}

// lastName returns the last name of an operand or function: "mu" of "from.mu".
func lastName(operand string) string {
	return operand[strings.LastIndexByte(operand, '.')+1:]
}
