package runtime

import "unsafe"

// What the probe runtime asks of Windows. Package runtime has some of the functions; the others
// are imported here.

//go:cgo_import_dynamic runtime._fdebugCreateFile CreateFileW%7 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugCreateFileMapping CreateFileMappingW%6 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugGetCurrentProcessId GetCurrentProcessId%0 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugGetModuleFileName GetModuleFileNameW%3 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugMapViewOfFile MapViewOfFile%5 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugReadFile ReadFile%5 "kernel32.dll"
//go:cgo_import_dynamic runtime._fdebugUnmapViewOfFile UnmapViewOfFile%1 "kernel32.dll"

// The loader of the executable sets these.
var (
	_fdebugCreateFile,
	_fdebugCreateFileMapping,
	_fdebugGetCurrentProcessId,
	_fdebugGetModuleFileName,
	_fdebugMapViewOfFile,
	_fdebugReadFile,
	_fdebugUnmapViewOfFile stdFunction
)

// How to open a file: the access, and in the lowest bits what to do if it exists.
const (
	fdebugToRead   = 0x80000000 | 3
	fdebugToWrite  = 0xC0000000 | 3 // to an existing file
	fdebugToCreate = 0xC0000000 | 1

	fdebugShared = 7    // other processes may read, write and remove the file
	fdebugNormal = 0x80 // its attributes
	fdebugMapped = 6    // for reading and writing
)

// fdebugSystem calls a function of the system. The runtime's own stdcall takes other parameters
// in older releases of Go. The stack must not move, because some arguments are addresses in it.
//
//go:nosplit
//go:uintptrkeepalive
func fdebugSystem(fn stdFunction, args ...uintptr) uintptr {
	var call struct{ fn, n, args, r1, r2, err uintptr } // as asmstdcall expects it
	call.fn, call.n = uintptr(unsafe.Pointer(fn)), uintptr(len(args))
	call.args = uintptr(noescape(unsafe.Pointer(unsafe.SliceData(args))))
	asmcgocall(asmstdcallAddr, unsafe.Pointer(&call))
	return call.r1
}

// fdebugWide is the name of a file in UTF-16. One thread at a time opens files.
var fdebugWide [fdebugMaxName + 24]uint16

// fdebugWiden stores s as UTF-16, with a zero at its end, and returns its length.
func fdebugWiden(to []uint16, s string) (n int) {
	for _, r := range s {
		if r >= 0x10000 {
			to[n] = uint16(0xD800 + (r-0x10000)>>10)
			n++
			r = 0xDC00 + (r-0x10000)&0x3FF
		}
		to[n] = uint16(r)
		n++
	}
	to[n] = 0
	return n
}

// open opens the file. It returns a negative number if it cannot.
func (b *fdebugPath) open(how uintptr) int32 {
	fdebugWiden(fdebugWide[:], gostringnocopy(&b[0]))
	return fdebugOpenWide(&fdebugWide[0], how)
}

// fdebugOpenWide returns a handle. All handles have 32 bits.
func fdebugOpenWide(name *uint16, how uintptr) int32 {
	return int32(fdebugSystem(_fdebugCreateFile, uintptr(unsafe.Pointer(name)), how&^3, fdebugShared, 0,
		how&3, fdebugNormal, 0))
}

// fdebugOpenPlan opens the file of the plan, if the environment names one. The runtime has no
// list of the variables yet.
func fdebugOpenPlan() int32 {
	env := fdebugSystem(_GetEnvironmentStringsW)
	fd := int32(-1)
	for p := env; p != 0 && fd < 0; {
		s := (*uint16)(unsafe.Pointer(p))
		n := findnullw(s)
		if n == 0 {
			break
		}
		if fdebugBegins(unsafe.Slice(s, n), fdebugPlanEnv) {
			fd = fdebugOpenWide((*uint16)(unsafe.Pointer(p+2*uintptr(len(fdebugPlanEnv)))), fdebugToRead)
		}
		p += 2 * uintptr(n+1)
	}
	fdebugSystem(_FreeEnvironmentStringsW, env)
	return fd
}

// fdebugBegins reports whether s begins with the prefix, which is ASCII.
func fdebugBegins(s []uint16, prefix string) bool {
	for i := 0; i < len(prefix); i++ {
		if i >= len(s) || s[i] != uint16(prefix[i]) {
			return false
		}
	}
	return true
}

// fdebugIsNamed reports whether the executable has the base name want.
func fdebugIsNamed(want string) bool {
	var name [fdebugPlanHeader]uint16
	n := fdebugWiden(name[:], want)
	w := &fdebugWide
	start := int(fdebugSystem(_fdebugGetModuleFileName, 0, uintptr(unsafe.Pointer(w)), uintptr(len(w)))) - n
	if start <= 0 || start+n > len(w) || w[start-1] != '\\' && w[start-1] != '/' {
		return false
	}
	for i := range n {
		if w[start+i] != name[i] {
			return false
		}
	}
	return true
}

func fdebugReadFile(fd int32, p unsafe.Pointer, n int32) int32 {
	var done uint32
	if fdebugSystem(_fdebugReadFile, uintptr(fd), uintptr(p), uintptr(n), uintptr(unsafe.Pointer(&done)), 0) == 0 {
		return -1
	}
	return int32(done)
}

func fdebugClose(fd int32) { fdebugSystem(_CloseHandle, uintptr(fd)) }

// fdebugGrow does nothing: fdebugMapPart extends the file.
func fdebugGrow(fd int32, size, n uintptr) bool { return true }

// fdebugMapPart maps n bytes of the file, and returns 0 if it cannot.
func fdebugMapPart(fd int32, off, n uintptr) uintptr {
	h := fdebugSystem(_fdebugCreateFileMapping, uintptr(fd), 0, _PAGE_READWRITE, 0, off+n, 0)
	if h == 0 {
		return 0
	}
	p := fdebugSystem(_fdebugMapViewOfFile, h, fdebugMapped, 0, off, n)
	fdebugSystem(_CloseHandle, h) // the view keeps it open
	return p
}

func fdebugUnmap(p, n uintptr) { fdebugSystem(_fdebugUnmapViewOfFile, p) }

// fdebugMemory returns n zero bytes, before anything can be allocated. It returns nil if there
// are none.
func fdebugMemory(n uintptr) unsafe.Pointer {
	return unsafe.Pointer(fdebugSystem(_VirtualAlloc, 0, n, _MEM_COMMIT|_MEM_RESERVE, _PAGE_READWRITE))
}

// fdebugFrequency is how often the performance counter counts in a second; 0: not known yet.
var fdebugFrequency int64

// fdebugTime returns the time for the records of the trace. By nanotime, which goes on in steps of
// up to 16 ms here, two records could not be put in order.
func fdebugTime() int64 {
	var n int64
	if fdebugFrequency == 0 {
		fdebugSystem(_QueryPerformanceFrequency, uintptr(unsafe.Pointer(&n)))
		fdebugFrequency = n
	}
	f := fdebugFrequency
	fdebugSystem(_QueryPerformanceCounter, uintptr(unsafe.Pointer(&n)))
	return n/f*1e9 + n%f*1e9/f
}

func fdebugAside(fd int32) int32 { return fd }

func fdebugPID() int { return int(fdebugSystem(_fdebugGetCurrentProcessId)) }

// fdebugQuit ends the process.
func fdebugQuit() { exit(2) }
