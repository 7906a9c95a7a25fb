package runtime

// Goroutine identity: a hash of its creator, the place, and the number of goroutines started there before. It
// is the same in every run of one binary.

import (
	"internal/runtime/atomic"
	"unsafe"
)

//fdebug:need goroutines cannot be told apart by who started them
//fdebug:patch runtime/runtime2.go type g struct { ... goid uint64{+; fdebug fdebugG+}
//fdebug:patch runtime/proc.go newg.startpc = fn.fn{+; fdebugNewG(newg, callergp, callerpc, fn.fn)+}

//fdebug:lost the end of goroutines is not recorded
//fdebug:patch runtime/proc.go func gdestroy(gp *g) {{+ fdebugEndG(gp);+}

//fdebug:lost goroutines cannot be assigned to tests
//fdebug:patch testing/testing.go func tRunner(t *T, fn func(t *T)) {{+ runtime.FdebugTest(t.name);+}
//fdebug:patch testing/fuzz.go func fRunner(f *F, fn func(*F)) {{+ runtime.FdebugTest(f.name);+}
//fdebug:patch testing/run_example.go func runExample(eg InternalExample) (ok bool) {{+
//	defer runtime.FdebugTest(eg.Name).Restore();+}

// fdebugNewG gives a new goroutine its identity. It runs in newproc1.
func fdebugNewG(newg, callergp *g, pc, entryPC uintptr) {
	d := &newg.fdebug
	*d = fdebugG{spawnPC: pc, entryPC: entryPC, started: fdebugTime()}
	if isSystemGoroutine(newg, false) {
		return // finalizers and the like belong to no test, whoever starts them
	}
	p := &callergp.fdebug
	d.parent, d.test, d.testKey = p.id, p.test, p.testKey
	d.id, d.class = p.child(pc), p.childClass(pc)
	d.root = p.inSpec
	if fdebugSet[fdebugActLimits] || fdebugSet[fdebugActRead] {
		d.asker = p.asking()
	}
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

// childClass returns the class of the goroutines that p's class starts at pc.
func (p *fdebugG) childClass(pc uintptr) uint64 {
	return fdebugMix(p.class, uint64(uint32(pc-firstmoduledata.text)))
}

// fdebugCounters counts by key what does not fit into a g: goroutines started by a fifth or later
// go statement, and executions of tests with one name.
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
		fdebugSetFlag(fdebugRawIdentity)
	}
	return 0
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
		d.missedAll()
		fdebugRecord(fdebugRawEnd, 0, d.serial, 0, 0)
	}
	if d.root {
		fdebugRecord(fdebugRawTestEnd, 0, d.test, 0, 0)
	}
}

// A FdebugChild is a goroutine that the scheduler will start later, perhaps more than once.
type FdebugChild struct {
	id, parent uint64
	class      uint64
	testKey    uint64
	test       uint32
	fired      uint32 // how often it was started
	spawnPC    uintptr
	entryPC    uintptr
}

// Spawn makes c a child of the calling goroutine that will run f. skip is the number of callers
// to skip, 0 for Spawn's own caller.
func (c *FdebugChild) Spawn(skip int, f func()) {
	var pc [1]uintptr
	callers(skip+1, pc[:])
	d := &getg().fdebug
	c.id, c.parent, c.test, c.testKey = d.child(pc[0]), d.id, d.test, d.testKey
	c.class, c.spawnPC = d.childClass(pc[0]), pc[0]
	c.entryPC = **(**uintptr)(unsafe.Pointer(&f))
}

// Adopt makes the calling goroutine c, which a timer may have started. One that was reset starts several goroutines; each
// has its own identity.
func (c *FdebugChild) Adopt(timer bool) {
	id := c.id
	if n := atomic.Xadd(&c.fired, 1); n > 1 {
		id = fdebugMix(id, uint64(n))
	}
	getg().fdebug = fdebugG{id: id, parent: c.parent, class: c.class, test: c.test, testKey: c.testKey,
		spawnPC: c.spawnPC, entryPC: c.entryPC, started: fdebugTime(), wait: fdebugWait{timer: timer}}
}

// A FdebugSaved keeps a goroutine's identity and position in the trace.
type FdebugSaved struct{ g fdebugG }

// FdebugTest makes the calling goroutine the root of the named test. It does nothing for the
// nameless test that starts all others, nor inside a test with the same name: synctest.Test runs
// its function as another test of that name.
func FdebugTest(name string) FdebugSaved {
	d := &getg().fdebug
	saved := FdebugSaved{*d}
	key := FdebugName(name)
	if name == "" || key == d.testKey {
		return saved
	}
	nth := fdebugCounter(key)
	*d = fdebugG{id: fdebugMix(key, uint64(nth)), parent: d.parent, class: key, testKey: key, root: true,
		spawnPC: d.spawnPC, entryPC: d.entryPC, started: fdebugTime()}
	if fdebugTracing() {
		d.test = fdebugWriteTest(name, nth)
		fdebugStartClock()
	}
	return saved
}

// Restore undoes FdebugTest.
func (s FdebugSaved) Restore() {
	d := &getg().fdebug
	d.finish()
	*d = s.g
}

// fdebugSuite is the test that runs specs one after another, and its identity between them.
var fdebugSuite struct {
	goid uint64 // of its goroutine, 0 between specs
	g    fdebugG
}

// FdebugSpec says that the goroutine that started the calling one begins to run a spec, or has
// ended it if spec is "". That goroutine is the root of the test suite, and waits for the calling
// one. Until the end of the spec, it starts a goroutine for each part of the spec, and waits for
// it. These are the roots of the spec.
func FdebugSpec(suite, spec string) {
	gp := fdebugStarter()
	s := &fdebugSuite
	if gp == nil || !fdebugTracing() {
		return
	}
	d := &gp.fdebug
	if s.goid == gp.goid {
		fdebugRecord(fdebugRawTestEnd, 0, d.test, 0, 0)
		d.become(&s.g)
		s.goid = 0
	}
	if spec == "" || d.testKey != FdebugName(suite) {
		return
	}
	s.goid, s.g = gp.goid, *d
	key := FdebugName(spec)
	nth := fdebugCounter(key)
	d.become(&fdebugG{id: fdebugMix(key, uint64(nth)), class: key, testKey: key,
		test: fdebugWriteTest(spec, nth), inSpec: true})
	fdebugStartClock()
}

// become makes d start goroutines as o would. What d writes itself goes on.
func (d *fdebugG) become(o *fdebugG) {
	d.id, d.class, d.testKey, d.test, d.spawns = o.id, o.class, o.testKey, o.test, o.spawns
	d.inSpec = o.inSpec
}

// fdebugStarter returns the goroutine that started the calling one, nil if it has ended.
func fdebugStarter() (found *g) {
	goid := getg().parentGoid
	forEachGRace(func(gp *g) {
		if gp.goid == goid && readgstatus(gp)&^_Gscan != _Gdead {
			found = gp
		}
	})
	return found
}

func FdebugName(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return fdebugMix(h, 0x7e57)
}

func fdebugWriteTest(name string, nth uint32) uint32 {
	name = fdebugCut(name)
	f := &fdebugFile
	fdebugLock()
	fdebugNoteTest(name)
	f.tests++
	serial := f.tests
	if p := fdebugReserve(fdebugRawTest, uintptr(8+len(name)), serial, nth, 0); p != 0 {
		*(*uint32)(unsafe.Pointer(p + fdebugRecHeaderSize)) = uint32(len(name))
		memmove(unsafe.Pointer(p+fdebugRecHeaderSize+8), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
		fdebugCommit()
	}
	fdebugUnlock()
	return serial
}
