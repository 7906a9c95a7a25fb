package runtime

import "unsafe"

// Why a goroutine waits, and who woke it: the edges between goroutines that the runtime itself
// knows. Only the goroutine that makes another one runnable touches it at that moment, so plain
// stores suffice, and no new order is created.

//fdebug:lost it is not known what goroutines waited for, or who made them go on
//fdebug:patch runtime/proc.go func gopark( ... gp.waitreason = reason{+;
//	fdebugReasonG(gp, uint8(reason), reason.String())+}
//fdebug:patch runtime/proc.go func ready(gp *g, traceskip int, next bool) {{+ fdebugReadyG(gp);+}

const (
	fdebugWakerTimer   = 1 // values of fdebugWait.waker below 1<<fdebugWakerShift
	fdebugWakerUnknown = 2
	fdebugWakerShift   = 40 // of the serial, above the number of events
	fdebugWakerMax     = 1 << (64 - fdebugWakerShift)
)

// fdebugWait describes a goroutine's current wait.
type fdebugWait struct {
	waker  uint64 // who woke it, as in a stamp; 0: nobody yet, or the network poller
	parked bool   // whether it waits, and a stamp says since when
	timer  bool   // whether a timer started it
	reason uint8  // the runtime's number for what it waits for
	times  uint64 // how often it has waited
}

// fdebugReasons says which names of reasons are written. Two threads may write the same one.
var fdebugReasons [256]bool

// fdebugReasonG is called in gopark when gp is about to wait.
func fdebugReasonG(gp *g, reason uint8, name string) {
	gp.fdebug.wait.reason = reason
	if !fdebugReasons[reason] && gp.fdebug.chunk != 0 {
		fdebugReasons[reason] = true
		fdebugWriteReason(uint32(reason), name)
	}
}

func fdebugWriteReason(reason uint32, name string) {
	f := &fdebugFile
	name = fdebugCut(name)
	lock(&f.lock)
	if p := fdebugReserve(fdebugRawReason, uintptr(8+len(name)), reason, 0, 0); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeaderSize)) = uint32(len(name))
		memmove(unsafe.Pointer(p+fdebugRecHeaderSize+8), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		fdebugCommit()
	}
	unlock(&f.lock)
}

// fdebugReadyG is called when gp is made runnable, by the goroutine that does so or by the
// scheduler.
func fdebugReadyG(gp *g) {
	if !gp.fdebug.wait.parked {
		return
	}
	w := getg().m.curg
	if w == nil {
		gp.fdebug.wait.waker = fdebugWakerTimer
		return
	}
	gp.fdebug.wait.waker = w.fdebug.asWaker()
}

// asWaker returns the waker that the stamp of a goroutine names after d has woken it.
func (d *fdebugG) asWaker() uint64 {
	switch {
	case d.wait.timer && d.chunk == 0:
		return fdebugWakerTimer // for example for context.WithTimeout
	case d.chunk == 0 || d.serial >= fdebugWakerMax:
		return fdebugWakerUnknown
	}
	return uint64(d.serial)<<fdebugWakerShift | min(d.written(), 1<<fdebugWakerShift-1)
}
