// Package fdebugval is called by code that was instrumented for values: fdebugval.V(n, x)
// replaces x.
//
// It prints values of any type without calling any of their methods, which could block, panic or
// change something. Other goroutines may be writing to the memory a value refers to, under a lock that
// is not known here. So it is read without the race detector, one word at a time and within
// bounds, and a fault ends the text instead of the program. Maps are not read.
package fdebugval

import (
	"runtime"
	"runtime/debug"
)

// V records v as a value of the site, and returns it.
func V[T any](site uint32, v T) T {
	record(site, v)
	return v
}

// maxHashed limits how much of a value is read.
const maxHashed = 4 << 10

// record writes the text of v to the trace.
//
//go:norace
//go:nocheckptr
func record(site uint32, v any) {
	p := &printer{}
	p.print(v)
	p.hide()
	h := uint64(0xcbf29ce484222325)
	for _, c := range p.buf {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	runtime.FdebugValue(site, h, string(p.buf[:cutAt(p.buf)]))
}

// print prints v. If a read faults, it keeps what was printed so far.
//
//go:norace
//go:nocheckptr
func (p *printer) print(v any) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if recover() != nil {
			p.add("…")
		}
	}()
	p.top(v)
}

// maxText is how much of a text a trace keeps.
const maxText = 196

// cutAt returns how much of a text is kept: whole characters, and a mark if there is more.
//
//go:norace
//go:nocheckptr
func cutAt(b []byte) int {
	if len(b) <= maxText {
		return len(b)
	}
	n := maxText - len("…")
	for n > 0 && b[n]&0xC0 == 0x80 {
		n--
	}
	return n + copy(b[n:], "…")
}
