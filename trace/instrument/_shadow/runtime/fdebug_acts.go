package runtime

import "unsafe"

// Records of what perturbations did.

const (
	fdebugActShare = 16 // share of the budget that acts may take: one part in 16
)

// A fdebugActRecord is the address of the payload of a record, or 0 if there was no room.
type fdebugActRecord uintptr

// record records an act on d, which is about to write an event.
func (d *fdebugG) record(kind, index uint32, at uint64, event uint32) fdebugActRecord {
	f := &fdebugFile
	if f.acted > f.budget/fdebugActShare {
		return 0
	}
	f.acted += 64 // a rough count is enough: no lock
	fdebugLock()
	p := fdebugReserve(fdebugRawAct, 24, d.serial, index, at)
	if p != 0 {
		p += fdebugRecHeaderSize
		*(*uint32)(unsafe.Pointer(p)) = kind
		*(*uint32)(unsafe.Pointer(p + 4)) = event
		*(*int64)(unsafe.Pointer(p + 8)) = f.now
		*(*int64)(unsafe.Pointer(p + 16)) = 0
		fdebugCommit()
	}
	fdebugUnlock()
	return fdebugActRecord(p)
}

// over completes the record when the act has ended.
func (r fdebugActRecord) over(start int64) {
	if r != 0 {
		*(*int64)(unsafe.Pointer(uintptr(r) + 16)) = max(fdebugTime()-start, 1)
	}
}

// met records that the awaited position of an order was passed.
func (r fdebugActRecord) met() {
	if r != 0 {
		*(*uint32)(unsafe.Pointer(r)) |= fdebugActMet
	}
}
