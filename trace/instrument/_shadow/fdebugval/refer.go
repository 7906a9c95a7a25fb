package fdebugval

import (
	"net/netip"
	"reflect"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// What values refer to: strings, lists, pointers, interfaces.

type stringHeader struct {
	data unsafe.Pointer
	len  int
}

type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// str prints at most n bytes of the string at a.
//
//go:norace
//go:nocheckptr
func (p *printer) str(a unsafe.Pointer, n int) {
	h := *(*stringHeader)(a)
	if h.data == nil || h.len <= 0 {
		p.add(`""`)
		return
	}
	p.quoteBytes(h.data, min(h.len, n))
	if h.len > n {
		p.add("…")
	}
}

//go:norace
//go:nocheckptr
func (p *printer) quote(s string) {
	if s == "" {
		p.add(`""`)
		return
	}
	p.quoteBytes(unsafe.Pointer(unsafe.StringData(s)), min(len(s), maxHashed))
	if len(s) > maxHashed {
		p.add("…")
	}
}

// quoteBytes prints the n bytes at a as a string literal.
//
//go:norace
//go:nocheckptr
func (p *printer) quoteBytes(a unsafe.Pointer, n int) {
	text := copyOf(a, n)
	for n > 0 && n == maxBehind && !utf8.Valid(text) && n > maxBehind-utf8.UTFMax {
		n--
		text = text[:n]
	}
	p.add(strconv.Quote(string(text)))
}

// copyOf returns the n bytes at a.
//
//go:norace
//go:nocheckptr
func copyOf(a unsafe.Pointer, n int) []byte {
	text := make([]byte, n)
	for i := range text { // one by one: the race detector would see a copy
		text[i] = *(*byte)(unsafe.Add(a, i))
	}
	return text
}

// pointer prints the target of a pointer.
//
//go:norace
//go:nocheckptr
func (p *printer) pointer(t reflect.Type, to unsafe.Pointer, depth int) {
	switch {
	case to == nil:
		p.add("nil")
	case depth >= maxDepth || !inner(t.Elem()):
		p.add("*" + t.Elem().String() + "(0x…)")
	default:
		p.add("&")
		p.at(t.Elem(), to, depth+1)
	}
}

// inner reports whether values of a type are worth printing behind a pointer. Some depend only on
// the scheduler, the clock or the allocator.
//
//go:norace
//go:nocheckptr
func inner(t reflect.Type) bool {
	switch t.PkgPath() {
	case "sync", "sync/atomic", "testing", "context", "runtime", "internal/poll", "reflect":
		return false
	case "net", "os":
		return t.Name() != "" && t.Name()[0] >= 'A' && t.Name()[0] <= 'Z' && t.Name() != "File"
	}
	return true
}

//go:norace
//go:nocheckptr
func (p *printer) slice(t reflect.Type, a unsafe.Pointer, depth int) {
	h := *(*sliceHeader)(a)
	switch {
	case h.data == nil:
		p.add("nil")
	case t.Elem().Kind() == reflect.Uint8:
		if t.Name() == "IP" && h.len <= 16 {
			if ip, ok := netip.AddrFromSlice(copyOf(h.data, h.len)); ok {
				p.add(ip.Unmap().String())
				return
			}
		}
		p.add(t.String() + "(")
		p.quoteBytes(h.data, min(h.len, limit(depth)))
		p.add(")")
	case depth >= maxDepth:
		p.counted(t, h.data, h.len)
	default:
		p.list(t.Elem(), h.data, h.len, depth)
	}
}

// list prints the n values of type t at a.
//
//go:norace
//go:nocheckptr
func (p *printer) list(t reflect.Type, a unsafe.Pointer, n int, depth int) {
	p.add("[")
	for i := 0; i < n && i < maxElements && len(p.buf) < maxHashed; i++ {
		if i > 0 {
			p.add(" ")
		}
		p.at(t, unsafe.Add(a, uintptr(i)*t.Size()), depth+1)
	}
	if n > maxElements {
		p.add(" …" + strconv.Itoa(n-maxElements) + " more")
	}
	p.add("]")
}

//go:norace
//go:nocheckptr
func (p *printer) structure(t reflect.Type, a unsafe.Pointer, depth int) {
	if t == timeType { // inside another value it would make no two values equal
		p.add("…")
		return
	}
	p.add("{")
	for i := 0; i < t.NumField() && len(p.buf) < maxHashed; i++ {
		f := t.Field(i)
		if i > 0 {
			p.add(" ")
		}
		p.add(f.Name + ":")
		if depth >= maxDepth || !inner(f.Type) {
			p.add("…")
			continue
		}
		p.at(f.Type, unsafe.Add(a, f.Offset), depth+1)
	}
	p.add("}")
}

// iface prints the value in the interface at a. The first word of an interface with methods points
// to a table whose second word is the type.
//
//go:norace
//go:nocheckptr
func (p *printer) iface(t reflect.Type, a unsafe.Pointer, depth int) {
	e := *(*eface)(a)
	if e.typ == nil {
		p.add("nil")
		return
	}
	if depth >= maxDepth {
		p.add("…")
		return
	}
	if t.NumMethod() > 0 {
		e.typ = *(*unsafe.Pointer)(unsafe.Add(e.typ, unsafe.Sizeof(uintptr(0))))
	}
	p.eface(*(*any)(unsafe.Pointer(&e)), depth)
}

// counted prints a map, channel or list as its length.
//
//go:norace
//go:nocheckptr
func (p *printer) counted(t reflect.Type, data unsafe.Pointer, n int) {
	if data == nil {
		p.add("nil")
		return
	}
	p.add(t.String() + "(len " + strconv.Itoa(n) + ")")
}
