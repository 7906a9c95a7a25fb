package runtime

import "unsafe"

// Stamps tie a goroutine's stream to the clock: each says how many events had
// been written at what time. They are made where a goroutine waits and where it
// goes on, and at failed checks. What lies between two stamps ran without
// waiting, so that they bound the time of each event closely, at no cost to
// goroutines that compute. They lie in records of their own: equal paths have
// equal bytes.

const (
	fdebugRecStamps   = 9
	fdebugFirstStamps = 14 // 256 bytes with the header
	fdebugFullStamps  = 254

	fdebugStampSize   = 16
	fdebugStampShare  = 16 // of the budget, stamps may take this part
	fdebugStampGoesOn = 1
)

// fdebugParkG is called when gp has begun to wait. It runs on g0.
func fdebugParkG(gp *g) {
	d := &gp.fdebug
	if d.chunk != 0 {
		d.parked = true
		d.stamp(0)
	}
}

// fdebugRunG is called when gp is about to run. It runs on g0.
func fdebugRunG(gp *g) {
	d := &gp.fdebug
	if d.parked {
		d.parked = false
		d.stamp(fdebugStampGoesOn)
	}
}

// stamp records how many events d has written, and the time.
func (d *fdebugG) stamp(kind uint64) {
	if d.stamps == d.stampsEnd && !d.moreStamps() {
		return
	}
	*(*uint64)(unsafe.Pointer(d.stamps)) = d.written()<<1 | kind
	*(*int64)(unsafe.Pointer(d.stamps + 8)) = nanotime()
	d.stamps += fdebugStampSize
}

func (d *fdebugG) moreStamps() bool {
	f := &fdebugFile
	n := uintptr(fdebugFullStamps * fdebugStampSize)
	if d.stamps == 0 {
		n = fdebugFirstStamps * fdebugStampSize
	}
	if f.stamped+n > f.budget/fdebugStampShare {
		return false
	}
	p := fdebugRecord(fdebugRecStamps, n, d.serial, 0, 0)
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
	n := uint64(d.pos-d.chunk-fdebugRecHeader) / 4
	if d.ordinal >= fdebugFullAfter {
		return n + fdebugFirstChunk*(1<<fdebugFullAfter-1) + uint64(d.ordinal-fdebugFullAfter)*fdebugFullChunk
	}
	return n + fdebugFirstChunk*(1<<d.ordinal-1)
}
