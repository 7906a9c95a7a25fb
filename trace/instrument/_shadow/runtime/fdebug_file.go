package runtime

// The trace file: opening, growing, records. Its layout is documented in
// fdebug's package trace (raw.go).

import (
	"internal/runtime/atomic"
	"unsafe"
)

// fdebugFile is the trace file.
var fdebugFile struct {
	lock     mutex
	now      int64         // when the lock was taken
	state    atomic.Uint32 // fdebugUnopened, fdebugOff, fdebugOn
	first    bool          // whether no process of this run was there before
	fd       int32
	header   uintptr
	size     uintptr // of the file
	seg      uintptr // address of the current segment
	segUsed  uintptr
	segSize  uintptr
	used     uintptr // bytes of records, including the header; the header has a copy
	budget   uintptr
	stamped  uintptr // bytes of stamp records
	valued   uintptr // bytes of value records
	acted    uintptr // bytes of records of acts
	noted    uintptr // bytes of notes
	serial   uint32  // last goroutine serial
	places   uint32  // last place serial
	tests    uint32  // last test serial
	placeTab [1024]fdebugPlaceEntry
	stackTab [1024]uint32
}

// A fdebugPlaceEntry holds a pc as offset in the text, times 2^32, plus the serial of its place.
// It is one word, because it is read without the lock.
type fdebugPlaceEntry struct{ word atomic.Uint64 }

// get returns the serial of the place at off, or 0 if the entry is for another place.
func (e *fdebugPlaceEntry) get(off uintptr) uint32 {
	w := e.word.Load()
	if uintptr(w>>32) != off {
		return 0
	}
	return uint32(w)
}

func (e *fdebugPlaceEntry) set(off uintptr, serial uint32) {
	if off>>32 == 0 { // not from a plugin loaded elsewhere
		e.word.Store(uint64(off)<<32 | uint64(serial))
	}
}

const (
	fdebugUnopened = iota
	fdebugOff
	fdebugOn
)

// fdebugRecord writes a record with an empty payload of the given size and returns its address,
// or 0 if there is no room.
func fdebugRecord(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	fdebugLock()
	p := fdebugReserve(kind, size, serial, ordinal, aux)
	if p != 0 {
		fdebugCommit()
	}
	fdebugUnlock()
	return p
}

// fdebugLock takes the lock. Records written before fdebugUnlock share one time.
func fdebugLock() {
	lock(&fdebugFile.lock)
	fdebugFile.now = fdebugTime()
}

func fdebugUnlock() { unlock(&fdebugFile.lock) }

// fdebugReserve finds room for a record and writes its header. The record does not count until
// fdebugCommit, so a process that is killed in between leaves no half record. The lock must be
// held.
func fdebugReserve(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	f := &fdebugFile
	if f.state.Load() != fdebugOn {
		return 0
	}
	size = (size + fdebugRecHeaderSize + fdebugAlign - 1) &^ (fdebugAlign - 1)
	if f.segSize-f.segUsed < size && !fdebugMoreSpace(size) {
		return 0
	}
	p := f.seg + f.segUsed
	*(*uint32)(unsafe.Pointer(p)) = uint32(size)
	*(*uint32)(unsafe.Pointer(p + 4)) = kind
	*(*uint32)(unsafe.Pointer(p + 8)) = serial
	*(*uint32)(unsafe.Pointer(p + 12)) = ordinal
	*(*int64)(unsafe.Pointer(p + 16)) = f.now
	*(*uint64)(unsafe.Pointer(p + 24)) = aux
	return p
}

// fdebugCommit makes the last reserved record count.
func fdebugCommit() {
	f := &fdebugFile
	size := uintptr(*(*uint32)(unsafe.Pointer(f.seg + f.segUsed)))
	f.segUsed += size
	f.used += size
	atomic.Store64((*uint64)(unsafe.Pointer(f.header+8)), uint64(f.used))
}

// fdebugMoreSpace grows the file by a segment that has room for size bytes.
func fdebugMoreSpace(size uintptr) bool {
	f := &fdebugFile
	if rest := f.segSize - f.segUsed; rest > 0 {
		p := f.seg + f.segUsed
		*(*uint32)(unsafe.Pointer(p)) = uint32(rest)
		*(*uint32)(unsafe.Pointer(p + 4)) = 0 // a pad record, which has no kind
		fdebugCommit()
	}
	n := min(max(f.segSize*2, fdebugFirstSeg), fdebugMaxSeg)
	for n < size {
		n *= 2
	}
	p := uintptr(0)
	if f.size+n <= fdebugMaxFile && fdebugGrow(f.fd, f.size, n) {
		p = fdebugMapPart(f.fd, f.size, n)
	}
	if p == 0 {
		f.state.Store(fdebugOff)
		fdebugSetFlag(fdebugRawNoSpace)
		return false
	}
	f.seg, f.segUsed, f.segSize = p, 0, n
	f.size += n
	return true
}

func fdebugSetFlag(flag uint64) {
	if h := fdebugFile.header; h != 0 {
		p := (*uint64)(unsafe.Pointer(h + 16))
		for {
			old := atomic.Load64(p)
			if atomic.Cas64(p, old, old|flag) {
				return
			}
		}
	}
}

// fdebugTracing reports whether events are recorded. The first call opens the trace file.
func fdebugTracing() bool {
	switch fdebugFile.state.Load() {
	case fdebugOn:
		return true
	case fdebugOff:
		return false
	}
	return fdebugOpen()
}

// fdebugOpen opens the trace file. Other threads that reach their first probe meanwhile wait for
// it, because their events count too.
func fdebugOpen() bool {
	f := &fdebugFile
	lock(&f.lock)
	if f.state.Load() == fdebugUnopened {
		f.budget = fdebugNumber(gogetenv("FDEBUG_BUDGET"))
		if f.budget == 0 {
			f.budget = fdebugBudget
		}
		path := gogetenv("FDEBUG_TRACE")
		first, opened := false, false
		if path != "" && len(path) < fdebugMaxName {
			if first = fdebugTakeOver(path); first {
				opened = true
			} else {
				first, opened = fdebugCreate(path)
			}
		}
		f.first = first
		fdebugStartPlan(first)
		if !opened {
			f.state.Store(fdebugOff)
		}
		if first {
			fdebugStartWatch()
		}
	}
	unlock(&f.lock)
	return f.state.Load() == fdebugOn
}

// fdebugNumber returns the decimal number s, or 0 if s is not a number.
func fdebugNumber(s string) uintptr {
	n := uintptr(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1<<40 {
			return 0
		}
		n = n*10 + uintptr(s[i]-'0')
	}
	return n
}

// A fdebugPath is a file name with a zero at its end.
type fdebugPath [fdebugMaxName + 24]byte

// set makes it path, with the process id as suffix if suffix is true.
func (b *fdebugPath) set(path string, suffix bool) {
	n := copy(b[:], path)
	if suffix {
		b[n] = '.'
		var digits [20]byte
		n += 1 + copy(b[n+1:], itoa(digits[:], uint64(fdebugPID())))
	}
	b[n] = 0
}

// fdebugTakeOver opens a trace file that trace.Recycle has prepared for one process: its pages
// are in memory and zero.
func fdebugTakeOver(path string) bool {
	var name fdebugPath
	name.set(path, false)
	fd := name.open(fdebugToWrite)
	if fd < 0 {
		return false
	}
	n := fdebugSize(fd)
	if n < fdebugFirstSeg || n > fdebugMaxFile || n%fdebugRawHeaderSize != 0 || !fdebugMap(fd, n, true) {
		fdebugClose(fd)
		return false
	}
	return true
}

// fdebugCreate creates the trace file. A test binary that starts itself again passes FDEBUG_TRACE
// on, so the second process adds its process id to the name. fdebugCreate reports whether that
// was not needed, and whether there is a file now.
func fdebugCreate(path string) (first, opened bool) {
	var name fdebugPath
	name.set(path, false)
	fd := name.open(fdebugToCreate)
	first = fd >= 0
	if !first {
		name.set(path, true)
		fd = name.open(fdebugToCreate)
	}
	opened = fd >= 0 && fdebugGrow(fd, 0, fdebugFirstSeg) && fdebugMap(fd, fdebugFirstSeg, false)
	return first && opened, opened
}

// fdebugMap maps the first n bytes of the trace file, which begin with the header. Another
// process may take a prepared file first.
func fdebugMap(fd int32, n uintptr, prepared bool) bool {
	h := fdebugMapPart(fd, 0, n)
	if h == 0 {
		return false
	}
	if prepared && !atomic.Cas64((*uint64)(unsafe.Pointer(h+48)), 1, 0) {
		fdebugUnmap(h, n)
		return false
	}
	*(*int64)(unsafe.Pointer(h + 24)) = fdebugTime()
	*(*int64)(unsafe.Pointer(h + 56)) = fdebugWall()
	*(*uint64)(unsafe.Pointer(h + 32)) = uint64(fdebugPID())
	*(*uint64)(unsafe.Pointer(h + 40)) = 1
	*(*uint64)(unsafe.Pointer(h + 8)) = fdebugRawHeaderSize
	*(*[8]byte)(unsafe.Pointer(h)) = [8]byte{'f', 'd', 'b', 'g', 'r', 'a', 'w', '1'}
	f := &fdebugFile
	f.fd = fdebugAside(fd)
	f.header = h
	f.seg, f.segUsed, f.segSize = h, fdebugRawHeaderSize, n
	f.used, f.size = fdebugRawHeaderSize, n
	f.state.Store(fdebugOn)
	return true
}
