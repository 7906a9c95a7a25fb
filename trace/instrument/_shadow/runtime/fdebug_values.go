package runtime

import "unsafe"

// Values: what an expression was at a place in the user's code, as a short text. Each goroutine
// has a list of the places at which it recorded any. For each place there is room for the first
// values and for the last ones. They have records of their own, so that equal paths have equal
// bytes.

const (
	fdebugValueHead = 32 // at the start of each record, for the writer only
	fdebugValueSlot = 224
	fdebugValueText = fdebugValueSlot - 28

	// Values kept for one place by one goroutine, in three records: the first few, because most
	// places need no more; more of the first; and the last.
	fdebugValuesFew   = 4
	fdebugValuesFirst = 32
	fdebugValuesLast  = 32

	fdebugValueShare = 8 // share of the budget that values may take: one part in 8
)

// A fdebugValues is the head of a value record. It is in the trace file.
type fdebugValues struct {
	next  uintptr // first record of another place of the goroutine
	more  uintptr // next record of this place
	count uint64  // in the first record: how many values there were
	site  uint64
}

// FdebugValue records a value of the calling goroutine at a site: its text, which is cut if it is
// too long, and a hash of all of it.
func FdebugValue(site uint32, hash uint64, text string) {
	gp := getg()
	d := &gp.fdebug
	if gp.m.curg != gp || d.chunk == 0 || !fdebugTracing() {
		return
	}
	p, nth := d.valueSlot(site)
	if p == 0 {
		return
	}
	n := min(len(text), fdebugValueText)
	*(*uint64)(unsafe.Pointer(p)) = 0 // in the ring: invalid while it changes
	*(*uint64)(unsafe.Pointer(p + 8)) = hash
	*(*uint32)(unsafe.Pointer(p + 16)) = uint32(nth)
	*(*uint32)(unsafe.Pointer(p + 20)) = d.values.seq
	*(*uint32)(unsafe.Pointer(p + 24)) = uint32(n)
	memmove(unsafe.Pointer(p+28), unsafe.Pointer(unsafe.StringData(text)), uintptr(n))
	*(*uint64)(unsafe.Pointer(p)) = d.written() + 1
	d.values.seq++
}

// fdebugValueList is a goroutine's list of value records.
type fdebugValueList struct {
	head uintptr
	seq  uint32 // number of values recorded
}

// valueSlot returns where the next value of a site goes, or 0 if there is no room, and how many
// there were before.
func (d *fdebugG) valueSlot(site uint32) (p uintptr, nth uint64) {
	first := d.values.head
	for first != 0 && (*fdebugValues)(unsafe.Pointer(first)).site != uint64(site) {
		first = (*fdebugValues)(unsafe.Pointer(first)).next
	}
	if first == 0 {
		if first = d.moreValues(site, 0, fdebugValuesFew); first == 0 {
			return 0, 0
		}
		(*fdebugValues)(unsafe.Pointer(first)).next = d.values.head
		d.values.head = first
	}
	h := (*fdebugValues)(unsafe.Pointer(first))
	nth = h.count
	h.count++
	switch {
	case nth < fdebugValuesFew:
		return first + fdebugValueHead + uintptr(nth)*fdebugValueSlot, nth
	case nth < fdebugValuesFirst:
		return d.slotAfter(h, nth-fdebugValuesFew, fdebugValuesFew, fdebugValuesFirst-fdebugValuesFew), nth
	}
	if h.more == 0 {
		return 0, nth // there was no room for the previous ones
	}
	h = (*fdebugValues)(unsafe.Pointer(h.more))
	return d.slotAfter(h, (nth-fdebugValuesFirst)%fdebugValuesLast, fdebugValuesFirst, fdebugValuesLast), nth
}

// slotAfter returns slot i of the record after h, which has room for n values from the given one
// on.
func (d *fdebugG) slotAfter(h *fdebugValues, i uint64, from uint32, n uintptr) uintptr {
	if h.more == 0 {
		h.more = d.moreValues(uint32(h.site), from, n)
	}
	if h.more == 0 {
		return 0
	}
	return h.more + fdebugValueHead + uintptr(i)*fdebugValueSlot
}

// moreValues makes a record for n values of a site, and returns the address of
// its head.
func (d *fdebugG) moreValues(site, from uint32, n uintptr) uintptr {
	f := &fdebugFile
	size := fdebugValueHead + n*fdebugValueSlot
	if f.valued+size > f.budget/fdebugValueShare {
		return 0
	}
	p := fdebugRecord(fdebugRawValues, size, d.serial, from, uint64(site))
	if p == 0 {
		return 0
	}
	f.valued += size // a rough count is enough: no lock
	p += fdebugRecHeaderSize
	(*fdebugValues)(unsafe.Pointer(p)).site = uint64(site)
	return p
}
