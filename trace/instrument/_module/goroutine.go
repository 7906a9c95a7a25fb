package fdebugrt

import (
	"runtime"
	"unsafe"
)

//go:linkname getLabel runtime/pprof.runtime_getProfLabel
func getLabel() unsafe.Pointer

//go:linkname setLabel runtime/pprof.runtime_setProfLabel
func setLabel(unsafe.Pointer)

//go:linkname setPanicOnFault runtime/debug.setPanicOnFault
func setPanicOnFault(bool) bool

// Package time's clock is fake inside a testing/synctest bubble.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

// A label is a profiler label set by fdebug. Package runtime/pprof reads a goroutine's label as a
// slice of labels. The first three words are such a slice, the program's own, so that its
// profiles stay the same. The capacity, which nobody reads, distinguishes our labels from others.
type label struct {
	list  unsafe.Pointer
	len   uintptr
	magic uintptr // labelMagic

	buf    *Buf           // of the goroutine that set the label
	ticket bool           // set before a go statement, for the goroutine it starts
	used   bool           // whether that goroutine has taken it
	site   uint32         // number of the go statement
	nth    uint32         // how often buf's goroutine had run that statement, from 1
	prev   unsafe.Pointer // the goroutine's previous label
}

const labelMagic = 0x7fdeb099

// keepList copies the program's own labels.
//
//go:norace
//go:nocheckptr
func (l *label) keepList(from *label) {
	if from != nil {
		l.list, l.len = from.list, from.len
	}
}

// known has the goroutines seen last, by the low bits of their number. It finds a goroutine whose
// label the program has replaced.
var known [1 << 14]*Buf

// arrivals counts by key: goroutines started by code without probes, and executions of tests with
// one name.
var arrivals counters

// enter returns the calling goroutine's Buf if its label does not lead to it.
//
//go:norace
//go:nocheckptr
func enter(l *label) *Buf {
	lock()
	s := callStack()
	b := known[s.goid%uint64(len(known))]
	if b == nil || b.goid != s.goid {
		b = newBuf(l, s)
		known[s.goid%uint64(len(known))] = b
	}
	unlock()
	own := &label{magic: labelMagic, buf: b}
	own.keepList(l)
	setLabel(unsafe.Pointer(own))
	return b
}

// newBuf gives a new goroutine its identity.
//
//go:norace
//go:nocheckptr
func newBuf(l *label, s stack) *Buf {
	b := &Buf{goid: s.goid, spawn: s.spawn, entry: s.entry, started: nanotime()}
	b.unnamed = len(s.spawn.name) > 8 && s.spawn.name[:8] == "testing."
	site := Mix(hashString(s.spawn.name), hashString(s.spawn.file)+uint64(s.spawn.line))
	if l == nil || l.magic != labelMagic {
		l = &label{buf: known[s.creator%uint64(len(known))]}
		if l.buf == nil || l.buf.goid != s.creator {
			l.buf = &Buf{} // no parent: the main goroutine, or a call from C
		}
	}
	b.parent, b.test = l.buf.id, l.buf.test
	from := b.parent
	if l.ticket {
		from = Mix(Mix(from, uint64(l.site)), uint64(l.nth))
		if !l.used && s.creator == l.buf.goid {
			l.used = true
			b.id = from
			return b
		}
	}
	// Code without probes started it. Goroutines that start at one place of one parent are
	// numbered in the order in which they arrive.
	b.id = Mix(Mix(from, site), uint64(arrivals.next(Mix(from, site)))+1)
	return b
}

// A frame is a place in the source.
type frame struct {
	name, file string
	line       uint32
}

// A stack is what a stack trace says about the calling goroutine.
type stack struct {
	goid, creator uint64
	spawn, entry  frame
}

// stackText holds one stack trace. It has room for the first and last 50 frames.
var stackText [64 << 10]byte

// callStack reads the calling goroutine's stack trace. It ends with
//
//	main.worker(...)
//		/src/main.go:12 +0x1d
//	created by main.start in goroutine 1
//		/src/main.go:8 +0x2e
//
//go:norace
func callStack() stack {
	text := string(stackText[:runtime.Stack(stackText[:], false)])
	var s stack
	s.goid = number(text, len("goroutine "))
	last := lastLine(text, len(text)) // the two lines of the outermost frame
	name := lastLine(text, last)
	if at := name + len("created by "); at < len(text) && text[name:at] == "created by " {
		s.spawn = parseFrame(text[at:])
		if i := indexByte(s.spawn.name, ' '); i >= 0 { // main.start in goroutine 1
			s.creator = number(s.spawn.name, i+len(" in goroutine "))
			s.spawn.name = s.spawn.name[:i]
		}
		name = lastLine(text, lastLine(text, name))
	}
	s.entry = parseFrame(text[name:])
	if i := lastByte(s.entry.name, '('); i > 0 {
		s.entry.name = s.entry.name[:i]
	}
	return s
}

// lastLine returns the start of the line that ends before end.
//
//go:norace
func lastLine(text string, end int) int {
	if end < 1 {
		return 0
	}
	return lastByte(text[:end-1], '\n') + 1
}

// parseFrame reads the two lines of a frame.
//
//go:norace
func parseFrame(text string) frame {
	i := indexByte(text, '\n')
	if i < 0 {
		return frame{}
	}
	f := frame{name: text[:i], file: text[i+1:]}
	if i := indexByte(f.file, '\n'); i >= 0 {
		f.file = f.file[:i]
	}
	if len(f.file) > 0 && f.file[0] == '\t' {
		f.file = f.file[1:]
	}
	if i := lastByte(f.file, ':'); i >= 0 {
		f.line = uint32(number(f.file, i+1))
		f.file = f.file[:i]
	}
	return f
}

//go:norace
func number(text string, at int) uint64 {
	n := uint64(0)
	for ; at < len(text) && '0' <= text[at] && text[at] <= '9'; at++ {
		n = n*10 + uint64(text[at]-'0')
	}
	return n
}

//go:norace
func indexByte(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			return i
		}
	}
	return -1
}

//go:norace
func lastByte(s string, c byte) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == c {
			return i
		}
	}
	return -1
}
