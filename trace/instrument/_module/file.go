package fdebugrt

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// The layout of the file is documented in fdebug's package trace (raw.go).
const (
	recAlign  = 32 // of records, so that the rest of a segment always has room for a pad record
	firstSeg  = 256 << 10
	maxSeg    = 4 << 20
	maxFile   = 4<<30 - maxSeg
	maxBudget = 1 << 30
	maxName   = 4096
)

// file is the trace file of the process.
var file traceFile

// A traceFile is written with the lock held.
type traceFile struct {
	mapping  mapping // the system's part
	on       bool    // whether events are recorded
	header   uintptr // address of the first segment
	size     uint64  // of the file
	seg      uintptr // address of the current segment
	segUsed  uint64
	segSize  uint64
	used     uint64 // bytes of records, including the header; the header has a copy
	budget   uint64
	serial   uint32 // last goroutine serial
	places   uint32 // last place serial
	tests    uint32 // last test serial
	placeTab [1024]placeEntry
}

type placeEntry struct {
	key    uint64 // hash of the frame
	serial uint32
}

// scratch receives events that are not recorded, because FDEBUG_TRACE is not set or the disk is
// full.
var scratch [16 << 10]uint32

// Every package with probes imports this one. So it is initialised before the first probe runs,
// on the main goroutine.
func init() {
	path, ok := syscall.Getenv("FDEBUG_TRACE")
	if !ok || path == "" || !file.mapping.create(path) {
		return
	}
	budget, _ := syscall.Getenv("FDEBUG_BUDGET")
	if file.budget = number(budget, 0); file.budget == 0 {
		file.budget = maxBudget
	}
	file.open()
}

// open maps the first segment, which begins with the header.
//
//go:norace
func (f *traceFile) open() {
	h := f.mapping.grow(0, firstSeg)
	if h == 0 {
		return
	}
	put64(h+24, uint64(nanotime()))
	put64(h+32, uint64(syscall.Getpid()))
	put64(h+40, 1)
	put64(h+8, RawHeaderSize)
	putString(h, "fdbgraw1")
	f.header, f.seg, f.segUsed, f.segSize = h, h, RawHeaderSize, firstSeg
	f.used, f.size = RawHeaderSize, firstSeg
	f.on = true
}

// more makes room for the next event.
//
//go:norace
//go:noinline
func (b *Buf) more() {
	lock()
	b.nextChunk()
	unlock()
}

//go:norace
func (b *Buf) nextChunk() {
	f := &file
	if f.on && b.serial == 0 {
		b.register()
	} else if b.chunk != 0 {
		b.ordinal++
	}
	if f.on && f.used >= f.budget && b.ordinal > FullChunkAfter && b.reuse() {
		return
	}
	n := uintptr(FullChunkLen)
	if b.ordinal < FullChunkAfter {
		n = FirstChunkLen << b.ordinal
	}
	b.chunk = f.record(RawChunk, n*4, b.serial, b.ordinal, 0)
	if b.chunk == 0 {
		b.pos = uintptr(unsafe.Pointer(&scratch))
		b.end = b.pos + unsafe.Sizeof(scratch)
		return
	}
	b.pos = b.chunk + RecHeaderSize
	b.end = b.pos + n*4
}

// reuse gives b its full chunk again, after storing the hash of its events.
//
//go:norace
func (b *Buf) reuse() bool {
	const hashes = 512
	if b.chunk == 0 || b.end-b.chunk != RecHeaderSize+FullChunkLen*4 {
		return false
	}
	if b.hashes == b.hashesEnd {
		p := file.record(RawHashes, hashes*8, b.serial, b.ordinal-1, 0)
		if p == 0 {
			return false
		}
		file.setFlag(RawBudget)
		b.hashes = p + RecHeaderSize
		b.hashesEnd = b.hashes + hashes*8
	}
	words := b.chunk + RecHeaderSize
	put64(b.hashes, HashEvents(unsafe.Slice((*uint32)(unsafe.Pointer(words)), FullChunkLen)))
	b.hashes += 8
	for p := words; p < b.end; p += 8 {
		put64(p, 0)
	}
	put32(b.chunk+12, b.ordinal)
	put64(b.chunk+16, uint64(nanotime()))
	b.pos = words
	return true
}

// register gives b a serial and writes its goroutine record.
//
//go:norace
func (b *Buf) register() {
	f := &file
	spawn, entry := f.place(b.spawn), f.place(b.entry)
	f.serial++
	b.serial = f.serial
	p := f.reserve(RawGoroutine, 40, b.serial, 0, b.id)
	if p == 0 {
		return
	}
	p += RecHeaderSize
	put64(p, b.parent)
	put32(p+8, b.test)
	if b.root {
		put32(p+12, 1)
	}
	put32(p+16, spawn)
	put32(p+20, entry)
	put64(p+24, uint64(b.started))
	f.commit()
}

// place returns the serial of a place, or 0 if the place is unknown.
//
//go:norace
func (f *traceFile) place(fr frame) uint32 {
	if fr.name == "" {
		return 0
	}
	name, path := shorten(fr.name), shorten(fr.file)
	key := Mix(hashString(name), hashString(path)+uint64(fr.line))
	e := &f.placeTab[key%uint64(len(f.placeTab))]
	if e.key == key {
		return e.serial
	}
	p := f.reserve(RawPlace, uintptr(12+len(name)+len(path)), f.places+1, 0, 0)
	if p == 0 {
		return 0
	}
	f.places++
	p += RecHeaderSize
	put32(p, fr.line)
	put32(p+4, uint32(len(name)))
	put32(p+8, uint32(len(path)))
	putString(p+12, name)
	putString(p+12+uintptr(len(name)), path)
	f.commit()
	e.key, e.serial = key, f.places
	return f.places
}

// test writes the record of a test that begins, and returns its serial.
//
//go:norace
func (f *traceFile) test(name string, nth uint32) uint32 {
	name = shorten(name)
	p := f.reserve(RawTest, uintptr(8+len(name)), f.tests+1, nth, 0)
	if p == 0 {
		return 0
	}
	f.tests++
	put32(p+RecHeaderSize, uint32(len(name)))
	putString(p+RecHeaderSize+8, name)
	f.commit()
	return f.tests
}

//go:norace
func shorten(s string) string {
	if len(s) > maxName {
		return s[:maxName]
	}
	return s
}

// record writes a record with an empty payload of the given size and returns its address, or 0 if
// there is no room.
//
//go:norace
func (f *traceFile) record(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	p := f.reserve(kind, size, serial, ordinal, aux)
	if p != 0 {
		f.commit()
	}
	return p
}

// reserve finds room for a record and writes its header. The record does not count until commit,
// so a process that is killed in between leaves no half record.
//
//go:norace
func (f *traceFile) reserve(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	if !f.on {
		return 0
	}
	size = (size + RecHeaderSize + recAlign - 1) &^ (recAlign - 1)
	if f.segSize-f.segUsed < uint64(size) && !f.moreSpace() {
		return 0
	}
	p := f.seg + uintptr(f.segUsed)
	put32(p, uint32(size))
	put32(p+4, kind)
	put32(p+8, serial)
	put32(p+12, ordinal)
	put64(p+16, uint64(nanotime()))
	put64(p+24, aux)
	return p
}

// commit makes the last reserved record count.
//
//go:norace
func (f *traceFile) commit() {
	size := uint64(get32(f.seg + uintptr(f.segUsed)))
	f.segUsed += size
	f.used += size
	f.publish(8, f.used)
}

// publish stores a word of the header, after all earlier stores.
//
//go:norace
//go:nocheckptr
func (f *traceFile) publish(off uintptr, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(f.header+off)), v)
}

// moreSpace grows the file by a segment. The smallest segment has room for any record.
//
//go:norace
func (f *traceFile) moreSpace() bool {
	if rest := f.segSize - f.segUsed; rest > 0 {
		p := f.seg + uintptr(f.segUsed)
		put32(p, uint32(rest))
		put32(p+4, 0) // a pad record, which has no kind
		f.commit()
	}
	n := f.segSize * 2
	if n > maxSeg {
		n = maxSeg
	}
	p := uintptr(0)
	if f.size+n <= maxFile {
		raceEnable() // the system call has its own lock and table
		p = f.mapping.grow(f.size, n)
		raceDisable()
	}
	if p == 0 {
		f.on = false
		f.setFlag(RawNoSpace)
		return false
	}
	f.seg, f.segUsed, f.segSize = p, 0, n
	f.size += n
	return true
}

//go:norace
func (f *traceFile) setFlag(flag uint64) {
	if f.header != 0 {
		f.publish(16, get64(f.header+16)|flag)
	}
}
