package runtime

import "unsafe"

// Stamps tie a goroutine's stream to the clock: each says how many events had
// been written at what time. They are made where a goroutine waits and where it
// goes on, and at failed checks. What lies between two stamps ran without
// waiting, so that they bound the time of each event closely, at no cost to
// goroutines that compute. They lie in records of their own: equal paths have
// equal bytes.

const (
	fdebugRecWaits    = 11
	fdebugFirstStamps = 9 // 248 bytes with the header
	fdebugFullStamps  = 254

	fdebugStampSize   = 24
	fdebugStampShare  = 16 // of the budget, stamps may take this part
	fdebugStampGoesOn = 1
)

// fdebugParkG is called when gp has begun to wait. It runs on g0.
func fdebugParkG(gp *g) {
	fdebugStopsG()
	d := &gp.fdebug
	if d.chunk != 0 {
		d.wait.parked, d.wait.waker = true, 0
		d.stamp(0, uint64(d.wait.reason))
	}
}

// fdebugRunG is called when gp is about to run. It runs on g0.
func fdebugRunG(gp *g) {
	d := &gp.fdebug
	if d.wait.parked {
		d.wait.parked = false
		d.stamp(fdebugStampGoesOn, d.wait.waker)
	}
}

// stamp records how many events d has written, the time, and why it waits or
// who made it go on.
func (d *fdebugG) stamp(kind, what uint64) {
	if d.stamps == d.stampsEnd && !d.moreStamps() {
		if d.stampsEnd == 0 {
			return
		}
		// The share of stamps is used up. The newest one takes the place of
		// the last: what a goroutine waits for in the end is known still.
		d.stamps -= fdebugStampSize
	}
	*(*uint64)(unsafe.Pointer(d.stamps)) = d.written()<<1 | kind
	*(*int64)(unsafe.Pointer(d.stamps + 8)) = nanotime()
	*(*uint64)(unsafe.Pointer(d.stamps + 16)) = what
	d.stamps += fdebugStampSize
}

func (d *fdebugG) moreStamps() bool {
	f := &fdebugFile
	n := uintptr(fdebugFullStamps * fdebugStampSize)
	limit := f.budget / fdebugStampShare
	if d.stamps == 0 {
		n = fdebugFirstStamps * fdebugStampSize
		limit *= 4 // a goroutine that computes should not be without any
	}
	if f.stamped+n > limit {
		return false
	}
	p := fdebugRecord(fdebugRecWaits, n, d.serial, 0, 0)
	if p == 0 {
		return false
	}
	f.stamped += n // a guess is enough: no lock
	d.stamps = p + fdebugRecHeader
	d.stampsEnd = d.stamps + n
	return true
}

// written returns how many events d has written.
func (d *fdebugG) written() uint64 {
	if d.chunk == 0 {
		return 0
	}
	n := uint64(d.exact()-d.chunk-fdebugRecHeader) / 4
	if d.ordinal >= fdebugFullAfter {
		return n + fdebugFirstChunk*(1<<fdebugFullAfter-1) + uint64(d.ordinal-fdebugFullAfter)*fdebugFullChunk
	}
	return n + fdebugFirstChunk*(1<<d.ordinal-1)
}
