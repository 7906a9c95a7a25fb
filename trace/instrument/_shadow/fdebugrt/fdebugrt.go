// Package fdebugrt has the functions that instrumented code calls. A probe stands at the start of
// each basic block, in one of four forms:
//
//	if Full() { At(n) } else { Put(n) }      anywhere
//	if p == End() { p = Next(p, n) }; p = PutAt(p, n)
//	                                         in code that calls nothing
//	At(n)                                    where no function here is inlined, or very many would be
//	Leaf(n)                                  in functions that the compiler is to inline
//
// The second form is for bodies and loops in which no other probe of the goroutine can run. It
// needs p := Here() before them, and Keep(p) after them and before each return.
//
// A block m that calls nothing before it branches shares a probe with each of its branches n. It
// writes its own event only if that is needed before it ends, and leaves the position to the
// branches:
//
//	if Full() { MarkAt(m) } else { Mark(m) } m can panic, or wait for memory
//	if Last() { After(n) } else { PutAfter(n) }
//
//	if Full2() { At2(m, n) } else { Put2(m, n) }
//	if p+4 >= End() { p = Next2(p, m, n) } else { p = Put2At(p, m, n) }
//	                                         m cannot, and has no probe of its own
//
// If a panic or a stamp comes in between, the position is too low. The runtime corrects it
// (fdebugG.exact).
//
// The package may be imported by every package above runtime. It starts no goroutine, allocates
// nothing, needs no initialisation, and uses no synchronisation that the race detector could take
// for the program's own.
package fdebugrt

import (
	"runtime"
	"unsafe"
)

// A buf holds where a goroutine writes next in the trace file. It overlays the head of
// runtime.fdebugG. The fields are integers, because with pointers each event would need a write
// barrier.
type buf struct{ pos, end uintptr }

// Full reports whether there is no room for an event. Functions here get the calling goroutine's
// buf each time, because it is in a register anyway. A variable would be spilled to the stack and
// read back for each event, because of the call for the case without room.
//
//go:norace
//go:nocheckptr
func Full() bool {
	b := (*buf)(runtime.FdebugCur())
	return b.pos == b.end
}

// Put writes an event. There must be room for it.
//
//go:norace
//go:nocheckptr
func Put(n uint32) {
	b := (*buf)(runtime.FdebugCur())
	p := b.pos // read once: the compiler can't know that the event does not overwrite it
	*(*uint32)(unsafe.Pointer(p)) = n
	b.pos = p + 4
}

// At is a whole probe as a call. It is for builds with the race detector, which inline nothing of
// this package, and for large functions.
//
//go:noinline
//go:norace
//go:nocheckptr
func At(n uint32) {
	b := (*buf)(runtime.FdebugCur())
	if b.pos == b.end {
		runtime.FdebugMore(n)
	}
	p := b.pos
	*(*uint32)(unsafe.Pointer(p)) = n
	b.pos = p + 4
}

// Leaf is At for functions so small that the compiler inlines them without probes. With this probe
// it still does.
func Leaf(n uint32) { runtime.FdebugAt(n) }

// Amid returns v, which a statement has read and is about to write. Its event comes in between. It has no norace: the
// program's own reads and writes stand where it is called.
func Amid[T any](n uint32, v T) T {
	At(n)
	return v
}

// As returns v as a value of the type that p points to.
func As[T any](p *T, v T) T { return v }

// Full2 reports whether there is no room for two events.
//
//go:norace
//go:nocheckptr
func Full2() bool {
	b := (*buf)(runtime.FdebugCur())
	return b.pos+4 >= b.end
}

// At2 is two whole probes as a call.
//
//go:noinline
//go:norace
func At2(m, n uint32) {
	At(m)
	At(n)
}

// Put2 writes two events. There must be room for them.
//
//go:norace
//go:nocheckptr
func Put2(m, n uint32) {
	b := (*buf)(runtime.FdebugCur())
	p := b.pos
	*(*uint32)(unsafe.Pointer(p)) = m
	*(*uint32)(unsafe.Pointer(p + 4)) = n
	b.pos = p + 8
}

// Mark writes the first event of a pair. There must be room for it.
//
//go:norace
//go:nocheckptr
func Mark(m uint32) {
	*(*uint32)(unsafe.Pointer((*buf)(runtime.FdebugCur()).pos)) = m
}

// MarkAt is Mark as a call, and makes room for the event.
//
//go:noinline
//go:norace
func MarkAt(m uint32) {
	runtime.FdebugMore(m)
	Mark(m)
}

// Last reports whether there is no room after the first event of a pair.
//
//go:norace
//go:nocheckptr
func Last() bool {
	b := (*buf)(runtime.FdebugCur())
	return b.pos+4 == b.end
}

// PutAfter writes the second event of a pair. There must be room for it.
//
//go:norace
//go:nocheckptr
func PutAfter(n uint32) {
	b := (*buf)(runtime.FdebugCur())
	p := b.pos
	*(*uint32)(unsafe.Pointer(p + 4)) = n
	b.pos = p + 8
}

// After writes the second event of a pair as a call, and makes room for it.
//
//go:noinline
//go:norace
func After(n uint32) {
	(*buf)(runtime.FdebugCur()).pos += 4
	At(n)
}

// Here returns where the next event goes.
//
//go:norace
//go:nocheckptr
func Here() uintptr { return (*buf)(runtime.FdebugCur()).pos }

// End returns the end of the room for events.
//
//go:norace
//go:nocheckptr
func End() uintptr { return (*buf)(runtime.FdebugCur()).end }

// PutAt writes an event to p and returns where the next one goes.
//
//go:norace
//go:nocheckptr
func PutAt(p uintptr, n uint32) uintptr {
	*(*uint32)(unsafe.Pointer(p)) = n
	return p + 4
}

// Keep makes p the place where the next event goes.
//
//go:norace
//go:nocheckptr
func Keep(p uintptr) { (*buf)(runtime.FdebugCur()).pos = p }

// Next makes room for event n at p, and returns where the event goes.
//
//go:noinline
//go:norace
//go:nocheckptr
func Next(p uintptr, n uint32) uintptr {
	b := (*buf)(runtime.FdebugCur())
	b.pos = p
	runtime.FdebugMore(n)
	return b.pos
}

// Put2At writes two events to p and returns where the next one goes.
//
//go:norace
//go:nocheckptr
func Put2At(p uintptr, m, n uint32) uintptr {
	*(*uint32)(unsafe.Pointer(p)) = m
	*(*uint32)(unsafe.Pointer(p + 4)) = n
	return p + 8
}

// Next2 combines Keep, At2 and Here.
//
//go:noinline
//go:norace
//go:nocheckptr
func Next2(p uintptr, m, n uint32) uintptr {
	Keep(p)
	At2(m, n)
	return Here()
}
