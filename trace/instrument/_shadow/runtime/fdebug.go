package runtime

// The probe runtime: goroutine identity, and the trace file that probes write to. The layout of
// the file is documented in fdebug's package trace (raw.go).
//
// All of this may run on any user goroutine at any time, on g0 when a goroutine is created or
// destroyed, and before any package is initialised. Nothing here blocks on anything but
// fdebugFile.lock, which is held for a few stores and occasionally one system call.

import (
	"internal/runtime/atomic"
	"unsafe"
)

//fdebug:lost panics are not recorded
//fdebug:patch runtime/panic.go func gopanic(e any) {{+ fdebugPanic();+}

//fdebug:lost failed checks are not recorded
//fdebug:patch testing/testing.go func (c *common) Fail() {{+ runtime.FdebugCheck(0, 1);+}
//fdebug:patch testing/testing.go func (c *common) FailNow() {{+ runtime.FdebugCheck(1, 1);+}
//fdebug:patch testing/testing.go func (c *common) SkipNow() {{+ runtime.FdebugCheck(2, 1);+}

const (
	fdebugAlign      = 32 // of records, so that the rest of a segment always has room for a pad record
	fdebugFirstSeg   = 256 << 10
	fdebugMaxSeg     = 4 << 20              // takes about 2 ms to create; others may wait for it
	fdebugMaxFile    = 4<<30 - fdebugMaxSeg // mmap takes a 32-bit offset here
	fdebugBudget     = 1 << 30
	fdebugMaxName    = 4096
	fdebugStackDepth = 32

	fdebugCheckFail  = 0
	fdebugCheckPanic = 3
)

// fdebugG is fdebug's part of a g.
type fdebugG struct {
	pos, end uintptr // where the next event goes, see exact; must be first, see fdebugrt
	limit    uintptr // end of the chunk; if there is a stop, end is before it, see perturb

	id, parent uint64
	class      uint64 // hash of the go statements that led to it from the test's root
	testKey    uint64 // hash of the name of its test, or 0
	test       uint32 // serial of that test
	serial     uint32 // number in the trace file, 0 until it has run a probe
	root       bool   // whether it runs the test function itself
	inSpec     bool   // whether what it starts runs a spec itself, see FdebugSpec
	ownTime    int8   // above 0 while package testing reads the clock for its own purposes
	ordinal    uint32 // of the chunk that pos points into
	before     uint32 // the last event before the chunk
	asker      uint32 // the last block of the goroutine that started it, if needed
	chunk      uintptr
	hashes     uintptr // next free slot in a hash record
	hashesEnd  uintptr
	stamps     uintptr // next free slot in a stamp record
	stampsEnd  uintptr
	wait       fdebugWait
	values     fdebugValueList
	perturbed  fdebugPerturbed
	drawn      fdebugDrawn
	spawnPC    uintptr
	entryPC    uintptr
	started    int64
	spawns     [4]fdebugSpawn // how often it started goroutines, by go statement
}

type fdebugSpawn struct{ pc, n uint32 }

// fdebugScratch receives events that are not recorded, because FDEBUG_TRACE is not set or the
// disk is full.
var fdebugScratch [64 << 10]byte

// FdebugCur returns the head of the calling goroutine's fdebugG.
func FdebugCur() unsafe.Pointer { return unsafe.Pointer(&getg().fdebug) }

// FdebugAt writes an event.
func FdebugAt(n uint32) { heapBits(n).nextArena() }

// heapBits has a method of a name that the compiler knows: a function that calls it is inlined as
// if the call cost next to nothing. The runtime itself has no type of this name any more.
type heapBits uint32

//go:noinline
func (n heapBits) nextArena() {
	d := &getg().fdebug
	if d.pos == d.end {
		FdebugMore(uint32(n))
	}
	p := d.pos
	*(*uint32)(unsafe.Pointer(p)) = uint32(n)
	d.pos = p + 4
}

// FdebugMore makes room for the given event, the next one of the calling goroutine, and lets
// perturbations act before it.
func FdebugMore(event uint32) {
	gp := getg()
	d := &gp.fdebug
	// This is a system stack: a timer function of package time, for example, if that is
	// instrumented. What runs here belongs to no goroutine's path.
	if gp.m.curg != gp || !fdebugTracing() {
		d.scratch()
		return
	}
	if d.pos == d.limit {
		d.more()
	}
	if fdebugPlan.acts && d.chunk != 0 {
		d.perturb(gp, event)
	}
}

// more gives d its next chunk.
func (d *fdebugG) more() {
	first := d.serial == 0
	var spawn, entry uint32
	if first {
		spawn, entry = fdebugPlace(d.spawnPC, false), fdebugPlace(d.entryPC, true)
	} else if d.chunk != 0 {
		d.ordinal++
		d.before = *(*uint32)(unsafe.Pointer(d.pos - 4))
	}
	n := fdebugChunkLen(d.ordinal)
	if fdebugFile.used >= fdebugFile.budget && d.ordinal > fdebugFullChunkAfter && d.reuse() {
		return
	}
	fdebugLock()
	if first {
		d.register(spawn, entry)
	}
	p := fdebugReserve(fdebugRawChunk, n*4, d.serial, d.ordinal, 0)
	if p != 0 {
		fdebugCommit()
	}
	fdebugUnlock()
	if p == 0 {
		d.scratch()
		return
	}
	d.chunk = p
	d.pos = p + fdebugRecHeaderSize
	d.end = d.pos + n*4
	d.limit = d.end
}

func fdebugChunkLen(ordinal uint32) uintptr {
	if ordinal >= fdebugFullChunkAfter {
		return fdebugFullChunkLen
	}
	return fdebugFirstChunkLen << ordinal
}

// scratch lets d write to memory that nobody reads.
func (d *fdebugG) scratch() {
	d.pos = uintptr(unsafe.Pointer(&fdebugScratch))
	d.end = d.pos + unsafe.Sizeof(fdebugScratch)
	d.limit = d.end
	d.chunk = 0
}

// exact returns where the next event goes. pos is too low while code that calls nothing keeps the
// position in a local variable, and between the two events of a pair. But unwritten memory is
// zero, and no event is zero.
func (d *fdebugG) exact() uintptr {
	p := d.pos
	for d.chunk != 0 && p != d.limit && *(*uint32)(unsafe.Pointer(p)) != 0 {
		p += 4
	}
	return p
}

// reuse gives d its full chunk again, after storing the hash of its events.
func (d *fdebugG) reuse() bool {
	if d.chunk == 0 || d.limit-d.chunk != fdebugRecHeaderSize+fdebugFullChunkLen*4 {
		return false
	}
	if d.hashes == d.hashesEnd && !d.moreHashes() {
		return false
	}
	words := d.chunk + fdebugRecHeaderSize
	*(*uint64)(unsafe.Pointer(d.hashes)) = fdebugHashEvents(unsafe.Slice((*uint32)(unsafe.Pointer(words)), fdebugFullChunkLen))
	d.hashes += 8
	memclrNoHeapPointers(unsafe.Pointer(words), fdebugFullChunkLen*4)
	*(*uint32)(unsafe.Pointer(d.chunk + 12)) = d.ordinal
	*(*int64)(unsafe.Pointer(d.chunk + 16)) = fdebugTime()
	d.pos = words
	d.end = words + fdebugFullChunkLen*4
	d.limit = d.end
	return true
}

func (d *fdebugG) moreHashes() bool {
	const n = 512 * 8
	p := fdebugRecord(fdebugRawHashes, n, d.serial, d.ordinal-1, 0)
	if p == 0 {
		return false
	}
	fdebugSetFlag(fdebugRawBudget)
	d.hashes = p + fdebugRecHeaderSize
	d.hashesEnd = d.hashes + n
	return true
}

// register gives d a serial and writes its goroutine record, with the places of its go statement
// and of the function it runs. The lock must be held.
func (d *fdebugG) register(spawn, entry uint32) {
	f := &fdebugFile
	f.serial++
	d.serial = f.serial
	p := fdebugReserve(fdebugRawGoroutine, 48, d.serial, 0, d.id)
	if p == 0 {
		return
	}
	p += fdebugRecHeaderSize
	*(*uint64)(unsafe.Pointer(p)) = d.parent
	*(*uint32)(unsafe.Pointer(p + 8)) = d.test
	if d.root {
		*(*uint32)(unsafe.Pointer(p + 12)) = 1
	}
	*(*uint32)(unsafe.Pointer(p + 16)) = spawn
	*(*uint32)(unsafe.Pointer(p + 20)) = entry
	*(*int64)(unsafe.Pointer(p + 24)) = d.started
	*(*uint64)(unsafe.Pointer(p + 32)) = getg().goid
	*(*uint64)(unsafe.Pointer(p + 40)) = d.class
	fdebugCommit()
}

// fdebugEvent writes an event that is not a basic block.
func fdebugEvent(e uint32) {
	d := &getg().fdebug
	if d.pos == d.end {
		FdebugMore(e)
	}
	*(*uint32)(unsafe.Pointer(d.pos)) = e
	d.pos += 4
}

// FdebugCheck records a failed check, a skip or a panic: see trace.CheckKind. skip is the number
// of callers to skip, 0 for FdebugCheck's own caller.
func FdebugCheck(kind uint32, skip int) {
	if !fdebugTracing() || kind == fdebugCheckFail && getg().fdebug.checked() {
		return
	}
	hash := fdebugStack(skip + 1)
	if d := &getg().fdebug; d.chunk != 0 {
		d.stamp(fdebugStampGoesOn, 0)
	}
	fdebugEvent(1<<31 | kind<<28 | hash)
}

// checked reports whether the last event is a check. FailNow calls Fail, and Fail calls the Fail
// of the parent test; together they are one failed check.
func (d *fdebugG) checked() bool {
	return d.chunk != 0 && d.pos > d.chunk+fdebugRecHeaderSize && *(*uint32)(unsafe.Pointer(d.pos - 4))>>31 == 1
}

// fdebugPanic is called at the start of gopanic.
func fdebugPanic() {
	gp := getg()
	gp.fdebug.pos = gp.fdebug.exact() // the code that has the position in a variable does not continue
	mp := gp.m
	if mp.curg != gp || mp.mallocing != 0 || mp.throwing != 0 || mp.locks != 0 || mp.preemptoff != "" {
		return
	}
	FdebugCheck(fdebugCheckPanic, 1)
}

// fdebugStack returns the hash of the calling stack, and writes a record of it once.
func fdebugStack(skip int) uint32 {
	var pcs [fdebugStackDepth]uintptr
	depth, h := callers(skip+1, pcs[:]), uint64(0)
	for _, pc := range pcs[:depth] {
		h = fdebugMix(h, uint64(pc-firstmoduledata.text))
	}
	hash := uint32(h>>32) & (1<<28 - 1)
	f := &fdebugFile
	slot := &f.stackTab[hash%uint32(len(f.stackTab))]
	if atomic.Load(slot) == hash {
		return hash
	}
	var places [fdebugStackDepth]uint32
	frames := CallersFrames(append([]uintptr(nil), pcs[:depth]...)) // on the heap, because frames keeps them
	n := 0
	for n < len(places) {
		fr, more := frames.Next()
		if fr.PC != 0 {
			places[n] = fdebugWritePlace(uint64(fr.PC), fr.Function, fr.File, fr.Line)
			n++
		}
		if !more {
			break
		}
	}
	fdebugLock()
	if p := fdebugReserve(fdebugRawStack, uintptr(8+4*n), 0, 0, uint64(hash)); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeaderSize)) = uint32(n)
		for i, s := range places[:n] {
			*(*uint32)(unsafe.Pointer(p + fdebugRecHeaderSize + 8 + uintptr(i)*4)) = s
		}
		fdebugCommit()
	}
	fdebugUnlock()
	atomic.Store(slot, hash)
	return hash
}

// fdebugPlace returns the serial of the place of a go statement, given its return address, or of
// a function's entry. It returns 0 if the place is unknown.
func fdebugPlace(pc uintptr, entry bool) uint32 {
	if pc == 0 {
		return 0
	}
	off := pc - firstmoduledata.text
	e := &fdebugFile.placeTab[pc/4%uintptr(len(fdebugFile.placeTab))]
	if serial := e.get(off); serial != 0 {
		return serial
	}
	fn := findfunc(pc)
	if !fn.valid() {
		return 0
	}
	tracepc := pc
	if !entry && pc > fn.entry() {
		tracepc -= 1
	}
	u, uf := newInlineUnwinder(fn, tracepc)
	name := u.srcFunc(uf).name()
	file, line := u.fileLine(uf)
	serial := fdebugWritePlace(uint64(pc), name, file, line)
	e.set(off, serial)
	return serial
}

func fdebugWritePlace(pc uint64, name, file string, line int) uint32 {
	name, file = fdebugCut(name), fdebugCut(file)
	f := &fdebugFile
	fdebugLock()
	f.places++
	serial := f.places
	if p := fdebugReserve(fdebugRawPlace, uintptr(12+len(name)+len(file)), serial, 0, pc); p != 0 {
		p += fdebugRecHeaderSize
		*(*uint32)(unsafe.Pointer(p)) = uint32(line)
		*(*uint32)(unsafe.Pointer(p + 4)) = uint32(len(name))
		*(*uint32)(unsafe.Pointer(p + 8)) = uint32(len(file))
		memmove(unsafe.Pointer(p+12), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		memmove(unsafe.Pointer(p+12+uintptr(len(name))), unsafe.Pointer(unsafe.StringData(file)), uintptr(len(file)))
		fdebugCommit()
	}
	fdebugUnlock()
	return serial
}

func fdebugCut(s string) string {
	if len(s) > fdebugMaxName {
		return s[:fdebugMaxName]
	}
	return s
}
