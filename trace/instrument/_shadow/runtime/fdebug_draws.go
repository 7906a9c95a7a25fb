package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Draws: random choices that a program sees. With a pin, a choice is a function of the pin's
// seed, the goroutine, the block that draws, and how many times it has drawn. How often the
// goroutine went around another loop before, for example to poll, makes no difference. Goroutines
// on system stacks draw as usual.

//fdebug:lost which case a select chooses cannot be repeated
//fdebug:patch runtime/select.go j := cheaprandn(uint32(norder + 1)){+; j = fdebugSelect(j, norder)+}

//fdebug:lost the order of maps and random numbers cannot be repeated
//fdebug:patch runtime/rand.go func bootstrapRand() uint64 {{+ if r, ok := fdebugEarlyRand(); ok { return r };+}
//fdebug:patch runtime/rand.go func mrandinit(mp *m) {{+ fdebugEarly.over = true;+}
//fdebug:patch runtime/rand.go func rand() uint64 {{+
//	if fdebugPinned { if r, ok := fdebugRand(sys.GetCallerPC()); ok { return r } };+}
//fdebug:patch runtime/rand.go func maps_rand() uint64 {{+
//	if fdebugPinned { if r, ok := fdebugRand(sys.GetCallerPC()); ok { return r } };+}

// fdebugHashSeed is the kind of draws that seed the hash of a map where it is made. What a program sees of them is the
// order in which a range walks the map, so they belong to no block: the pin of a block is about its walks alone.
const fdebugHashSeed = 1 << 5

// fdebugPinned reports whether there are pins.
var fdebugPinned bool

// fdebugDrawn counts the draws of a goroutine. Blocks whose numbers are equal modulo the length
// share a count, so the draws of one affect those of the other. Seeds of hashes are counted apart.
type fdebugDrawn [2][32]uint32

// next counts a draw and returns its number.
func (d *fdebugDrawn) next(kind, block uint32) uint64 {
	counts := &d[kind/fdebugHashSeed]
	n := &counts[(block+11*kind)%uint32(len(counts))]
	*n++
	return uint64(*n)
}

const fdebugEarlySeed = 1 // any seed will do

// fdebugEarly counts the draws before the first thread has its generator.
var fdebugEarly struct {
	n    uint64
	over bool
}

// fdebugEarlyRand returns the random numbers for hash keys and the heap address. If maps or
// random numbers are pinned, they are the same in each process, because maphash uses these keys
// too. No seed of one kind may change the draws of another kind, so the order of maps is left to
// their own seeds.
func fdebugEarlyRand() (uint64, bool) {
	if fdebugEarly.over {
		return 0, false
	}
	fdebugReadPlan()
	_, maps := fdebugSeed(fdebugActMap, 0)
	_, numbers := fdebugSeed(fdebugActRand, 0)
	if !maps && !numbers {
		return 0, false
	}
	fdebugEarly.n++
	return fdebugMix(fdebugEarlySeed, fdebugEarly.n), true
}

// fdebugSelect returns the random number below n+1 that a select uses instead of j.
func fdebugSelect(j uint32, n int) uint32 {
	if !fdebugPinned || n == 0 {
		return j
	}
	r, ok := fdebugDraw(fdebugActSelect)
	if !ok {
		return j
	}
	return uint32(r % uint64(n+1))
}

// fdebugRand returns the random number for the caller of rand at pc, if it is a caller whose
// choices the program sees.
func fdebugRand(pc uintptr) (uint64, bool) {
	kind := fdebugCaller(pc)
	if kind == 0 {
		return 0, false
	}
	return fdebugDraw(kind)
}

func fdebugDraw(kind uint32) (uint64, bool) {
	gp := getg()
	if gp.m.curg != gp || gp.fdebug.id == 0 {
		return 0, false
	}
	if fdebugFile.state.Load() == fdebugUnopened && !fdebugIsFirst() {
		return 0, false
	}
	d := &gp.fdebug
	block := d.last()
	seed, ok := fdebugSeed(kind, block)
	if !ok {
		return 0, false
	}
	if kind != fdebugHashSeed {
		fdebugDrawTable.count(kind, block, d.class)
	}
	return fdebugMix(fdebugMix(fdebugMix(seed+uint64(kind), d.id), uint64(block)), d.drawn.next(kind, block)), true
}

// fdebugIsFirst opens the trace file, and reports whether there still are pins.
func fdebugIsFirst() bool {
	fdebugOpenFirst()
	return fdebugPinned
}

// fdebugOpenFirst is a variable because the scheduler draws too, and there the compiler must not
// see a write barrier. The scheduler runs on system stacks, so it never calls it. It is set
// together with fdebugPinned.
var fdebugOpenFirst func() bool

// fdebugSeed returns the seed of the pin for draws of the kind by the block.
func fdebugSeed(kind, block uint32) (uint64, bool) {
	if kind == fdebugHashSeed {
		kind, block = fdebugActMap, 0
	}
	seed, ok := fdebugFindPin(kind, block)
	if !ok && block != 0 {
		seed, ok = fdebugFindPin(kind, 0)
	}
	return seed, ok
}

func fdebugFindPin(kind, block uint32) (uint64, bool) {
	pinAt := func(i uint32) *fdebugPin {
		return (*fdebugPin)(unsafe.Pointer(fdebugPlan.pins + uintptr(i)*fdebugPlanPin))
	}
	lo, hi := uint32(0), fdebugPlan.numPins
	for lo < hi {
		mid := (lo + hi) / 2
		if p := pinAt(mid); p.kind < kind || p.kind == kind && p.block < block {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == fdebugPlan.numPins {
		return 0, false
	}
	p := pinAt(lo)
	return p.seed, p.kind == kind && p.block == block
}

// last returns the last event of d, or 0 if there is none.
func (d *fdebugG) last() uint32 {
	if d.chunk == 0 {
		return 0
	}
	if p := d.exact(); p > d.chunk+fdebugRecHeaderSize {
		return *(*uint32)(unsafe.Pointer(p - 4))
	}
	return d.before
}

// fdebugCallers maps places to kinds of draws. An entry is the offset in the text, times 256,
// plus the kind plus 1.
var fdebugCallers [512]atomic.Uint64

// fdebugCaller returns the kind of the draws made at pc, or 0 if the program does not see them.
func fdebugCaller(pc uintptr) uint32 {
	off := uint64(pc - firstmoduledata.text)
	e := &fdebugCallers[off%uint64(len(fdebugCallers))]
	if w := e.Load(); w>>8 == off && w != 0 {
		return uint32(w&255) - 1
	}
	fn := findfunc(pc)
	if !fn.valid() {
		return 0
	}
	u, uf := newInlineUnwinder(fn, pc-1)
	kind := fdebugKindOf(u.srcFunc(uf).name())
	e.Store(off<<8 | uint64(kind+1))
	return kind
}

// fdebugKindOf returns the kind of the draws that a function makes. The compiler lets functions
// of any package draw the seeds of small maps. A sync.Map has no draw but that of its seed.
func fdebugKindOf(name string) uint32 {
	has := func(prefix string) bool { return len(name) > len(prefix) && name[:len(prefix)] == prefix }
	switch {
	case has("math/rand"), has("hash/maphash."), has("runtime.legacy_fastrand"):
		return fdebugActRand
	case name == "internal/runtime/maps.(*Iter).Init", has("internal/sync."), name == "runtime.f32hash",
		name == "runtime.f64hash":
		return fdebugActMap
	case has("internal/runtime/maps."), name == "runtime.rand32":
		return fdebugHashSeed
	case has("runtime."), has("internal/"), has("os."), has("net."), has("sync."), has("unique."):
		return 0 // file names, ports, sync.Pool
	}
	return fdebugHashSeed
}

// fdebugDraws counts the draws of each block, by kind and class.
type fdebugDraws struct {
	tab [1 << 12]struct {
		key   atomic.Uint64
		count uintptr // address in the trace file
	}
}

var fdebugDrawTable fdebugDraws

// count counts a draw, if the table has room for its place.
func (t *fdebugDraws) count(kind, block uint32, class uint64) {
	key := fdebugMix(uint64(kind)<<32|uint64(block), class) | 1
	for i := uint64(0); i < 16; i++ {
		e := &t.tab[(key>>8+i)%uint64(len(t.tab))]
		switch e.key.Load() {
		case key:
			*(*uint64)(unsafe.Pointer(e.count))++ // two threads may do so at once: a rough count is enough
			return
		case 0:
			if t.first(i, key, kind, block, class) {
				return
			}
		}
	}
}

// first writes the record of a place that draws for the first time. It returns false if another
// place has taken its entry.
func (t *fdebugDraws) first(i, key uint64, kind, block uint32, class uint64) bool {
	if fdebugFile.state.Load() != fdebugOn {
		return true
	}
	e := &t.tab[(key>>8+i)%uint64(len(t.tab))]
	fdebugLock()
	k := e.key.Load()
	if k == 0 {
		k = key
		if p := fdebugWriteDraw(kind, block, class); p != 0 {
			e.count = p
			e.key.Store(key)
		}
	}
	fdebugUnlock()
	return k == key
}

// fdebugWriteDraw writes a record of one draw, and returns the address of its
// count. The lock must be held.
func fdebugWriteDraw(kind, block uint32, class uint64) uintptr {
	p := fdebugReserve(fdebugRawDraw, 24, 0, 0, 0)
	if p == 0 {
		return 0
	}
	p += fdebugRecHeaderSize
	*(*uint32)(unsafe.Pointer(p)) = kind
	*(*uint32)(unsafe.Pointer(p + 4)) = block
	*(*uint64)(unsafe.Pointer(p + 8)) = class
	*(*uint64)(unsafe.Pointer(p + 16)) = 1
	fdebugCommit()
	return p + 16
}
