package runtime

import "unsafe"

// Stamps tie a goroutine's stream to the clock: each says how many events had been written at
// what time. A goroutine writes one when it waits, when it goes on, and at failed checks. It does
// not wait between two stamps, so they bound the time of each event closely, at no cost to
// goroutines that compute. They have records of their own, so that equal paths have equal bytes.

//fdebug:lost it is not known when goroutines waited, so that their order is known only roughly
//fdebug:patch runtime/proc.go func park_m(gp *g) {{+ fdebugParkG(gp);+}
//fdebug:patch runtime/proc.go func execute(gp *g, inheritTime bool) {{+ fdebugRunG(gp);+}

const (
	fdebugFirstStamps = 9 // 248 bytes with the header
	fdebugFullStamps  = 254

	fdebugStampSize   = 24
	fdebugStampShare  = 16 // share of the budget that stamps may take: one part in 16
	fdebugStampGoesOn = 1
)

// fdebugParkG is called when gp has begun to wait. It runs on g0.
func fdebugParkG(gp *g) {
	d := &gp.fdebug
	d.wait.times++
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

// stamp records how many events d has written, the time, and why it waits or who woke it.
func (d *fdebugG) stamp(kind, what uint64) {
	if d.stamps == d.stampsEnd && !d.moreStamps() {
		if d.stampsEnd == 0 {
			return
		}
		// The stamps' share of the budget is used up. The newest stamp replaces the last, so that
		// the wait in which a goroutine ends is still known.
		d.stamps -= fdebugStampSize
	}
	*(*uint64)(unsafe.Pointer(d.stamps)) = d.written()<<1 | kind
	*(*int64)(unsafe.Pointer(d.stamps + 8)) = fdebugTime()
	*(*uint64)(unsafe.Pointer(d.stamps + 16)) = what
	d.stamps += fdebugStampSize
}

func (d *fdebugG) moreStamps() bool {
	f := &fdebugFile
	n := uintptr(fdebugFullStamps * fdebugStampSize)
	limit := f.budget / fdebugStampShare
	if d.stamps == 0 {
		n = fdebugFirstStamps * fdebugStampSize
		limit *= 4 // a goroutine that computes should have some too
	}
	if f.stamped+n > limit {
		return false
	}
	p := fdebugRecord(fdebugRawWaits, n, d.serial, 0, 0)
	if p == 0 {
		return false
	}
	f.stamped += n // a rough count is enough: no lock
	d.stamps = p + fdebugRecHeaderSize
	d.stampsEnd = d.stamps + n
	return true
}

// written returns how many events d has written.
func (d *fdebugG) written() uint64 {
	if d.chunk == 0 {
		return 0
	}
	n := uint64(d.exact()-d.chunk-fdebugRecHeaderSize) / 4
	if d.ordinal >= fdebugFullChunkAfter {
		return n + fdebugFirstChunkLen*(1<<fdebugFullChunkAfter-1) + uint64(d.ordinal-fdebugFullChunkAfter)*fdebugFullChunkLen
	}
	return n + fdebugFirstChunkLen*(1<<d.ordinal-1)
}
