package maps

import (
	"internal/abi"
	_ "unsafe"
)

// fdebugKeys gives a range the order that a plan wants. It is in package runtime.
//
//go:linkname fdebugKeys
//go:noescape
func fdebugKeys(it *Iter)

// fdebugMark is in the offset into the directory of a map that has none, before eight slots in an order of fdebug.
const fdebugMark = 0xfdeb000009

// FdebugStart has a range that has not begun start elsewhere, by two random numbers. The slots of a small map come in
// any order: those of Go always come in that of its memory, from one of them on, so the first of two keys would follow
// from the key that comes first of all.
func (it *Iter) FdebugStart(entry, dir uint64) {
	it.entryOffset, it.dirOffset = entry, dir
	if it.dirIdx >= 0 {
		return
	}
	order, left := uint64(0), uint64(0o76543210)
	for n := uint64(8); n > 0; n-- {
		at := 3 * (dir % n)
		dir /= n
		order = order<<3 | left>>at&7
		left = left>>(at+3)<<at | left&(1<<at-1)
	}
	it.dirOffset = fdebugMark<<24 | order
}

// fdebugSlot returns the slot of a small map that comes in place of another one.
func (it *Iter) fdebugSlot(k uintptr) uintptr {
	if it.dirOffset>>24 != fdebugMark {
		return k
	}
	return uintptr(it.dirOffset >> (3 * k) & 7)
}

// FdebugKey returns the type of the keys.
func (it *Iter) FdebugKey() *abi.Type { return it.typ.Key }
