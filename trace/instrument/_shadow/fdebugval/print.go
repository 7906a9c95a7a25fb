package fdebugval

import (
	"reflect"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const (
	maxDepth    = 3   // how deep pointers, structs and lists are nested
	maxElements = 32  // of a list
	maxBehind   = 128 // bytes of a string that is only referred to by the value
)

// A printer makes the text of one value.
type printer struct {
	buf []byte
}

//go:norace
//go:nocheckptr
func (p *printer) add(s string) {
	if len(p.buf) < maxHashed {
		p.buf = append(p.buf, s[:min(len(s), maxHashed-len(p.buf))]...)
	}
}

// top prints the value of an expression. Its own words were copied by the program itself;
// the memory they refer to was not.
//
//go:norace
//go:nocheckptr
func (p *printer) top(v any) {
	switch v := v.(type) {
	case nil:
		p.add("nil")
	case time.Duration:
		p.add(v.String())
	case time.Time:
		p.add(v.UTC().Format("2006-01-02T15:04:05.000000000Z"))
	case string:
		p.quote(v)
	case error:
		p.err(v)
	default:
		p.eface(v, 0)
	}
}

// err prints the most common kinds of errors by their text, which does not change after they were
// made.
//
//go:norace
//go:nocheckptr
func (p *printer) err(v error) {
	t := reflect.TypeOf(v)
	switch name := t.String(); name {
	case "*errors.errorString", "*fmt.wrapError", "*fmt.fmtError", "*fmt.wrapErrors":
		// Each begins with its text.
		p.add(name + "(")
		p.str(*(*unsafe.Pointer)(dataOf(&v)), maxHashed)
		p.add(")")
		return
	}
	// Errors wrap each other, and the interesting one lies deep.
	p.eface(v, -maxDepth)
}

// dataOf returns the data word of an interface value.
//
//go:norace
//go:nocheckptr
func dataOf(v *error) unsafe.Pointer {
	return unsafe.Pointer(uintptr(unsafe.Pointer(v)) + unsafe.Sizeof(uintptr(0)))
}

// An eface is the representation of an any.
type eface struct {
	typ  unsafe.Pointer
	data unsafe.Pointer
}

// eface prints the value in an interface.
//
//go:norace
//go:nocheckptr
func (p *printer) eface(v any, depth int) {
	t := reflect.TypeOf(v)
	if t == nil {
		p.add("nil")
		return
	}
	e := (*eface)(unsafe.Pointer(&v))
	if direct(t) {
		p.at(t, unsafe.Pointer(&e.data), depth)
		return
	}
	p.at(t, e.data, depth)
}

// direct reports whether an interface holds a t itself instead of a pointer to one.
//
//go:norace
//go:nocheckptr
func direct(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Struct:
		return t.NumField() == 1 && direct(t.Field(0).Type)
	case reflect.Array:
		return t.Len() == 1 && direct(t.Elem())
	}
	return false
}

// at prints the t at address a.
//
//go:norace
//go:nocheckptr
func (p *printer) at(t reflect.Type, a unsafe.Pointer, depth int) {
	if len(p.buf) >= maxHashed {
		return
	}
	if p.scalar(t, a) {
		return
	}
	switch k := t.Kind(); k {
	case reflect.String:
		p.str(a, limit(depth))
	case reflect.Pointer:
		p.pointer(t, *(*unsafe.Pointer)(a), depth)
	case reflect.Slice:
		p.slice(t, a, depth)
	case reflect.Array:
		p.list(t.Elem(), a, t.Len(), depth)
	case reflect.Struct:
		p.structure(t, a, depth)
	case reflect.Interface:
		p.iface(t, a, depth)
	case reflect.Map, reflect.Chan: // both begin with the number of elements
		n, to := 0, *(*unsafe.Pointer)(a)
		if to != nil {
			n = *(*int)(to)
		}
		p.counted(t, to, n)
	default: // functions, unsafe.Pointer
		if *(*unsafe.Pointer)(a) == nil {
			p.add("nil")
			return
		}
		p.add("0x…")
	}
}

// limit returns how much of a string is read.
//
//go:norace
//go:nocheckptr
func limit(depth int) int {
	if depth <= 0 {
		return maxHashed
	}
	return maxBehind
}

// scalar prints a t without references. It returns false if t has any.
//
//go:norace
//go:nocheckptr
func (p *printer) scalar(t reflect.Type, a unsafe.Pointer) bool {
	switch t.Kind() {
	case reflect.Bool:
		p.add(strconv.FormatBool(*(*uint8)(a) != 0))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := signed(a, t.Size())
		if t == durationType {
			p.add(time.Duration(n).String())
		} else {
			p.add(strconv.FormatInt(n, 10))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.add(strconv.FormatUint(unsigned(a, t.Size()), 10))
	case reflect.Uintptr:
		if t == errnoType {
			p.add(syscall.Errno(unsigned(a, t.Size())).Error())
		} else {
			p.add("0x…")
		}
	case reflect.Float32:
		p.add(strconv.FormatFloat(float64(*(*float32)(a)), 'g', -1, 32))
	case reflect.Float64:
		p.add(strconv.FormatFloat(*(*float64)(a), 'g', -1, 64))
	case reflect.Complex64:
		p.add(strconv.FormatComplex(complex128(*(*complex64)(a)), 'g', -1, 64))
	case reflect.Complex128:
		p.add(strconv.FormatComplex(*(*complex128)(a), 'g', -1, 128))
	default:
		return false
	}
	return true
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	errnoType    = reflect.TypeFor[syscall.Errno]()
)

//go:norace
//go:nocheckptr
func signed(a unsafe.Pointer, size uintptr) int64 {
	switch size {
	case 1:
		return int64(*(*int8)(a))
	case 2:
		return int64(*(*int16)(a))
	case 4:
		return int64(*(*int32)(a))
	}
	return *(*int64)(a)
}

//go:norace
//go:nocheckptr
func unsigned(a unsafe.Pointer, size uintptr) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(a))
	case 2:
		return uint64(*(*uint16)(a))
	case 4:
		return uint64(*(*uint32)(a))
	}
	return *(*uint64)(a)
}
