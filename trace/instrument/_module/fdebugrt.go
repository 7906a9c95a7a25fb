// Package fdebugrt is the probe runtime for a toolchain that cannot be patched. It has the
// interface of the one in the shadow GOROOT and writes the same file, but it is pure Go: nothing
// in package runtime knows about it.
//
// It recognises goroutines by two means that package runtime offers to everyone. A goroutine
// inherits the profiler label of the one that started it: the label leads to the goroutine's own
// [Buf], or to that of an ancestor. The setting of debug.SetPanicOnFault belongs to one goroutine
// and is not inherited: if it is off, the goroutine is new and its label is an ancestor's. Both
// together take 3 ns for each function call, against less than 1 ns in the shadow GOROOT.
//
// A program can notice the following: a fault at an address that is neither nil nor mapped is a
// panic instead of a crash; a new goroutine costs a few microseconds and allocates; so does a go
// statement. Profiler labels set by the program work as before. The code keeps to the language of
// Go 1.16, because in the main module the go line of go.mod applies to this package too.
package fdebugrt

import "unsafe"

// A Buf holds where one goroutine writes next in the trace file, and what is known about that
// goroutine. Only that goroutine uses it.
type Buf struct {
	pos, end uintptr // where the next event goes; integers, because pointers would need write barriers

	id, parent uint64
	goid       uint64
	test       uint32 // serial of its test, or 0
	serial     uint32 // number in the trace file, 0 until it has run a probe
	unnamed    bool   // started by package testing to run a test whose name is not known yet
	root       bool   // whether it runs the test function itself
	ordinal    uint32 // of the chunk that pos points into
	chunk      uintptr
	hashes     uintptr // next free slot in a hash record
	hashesEnd  uintptr
	spawn      frame // the go statement that started it
	entry      frame // the function it was started with
	started    int64
	spawns     []spawnCount
}

// A spawnCount counts how often a goroutine ran one go statement.
type spawnCount struct{ site, n uint32 }

// Cur returns the calling goroutine's Buf.
//
//go:norace
//go:nocheckptr
func Cur() *Buf {
	l := (*label)(getLabel())
	if setPanicOnFault(true) && l != nil && l.magic == labelMagic {
		return l.buf
	}
	return enter(l)
}

// Hit writes one event. It must stay cheap enough to be inlined.
//
//go:norace
//go:nocheckptr
func (b *Buf) Hit(n uint32) {
	if b.pos == b.end {
		b.more()
	}
	*(*uint32)(unsafe.Pointer(b.pos)) = n
	b.pos += 4
}

// Spawn precedes a go statement, whose number is site. It labels the calling goroutine, so that
// the new one can tell which it is, however late it first runs.
//
//go:norace
func (b *Buf) Spawn(site uint32) {
	prev := getLabel()
	l := &label{magic: labelMagic, buf: b, ticket: true, site: site, nth: b.count(site), prev: prev}
	l.keepList((*label)(prev))
	setLabel(unsafe.Pointer(l))
}

// Spawned follows a go statement and undoes Spawn.
//
//go:norace
//go:nocheckptr
func (b *Buf) Spawned() {
	if l := (*label)(getLabel()); l != nil && l.magic == labelMagic && l.ticket {
		setLabel(l.prev)
	}
}

// Unnamed reports whether the goroutine runs a test whose name is not known. Functions with a
// *testing.T check this first, because they may be helpers of a test.
//
//go:norace
func (b *Buf) Unnamed() bool { return b.unnamed }

// Test makes the goroutine the root of the named test.
//
//go:norace
func (b *Buf) Test(name string) {
	key := hashString(name)
	lock()
	nth := arrivals.next(key)
	*b = Buf{id: Mix(key, uint64(nth)), parent: b.parent, goid: b.goid, root: true,
		spawn: b.spawn, entry: b.entry, started: nanotime()}
	b.test = file.test(name, nth)
	unlock()
}

// Done marks the end of the test function. Its cleanups run after it.
//
//go:norace
func (b *Buf) Done() {
	lock()
	if b.test != 0 {
		file.record(RawTestEnd, 0, b.test, 0, 0)
	}
	unlock()
}

//go:norace
func (b *Buf) count(site uint32) uint32 {
	for i := range b.spawns {
		if c := &b.spawns[i]; c.site == site {
			c.n++
			return c.n
		}
	}
	b.spawns = append(b.spawns, spawnCount{site, 1})
	return 1
}
