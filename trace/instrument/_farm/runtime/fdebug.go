package runtime

// The probe runtime: goroutine identity, and the trace file that probes write
// to. The layout of the file is documented in fdebug's package trace (raw.go).
//
// Everything here may run on any user goroutine at any time, on g0 when a
// goroutine is created or destroyed, and before any package is initialised.
// Nothing here blocks on anything but fdebugFile.lock, which is held for a few
// stores and now and then one system call.

import (
	"internal/runtime/atomic"
	"unsafe"
)

const (
	fdebugHeader     = 4096
	fdebugRecHeader  = 32
	fdebugAlign      = 32 // of records, so that the rest of a segment can always hold a pad record
	fdebugFirstChunk = 64
	fdebugFullChunk  = 4096
	fdebugFullAfter  = 6 // chunks from this ordinal on are full
	fdebugFirstSeg   = 256 << 10
	fdebugMaxSeg     = 4 << 20              // made in about 2 ms, for which others may wait
	fdebugMaxFile    = 4<<30 - fdebugMaxSeg // mmap takes a 32-bit offset here
	fdebugBudget     = 1 << 30
	fdebugMaxName    = 4096
	fdebugStackDepth = 32

	fdebugRecGoroutine = 1
	fdebugRecChunk     = 2
	fdebugRecHashes    = 3
	fdebugRecPlace     = 4
	fdebugRecTest      = 5
	fdebugRecTestEnd   = 6
	fdebugRecEnd       = 7
	fdebugRecStack     = 8

	fdebugFlagBudget   = 1
	fdebugFlagNoSpace  = 2
	fdebugFlagIdentity = 4

	fdebugCheckFail  = 0
	fdebugCheckPanic = 3
)

// fdebugG is the part of a g that belongs to fdebug.
type fdebugG struct {
	pos, end uintptr // where the next event goes; must be first, see fdebugrt.Buf

	id, parent uint64
	testKey    uint64 // hash of the name of the test it belongs to, 0 for none
	test       uint32 // serial of that test
	serial     uint32 // number in the trace file, 0 until it has run a probe
	root       bool   // it runs the test function itself
	ordinal    uint32 // of the chunk that pos points into
	chunk      uintptr
	hashes     uintptr // next free place in a hash record
	hashesEnd  uintptr
	stamps     uintptr // next free place in a stamp record
	stampsEnd  uintptr
	wait       fdebugWait
	values     fdebugValueList
	spawnPC    uintptr
	entryPC    uintptr
	started    int64
	spawns     [4]fdebugSpawn // how often it started goroutines, by go statement
}

type fdebugSpawn struct{ pc, n uint32 }

// fdebugFile is the trace file.
var fdebugFile struct {
	lock     mutex
	state    atomic.Uint32 // fdebugUnopened, fdebugOff, fdebugOn
	fd       int32
	header   uintptr
	size     uintptr // of the file
	seg      uintptr // address of the current segment
	segUsed  uintptr
	segSize  uintptr
	used     uintptr // bytes of records, with the header, as in the header
	budget   uintptr
	stamped  uintptr // bytes of stamp records
	valued   uintptr // bytes of value records
	serial   uint32  // last goroutine serial
	places   uint32  // last place serial
	tests    uint32  // last test serial
	placeTab [1024]fdebugPlaceEntry
	stackTab [1024]uint32
}

type fdebugPlaceEntry struct {
	pc     uintptr
	serial uint32
}

const (
	fdebugUnopened = iota
	fdebugOff
	fdebugOn
)

// fdebugScratch takes the events that have no other place to go: of a process
// without FDEBUG_TRACE, or after the disk was full.
var fdebugScratch [64 << 10]byte

// FdebugCur returns the calling goroutine's fdebugrt.Buf.
func FdebugCur() unsafe.Pointer { return unsafe.Pointer(&getg().fdebug) }

// FdebugMore makes room for the next event of the calling goroutine.
func FdebugMore() {
	gp := getg()
	d := &gp.fdebug
	// On a system stack: a timer's function in package time, say, if that is
	// instrumented. What runs there is nobody's path.
	if gp.m.curg != gp || !fdebugTracing() {
		d.scratch()
		return
	}
	if d.serial == 0 {
		d.register()
	} else if d.chunk != 0 {
		d.ordinal++
	}
	n := fdebugChunkLen(d.ordinal)
	if fdebugFile.used >= fdebugFile.budget && d.ordinal > fdebugFullAfter && d.reuse() {
		return
	}
	p := fdebugRecord(fdebugRecChunk, n*4, d.serial, d.ordinal, 0)
	if p == 0 {
		d.scratch()
		return
	}
	d.chunk = p
	d.pos = p + fdebugRecHeader
	d.end = d.pos + n*4
}

func fdebugChunkLen(ordinal uint32) uintptr {
	if ordinal >= fdebugFullAfter {
		return fdebugFullChunk
	}
	return fdebugFirstChunk << ordinal
}

// scratch lets d write where nobody reads.
func (d *fdebugG) scratch() {
	d.pos = uintptr(unsafe.Pointer(&fdebugScratch))
	d.end = d.pos + unsafe.Sizeof(fdebugScratch)
	d.chunk = 0
}

// reuse gives d its full chunk again, after keeping the hash of what was in it.
func (d *fdebugG) reuse() bool {
	if d.chunk == 0 || d.end-d.chunk != fdebugRecHeader+fdebugFullChunk*4 {
		return false
	}
	if d.hashes == d.hashesEnd && !d.moreHashes() {
		return false
	}
	words := d.chunk + fdebugRecHeader
	*(*uint64)(unsafe.Pointer(d.hashes)) = fdebugHash(words, fdebugFullChunk)
	d.hashes += 8
	memclrNoHeapPointers(unsafe.Pointer(words), fdebugFullChunk*4)
	*(*uint32)(unsafe.Pointer(d.chunk + 12)) = d.ordinal
	*(*int64)(unsafe.Pointer(d.chunk + 16)) = nanotime()
	d.pos = words
	d.end = words + fdebugFullChunk*4
	return true
}

func (d *fdebugG) moreHashes() bool {
	const n = 512 * 8
	p := fdebugRecord(fdebugRecHashes, n, d.serial, d.ordinal-1, 0)
	if p == 0 {
		return false
	}
	fdebugSetFlag(fdebugFlagBudget)
	d.hashes = p + fdebugRecHeader
	d.hashesEnd = d.hashes + n
	return true
}

// fdebugHash is trace.HashEvents of the n words at p.
func fdebugHash(p, n uintptr) uint64 {
	const (
		p1 = 0x9E3779B185EBCA87
		p2 = 0xC2B2AE3D27D4EB4F
	)
	h0, h1, h2, h3 := uint64(p1), uint64(p2), uint64(p1^p2), uint64(n)
	for ; n >= 8; n -= 8 {
		h0 = fdebugRound(h0, p)
		h1 = fdebugRound(h1, p+8)
		h2 = fdebugRound(h2, p+16)
		h3 = fdebugRound(h3, p+24)
		p += 32
	}
	x := (h0<<1 | h0>>63) + (h1<<7 | h1>>57) + (h2<<12 | h2>>52) + (h3<<18 | h3>>46)
	x ^= x >> 33
	x *= p2
	x ^= x >> 29
	x *= p1
	return x ^ x>>32
}

func fdebugRound(h uint64, p uintptr) uint64 {
	w := uint64(*(*uint32)(unsafe.Pointer(p))) | uint64(*(*uint32)(unsafe.Pointer(p + 4)))<<32
	h += w * 0xC2B2AE3D27D4EB4F
	return (h<<31 | h>>33) * 0x9E3779B185EBCA87
}

// register gives d a serial and writes its goroutine record.
func (d *fdebugG) register() {
	spawn := fdebugPlace(d.spawnPC, false)
	entry := fdebugPlace(d.entryPC, true)
	f := &fdebugFile
	lock(&f.lock)
	f.serial++
	d.serial = f.serial
	if p := fdebugReserve(fdebugRecGoroutine, 40, d.serial, 0, d.id); p != 0 {
		p += fdebugRecHeader
		*(*uint64)(unsafe.Pointer(p)) = d.parent
		*(*uint32)(unsafe.Pointer(p + 8)) = d.test
		if d.root {
			*(*uint32)(unsafe.Pointer(p + 12)) = 1
		}
		*(*uint32)(unsafe.Pointer(p + 16)) = spawn
		*(*uint32)(unsafe.Pointer(p + 20)) = entry
		*(*int64)(unsafe.Pointer(p + 24)) = d.started
		*(*uint64)(unsafe.Pointer(p + 32)) = getg().goid
		fdebugCommit()
	}
	unlock(&f.lock)
}

// fdebugEvent writes an event that is not a basic block.
func fdebugEvent(e uint32) {
	d := &getg().fdebug
	if d.pos == d.end {
		FdebugMore()
	}
	*(*uint32)(unsafe.Pointer(d.pos)) = e
	d.pos += 4
}

// FdebugCheck records a failed check, a skip or a panic: see trace.CheckKind.
// skip is the number of callers to leave out, 0 for FdebugCheck's own caller.
func FdebugCheck(kind uint32, skip int) {
	if !fdebugTracing() || kind == fdebugCheckFail && getg().fdebug.checked() {
		return
	}
	var pcs [fdebugStackDepth]uintptr
	n := callers(skip+1, pcs[:])
	h := uint64(0)
	for _, pc := range pcs[:n] {
		h = fdebugMix(h, uint64(pc-firstmoduledata.text))
	}
	hash := uint32(h>>32) & (1<<28 - 1)
	fdebugStack(hash, pcs[:n])
	if d := &getg().fdebug; d.chunk != 0 {
		d.stamp(fdebugStampGoesOn, 0)
	}
	fdebugEvent(1<<31 | kind<<28 | hash)
}

// checked reports whether the last event is a check: FailNow calls Fail, and
// Fail that of the test above. They are one failed check.
func (d *fdebugG) checked() bool {
	return d.chunk != 0 && d.pos > d.chunk+fdebugRecHeader && *(*uint32)(unsafe.Pointer(d.pos - 4))>>31 == 1
}

// fdebugPanic is called at the start of gopanic.
func fdebugPanic() {
	gp := getg()
	mp := gp.m
	if mp.curg != gp || mp.mallocing != 0 || mp.throwing != 0 || mp.locks != 0 || mp.preemptoff != "" {
		return
	}
	FdebugCheck(fdebugCheckPanic, 1)
}

// fdebugStack writes a stack record, once for each hash.
func fdebugStack(hash uint32, pcs []uintptr) {
	f := &fdebugFile
	slot := &f.stackTab[hash%uint32(len(f.stackTab))]
	if atomic.Load(slot) == hash {
		return
	}
	var places [fdebugStackDepth]uint32
	frames := CallersFrames(append([]uintptr(nil), pcs...)) // on the heap: it keeps them
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
	lock(&f.lock)
	if p := fdebugReserve(fdebugRecStack, uintptr(8+4*n), 0, 0, uint64(hash)); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeader)) = uint32(n)
		for i, s := range places[:n] {
			*(*uint32)(unsafe.Pointer(p + fdebugRecHeader + 8 + uintptr(i)*4)) = s
		}
		fdebugCommit()
	}
	unlock(&f.lock)
	atomic.Store(slot, hash)
}

// fdebugPlace returns the serial of the place of a go statement, given its
// return address, or of a function's entry. 0 if it is not known.
func fdebugPlace(pc uintptr, entry bool) uint32 {
	if pc == 0 {
		return 0
	}
	e := &fdebugFile.placeTab[pc/4%uintptr(len(fdebugFile.placeTab))]
	lock(&fdebugFile.lock)
	serial := e.serial
	hit := e.pc == pc
	unlock(&fdebugFile.lock)
	if hit {
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
	serial = fdebugWritePlace(uint64(pc), name, file, line)
	lock(&fdebugFile.lock)
	e.pc, e.serial = pc, serial
	unlock(&fdebugFile.lock)
	return serial
}

func fdebugWritePlace(pc uint64, name, file string, line int) uint32 {
	name, file = fdebugCut(name), fdebugCut(file)
	f := &fdebugFile
	lock(&f.lock)
	f.places++
	serial := f.places
	if p := fdebugReserve(fdebugRecPlace, uintptr(12+len(name)+len(file)), serial, 0, pc); p != 0 {
		p += fdebugRecHeader
		*(*uint32)(unsafe.Pointer(p)) = uint32(line)
		*(*uint32)(unsafe.Pointer(p + 4)) = uint32(len(name))
		*(*uint32)(unsafe.Pointer(p + 8)) = uint32(len(file))
		memmove(unsafe.Pointer(p+12), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		memmove(unsafe.Pointer(p+12+uintptr(len(name))), unsafe.Pointer(unsafe.StringData(file)), uintptr(len(file)))
		fdebugCommit()
	}
	unlock(&f.lock)
	return serial
}

func fdebugCut(s string) string {
	if len(s) > fdebugMaxName {
		return s[:fdebugMaxName]
	}
	return s
}

// fdebugNewG gives a new goroutine its identity. It runs in newproc1.
func fdebugNewG(newg, callergp *g, pc, entryPC uintptr) {
	d := &newg.fdebug
	*d = fdebugG{spawnPC: pc, entryPC: entryPC, started: nanotime()}
	if isSystemGoroutine(newg, false) {
		return // finalizers and the like belong to nobody, whoever starts them
	}
	p := &callergp.fdebug
	d.parent, d.test, d.testKey = p.id, p.test, p.testKey
	d.id = p.child(pc)
}

// child returns the identity of the next goroutine that p starts at pc.
func (p *fdebugG) child(pc uintptr) uint64 {
	off := uint32(pc - firstmoduledata.text)
	n := uint32(0)
	known := false
	for i := range p.spawns {
		s := &p.spawns[i]
		if s.n == 0 {
			s.pc = off
		}
		if s.pc == off {
			n = s.n
			s.n++
			known = true
			break
		}
	}
	if !known {
		n = fdebugCounter(fdebugMix(p.id, uint64(off)))
	}
	return fdebugMix(fdebugMix(p.id, uint64(off)), uint64(n)+1)
}

// fdebugCounters counts by key for what does not fit into a g: goroutines
// started from a fifth go statement on, and executions of a test of one name.
var fdebugCounters struct {
	lock mutex
	tab  [1 << 14]struct {
		key uint64
		n   uint32
	}
}

// fdebugCounter returns how often it was called with key before.
func fdebugCounter(key uint64) uint32 {
	c := &fdebugCounters
	lock(&c.lock)
	for i := uint64(0); i < 64; i++ {
		e := &c.tab[(key+i)%uint64(len(c.tab))]
		if e.n == 0 {
			e.key = key
		}
		if e.key == key {
			n := e.n
			e.n++
			unlock(&c.lock)
			return n
		}
	}
	unlock(&c.lock)
	if fdebugFile.state.Load() == fdebugOn {
		fdebugSetFlag(fdebugFlagIdentity)
	}
	return 0
}

func fdebugMix(a, b uint64) uint64 {
	x := (a ^ (b+0x9E3779B97F4A7C15)*0xBF58476D1CE4E5B9)
	x ^= x >> 30
	x *= 0x94D049BB133111EB
	x ^= x >> 27
	x *= 0x9E3779B97F4A7C15
	return x ^ x>>31
}

// fdebugEndG records the end of a goroutine. It runs on g0, in gdestroy.
func fdebugEndG(gp *g) {
	gp.fdebug.finish()
	gp.fdebug = fdebugG{}
}

// finish records the end of a goroutine, and of the test that it ran.
func (d *fdebugG) finish() {
	if fdebugFile.state.Load() != fdebugOn {
		return
	}
	if d.serial != 0 {
		fdebugRecord(fdebugRecEnd, 0, d.serial, 0, 0)
	}
	if d.root {
		fdebugRecord(fdebugRecTestEnd, 0, d.test, 0, 0)
	}
}

// A FdebugChild is a goroutine that will be started later, by the scheduler,
// perhaps more than once.
type FdebugChild struct {
	id, parent uint64
	testKey    uint64
	test       uint32
	fired      uint32 // how often it was started
	spawnPC    uintptr
	entryPC    uintptr
}

// Spawn makes c a child of the calling goroutine that will run f. skip is the
// number of callers to leave out, 0 for Spawn's own caller.
func (c *FdebugChild) Spawn(skip int, f func()) {
	var pc [1]uintptr
	callers(skip+1, pc[:])
	d := &getg().fdebug
	c.id, c.parent, c.test, c.testKey = d.child(pc[0]), d.id, d.test, d.testKey
	c.spawnPC = pc[0]
	c.entryPC = **(**uintptr)(unsafe.Pointer(&f))
}

// Adopt makes the calling goroutine c. A timer that was reset starts several:
// each has an identity of its own.
func (c *FdebugChild) Adopt() {
	id := c.id
	if n := atomic.Xadd(&c.fired, 1); n > 1 {
		id = fdebugMix(id, uint64(n))
	}
	getg().fdebug = fdebugG{id: id, parent: c.parent, test: c.test, testKey: c.testKey,
		spawnPC: c.spawnPC, entryPC: c.entryPC, started: nanotime(), wait: fdebugWait{timer: true}}
}

// A FdebugSaved is a goroutine's identity and place in the trace, put aside.
type FdebugSaved struct{ g fdebugG }

// FdebugTest makes the calling goroutine the root of the named test. It does
// nothing for the nameless test that starts all others, and within the test of
// that name: synctest.Test runs its function as another test of the same name.
func FdebugTest(name string) FdebugSaved {
	d := &getg().fdebug
	saved := FdebugSaved{*d}
	key := fdebugName(name)
	if name == "" || key == d.testKey {
		return saved
	}
	nth := fdebugCounter(key)
	*d = fdebugG{id: fdebugMix(key, uint64(nth)), parent: d.parent, testKey: key, root: true,
		spawnPC: d.spawnPC, entryPC: d.entryPC, started: nanotime()}
	if fdebugTracing() {
		d.test = fdebugWriteTest(name, nth)
	}
	return saved
}

// Restore undoes FdebugTest.
func (s FdebugSaved) Restore() {
	d := &getg().fdebug
	d.finish()
	*d = s.g
}

func fdebugName(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return fdebugMix(h, 0x7e57)
}

func fdebugWriteTest(name string, nth uint32) uint32 {
	name = fdebugCut(name)
	f := &fdebugFile
	lock(&f.lock)
	f.tests++
	serial := f.tests
	if p := fdebugReserve(fdebugRecTest, uintptr(8+len(name)), serial, nth, 0); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeader)) = uint32(len(name))
		memmove(unsafe.Pointer(p+fdebugRecHeader+8), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		fdebugCommit()
	}
	unlock(&f.lock)
	return serial
}

// fdebugRecord writes a record with an empty payload of the given size and
// returns its address, 0 if there is no room.
func fdebugRecord(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	lock(&fdebugFile.lock)
	p := fdebugReserve(kind, size, serial, ordinal, aux)
	if p != 0 {
		fdebugCommit()
	}
	unlock(&fdebugFile.lock)
	return p
}

// fdebugReserve finds room for a record and writes its header. The record does
// not count until fdebugCommit, so that a process killed in between leaves no
// half of it. The lock must be held.
func fdebugReserve(kind uint32, size uintptr, serial, ordinal uint32, aux uint64) uintptr {
	f := &fdebugFile
	if f.state.Load() != fdebugOn {
		return 0
	}
	size = (size + fdebugRecHeader + fdebugAlign - 1) &^ (fdebugAlign - 1)
	if f.segSize-f.segUsed < size && !fdebugMoreSpace(size) {
		return 0
	}
	p := f.seg + f.segUsed
	*(*uint32)(unsafe.Pointer(p)) = uint32(size)
	*(*uint32)(unsafe.Pointer(p + 4)) = kind
	*(*uint32)(unsafe.Pointer(p + 8)) = serial
	*(*uint32)(unsafe.Pointer(p + 12)) = ordinal
	*(*int64)(unsafe.Pointer(p + 16)) = nanotime()
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
		*(*uint32)(unsafe.Pointer(p + 4)) = 0 // a record of no kind
		fdebugCommit()
	}
	n := min(max(f.segSize*2, fdebugFirstSeg), fdebugMaxSeg)
	for n < size {
		n *= 2
	}
	if f.size+n > fdebugMaxFile || !fdebugGrow(f.fd, f.size, n) {
		f.state.Store(fdebugOff)
		fdebugSetFlag(fdebugFlagNoSpace)
		return false
	}
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, fdebugMapShared, f.fd, uint32(f.size))
	if err != 0 {
		f.state.Store(fdebugOff)
		fdebugSetFlag(fdebugFlagNoSpace)
		return false
	}
	f.seg, f.segUsed, f.segSize = uintptr(p), 0, n
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

// fdebugTracing reports whether events are recorded, opening the trace file
// the first time.
func fdebugTracing() bool {
	switch fdebugFile.state.Load() {
	case fdebugOn:
		return true
	case fdebugOff:
		return false
	}
	return fdebugOpen()
}

func fdebugOpen() bool {
	f := &fdebugFile
	lock(&f.lock)
	if f.state.Load() == fdebugUnopened {
		f.state.Store(fdebugOff)
		if path := gogetenv("FDEBUG_TRACE"); path != "" && fdebugCreate(path) {
			f.budget = fdebugNumber(gogetenv("FDEBUG_BUDGET"))
			if f.budget == 0 {
				f.budget = fdebugBudget
			}
			fdebugWriteHeader()
		}
	}
	unlock(&f.lock)
	return f.state.Load() == fdebugOn
}

// fdebugNumber returns the decimal number s, 0 if it is none.
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

// fdebugCreate creates the trace file. A test binary that starts itself again
// passes FDEBUG_TRACE on: the second process adds its process id to the name.
func fdebugCreate(path string) bool {
	var buf [4096 + 24]byte
	if len(path) >= 4096 {
		return false
	}
	n := copy(buf[:], path)
	const flags = fdebugReadWrite | _O_CREAT | fdebugExclusive | fdebugCloexec
	fd := open(&buf[0], flags, 0o644)
	if fd < 0 {
		buf[n] = '.'
		var digits [20]byte
		n += 1 + copy(buf[n+1:], itoa(digits[:], uint64(fdebugPID())))
		buf[n] = 0
		fd = open(&buf[0], flags, 0o644)
	}
	if fd < 0 {
		return false
	}
	// Out of the way: programs count file descriptors, print them, and close
	// what they take for their own.
	if high, _ := fcntl(fd, fdebugDupCloexec, 1000); high >= 0 {
		closefd(fd)
		fd = high
	}
	fdebugFile.fd = fd
	return true
}

// fdebugWriteHeader maps the first segment, which begins with the header.
func fdebugWriteHeader() {
	f := &fdebugFile
	const n = fdebugFirstSeg
	if !fdebugGrow(f.fd, 0, n) {
		return
	}
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, fdebugMapShared, f.fd, 0)
	if err != 0 {
		return
	}
	h := uintptr(p)
	*(*int64)(unsafe.Pointer(h + 24)) = nanotime()
	*(*uint64)(unsafe.Pointer(h + 32)) = uint64(fdebugPID())
	*(*uint64)(unsafe.Pointer(h + 40)) = 1
	*(*uint64)(unsafe.Pointer(h + 8)) = fdebugHeader
	*(*[8]byte)(unsafe.Pointer(h)) = [8]byte{'f', 'd', 'b', 'g', 'r', 'a', 'w', '1'}
	f.header = h
	f.seg, f.segUsed, f.segSize = h, fdebugHeader, n
	f.used, f.size = fdebugHeader, n
	f.state.Store(fdebugOn)
}
