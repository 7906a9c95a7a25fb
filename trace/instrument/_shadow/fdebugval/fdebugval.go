// Package fdebugval is what code calls that was instrumented for values:
// fdebugval.V(n, x) instead of x.
//
// It prints values of any type without calling any of their methods, which
// could block, panic or change something. What a value refers to may be
// written by other goroutines meanwhile, under a lock that is not known here.
// So it is read without the race detector, a word at a time, in bounds, and a
// fault ends the text instead of the program. Maps are not looked into.
package fdebugval

import (
	"runtime"
	"runtime/debug"
)

// V records v as the value of a site, and returns it.
func V[T any](site uint32, v T) T {
	record(site, v)
	return v
}

// maxHashed bounds how much of a value is looked at.
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

// print prints v. Should memory be read that is not there, what was printed up
// to then counts.
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

// maxText is what a trace keeps of a text.
const maxText = 196

// cutAt returns how much of a text is kept: whole characters, and a mark that
// there is more.
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
