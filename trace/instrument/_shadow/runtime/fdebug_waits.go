package runtime

import "unsafe"

// Why a goroutine waits, and who made it go on: the edges between goroutines
// that the runtime itself knows. Whoever makes a goroutine runnable is the only
// one to touch it at that moment, so that plain stores suffice and nothing is
// ordered that was not ordered before.

const (
	fdebugRecReason = 12

	fdebugWakerTimer   = 1 // values of fdebugWait.waker below 1<<fdebugWakerShift
	fdebugWakerUnknown = 2
	fdebugWakerShift   = 40 // of the serial, above the number of events
	fdebugWakerMax     = 1 << (64 - fdebugWakerShift)
)

// fdebugWait is what is known of a goroutine's current wait.
type fdebugWait struct {
	waker  uint64 // who made it go on, as in a stamp; 0: nobody yet, or the network poller
	parked bool   // it waits, and a stamp says since when
	timer  bool   // it was started by a timer
	reason uint8  // the runtime's number for what it waits for
}

// fdebugReasons says of which reasons the name is written. Two threads may
// write the same one.
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
	if p := fdebugReserve(fdebugRecReason, uintptr(8+len(name)), reason, 0, 0); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeader)) = uint32(len(name))
		memmove(unsafe.Pointer(p+fdebugRecHeader+8), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		fdebugCommit()
	}
	unlock(&f.lock)
}

// fdebugReadyG is called when gp is made runnable, by the goroutine that does
// it or by the scheduler.
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

// asWaker returns what a stamp says of d when it makes another go on.
func (d *fdebugG) asWaker() uint64 {
	switch {
	case d.wait.timer && d.chunk == 0:
		return fdebugWakerTimer // context.WithTimeout, say
	case d.chunk == 0 || d.serial >= fdebugWakerMax:
		return fdebugWakerUnknown
	}
	return uint64(d.serial)<<fdebugWakerShift | min(d.written(), 1<<fdebugWakerShift-1)
}
