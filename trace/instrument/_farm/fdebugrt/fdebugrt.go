// Package fdebugrt is what instrumented code calls: b := Cur() once in each
// function body, then b.Hit(n) in each basic block.
//
// It may be imported by every package above runtime. It starts no goroutine,
// allocates nothing, needs no initialisation and uses no synchronisation that
// the race detector could take for the program's own.
package fdebugrt

import (
	"runtime"
	"unsafe"
)

// A Buf is the place in the trace file where the calling goroutine writes
// next. It overlays the head of runtime.fdebugG. The fields are integers: as
// pointers each Hit would pay for a write barrier.
type Buf struct{ pos, end uintptr }

// Cur returns the calling goroutine's Buf. A Buf must not be used on another
// goroutine, which is why a function literal asks for its own.
//
//go:norace
//go:nocheckptr
func Cur() *Buf { return (*Buf)(runtime.FdebugCur()) }

// Hit writes one event. Its inlining cost is 74 of the 80 that the compiler
// allows; written with a local variable for b.pos it is 82.
//
//go:norace
//go:nocheckptr
func (b *Buf) Hit(n uint32) {
	if b.pos == b.end {
		more()
	}
	*(*uint32)(unsafe.Pointer(b.pos)) = n
	b.pos += 4
}

// At is Cur and Hit as a call, for functions so small that the compiler inlines
// them with it, but not with a Hit.
//
//go:noinline
//go:norace
//go:nocheckptr
func At(n uint32) { Cur().Hit(n) }

//go:noinline
//go:norace
func more() { runtime.FdebugMore() }
