package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Holding a goroutine: with its own timer and wait reason, so that it does not mix with the
// program's own Sleep. In a bubble of testing/synctest fake time stands still meanwhile, as it
// does for a slow goroutine.

//fdebug:lost goroutines that a perturbation holds look as if they slept
//fdebug:patch runtime/runtime2.go var waitReasonStrings = [...]string{{+ 254: fdebugHeldReason,+}

const (
	fdebugHoldFresh  = iota
	fdebugHoldParked // and its timer runs
	fdebugHoldOver   // the time was up
	fdebugHoldMet    // the awaited position was passed
)

// fdebugHeld is the reason of the wait. Without the patch that names it, the reason is that of
// Sleep.
const fdebugHeld = waitReasonSleep + (254-waitReasonSleep)*(waitReason(len(waitReasonStrings)/255))

// A fdebugHold is one wait.
type fdebugHold struct {
	timer timer
	gp    *g
	when  int64
	state atomic.Uint32
	order int32           // the order whose other position it waits for, or fdebugNoOrder
	rec   fdebugActRecord // of the order
	next  *fdebugHold
}

const (
	fdebugMaxOrders = 1024
	fdebugNoOrder   = -1
	fdebugAnyOrder  = -2
)

// fdebugOrders has the goroutines that are held.
var fdebugOrders struct {
	lock   mutex
	holds  *fdebugHold
	free   *fdebugHold
	passed [fdebugMaxOrders]atomic.Uint32 // whether the awaited position of the order was passed
}

// fdebugMayHold reports whether gp, which is running, may wait.
func fdebugMayHold(gp *g) bool {
	mp := gp.m
	return mp.curg == gp && mp.throwing == 0 && canPreemptM(mp)
}

// fdebugNewHold returns an unused hold. It is not on the heap: a test that counts allocations
// must find as many as on a slow machine.
func fdebugNewHold() *fdebugHold {
	o := &fdebugOrders
	lock(&o.lock)
	h := o.free
	if h != nil {
		o.free = h.next
	}
	unlock(&o.lock)
	if h == nil {
		h = (*fdebugHold)(persistentalloc(unsafe.Sizeof(*h), 0, &memstats.other_sys))
		h.timer.init(fdebugHoldEnd, h)
	}
	h.next = nil
	h.state.Store(fdebugHoldFresh)
	return h
}

// recycle keeps a hold for reuse. Its timer must have fired, or been stopped before.
func (h *fdebugHold) recycle() {
	o := &fdebugOrders
	lock(&o.lock)
	h.next = o.free
	o.free = h
	unlock(&o.lock)
}

// fdebugHoldG holds gp, the calling goroutine, for ns nanoseconds, or until the order's other
// position is passed.
func fdebugHoldG(gp *g, ns int64, order int32, rec fdebugActRecord) {
	if order >= fdebugMaxOrders {
		return
	}
	h := fdebugNewHold()
	h.gp, h.order, h.rec = gp, order, rec
	if h.when = nanotime() + ns; h.when < 0 {
		h.when = maxWhen
	}
	h.wait()
	bubble := fdebugLeaveBubble(gp)
	gopark(fdebugHoldBegin, unsafe.Pointer(h), fdebugHeld, traceBlockSleep, 2)
	fdebugEnterBubble(gp, bubble)
	h.forget()
	if h.state.Load() != fdebugHoldMet || h.timer.stop() {
		// otherwise its timer may be about to fire, so it is not reused
		h.recycle()
	}
}

// fdebugHoldBegin is called when the goroutine has begun to wait. It runs on g0.
func fdebugHoldBegin(gp *g, p unsafe.Pointer) bool {
	h := (*fdebugHold)(p)
	if !h.state.CompareAndSwap(fdebugHoldFresh, fdebugHoldParked) {
		return false
	}
	h.timer.reset(h.when, 0)
	return true
}

// fdebugHoldEnd ends a hold whose time is over. The timer calls it.
func fdebugHoldEnd(arg any, _ uintptr, _ int64) {
	h := arg.(*fdebugHold)
	if h.state.CompareAndSwap(fdebugHoldParked, fdebugHoldOver) {
		goready(h.gp, 2)
	}
}

// wait makes h known to goroutines that pass the position it waits for, and to the end of the process.
func (h *fdebugHold) wait() {
	o := &fdebugOrders
	lock(&o.lock)
	h.next = o.holds
	o.holds = h
	if h.order >= 0 && o.passed[h.order].Load() != 0 {
		h.meet(fdebugHoldFresh)
	}
	unlock(&o.lock)
}

// meet ends the wait of h if it is in a state. It notes that the order was met: the code at the awaited position may
// end the process, and then nobody wakes.
func (h *fdebugHold) meet(state uint32) bool {
	if !h.state.CompareAndSwap(state, fdebugHoldMet) {
		return false
	}
	h.rec.met()
	return true
}

func (h *fdebugHold) forget() {
	o := &fdebugOrders
	lock(&o.lock)
	for p := &o.holds; *p != nil; p = &(*p).next {
		if *p == h {
			*p = h.next
			break
		}
	}
	unlock(&o.lock)
}

// fdebugPass is called when a goroutine reaches the position that others wait for in an order.
func fdebugPass(order uint32) {
	o := &fdebugOrders
	if order >= fdebugMaxOrders || !o.passed[order].CompareAndSwap(0, 1) {
		return
	}
	for {
		gp := fdebugNextHeld(int32(order))
		if gp == nil {
			return
		}
		goready(gp, 2)
	}
}

// fdebugNextHeld ends one wait for the order, and returns the goroutine to wake. Any order: it ends
// a wait that nothing has met.
func fdebugNextHeld(order int32) (gp *g) {
	o := &fdebugOrders
	lock(&o.lock)
	for h := o.holds; h != nil && gp == nil; h = h.next {
		switch {
		case order == fdebugAnyOrder:
			if h.state.CompareAndSwap(fdebugHoldParked, fdebugHoldMet) {
				gp = h.gp
			}
		case h.order == order && !h.meet(fdebugHoldFresh) && h.meet(fdebugHoldParked):
			gp = h.gp
		}
	}
	unlock(&o.lock)
	return gp
}

// fdebugLinger lets goroutines of tests that are held or could run go on before the process ends,
// as it does where ending takes long: what they do once their test has passed can fail it. A test
// that has failed keeps its failure.
func fdebugLinger() {
	if !fdebugPlan.acts || fdebugFile.state.Load() != fdebugOn {
		return
	}
	const step, most = 1e6, 100e6 // nanoseconds
	for gp, waited := getg(), 0; waited < most && fdebugMayHold(gp) && fdebugOthersGoOn(gp); waited += step {
		fdebugLetGo()
		fdebugHoldG(gp, step, fdebugNoOrder, 0)
	}
}

// fdebugOthersGoOn reports whether a goroutine of a test besides gp is held, or could run.
func fdebugOthersGoOn(gp *g) (found bool) {
	forEachGRace(func(other *g) {
		if other == gp || other.fdebug.testKey == 0 {
			return
		}
		switch readgstatus(other) &^ _Gscan {
		case _Grunnable, _Grunning:
			found = true
		case _Gwaiting:
			found = found || other.waitreason == fdebugHeld
		}
	})
	return found
}

// fdebugLetGo ends all waits. None of them notes that the position was passed.
func fdebugLetGo() {
	for {
		gp := fdebugNextHeld(fdebugAnyOrder)
		if gp == nil {
			return
		}
		goready(gp, 2)
	}
}
