package runtime

// The plan: the perturbations for this process, in the file that FDEBUG_PERTURB names. Its layout
// is documented in fdebug's package freedom (encode.go). It is read before the keys of hashes are
// drawn, when nothing can be allocated yet.

import "unsafe"

const (
	fdebugPlanHeader   = 256
	fdebugPlanProcess  = 64 // offset
	fdebugPlanPosition = 64 // size
	fdebugPlanPin      = 16
	fdebugPlanMax      = 64 << 20

	fdebugActUntil = 256 // for an order: the position that the other goroutine waits for

	fdebugPlanEnv = "FDEBUG_PERTURB="
)

// A fdebugPosition is where a perturbation acts, as in the file.
type fdebugPosition struct {
	who   uint64 // identity times two, or class times two plus 1
	event uint64
	block uint32
	hit   uint32
	kind  uint32
	first uint32
	index uint32
	until uint32 // of an order: the one whose other position it waits for
	dose  int64
	taken uint32 // 0 in the file; 1 once the first goroutine of a class has come
	_     [12]byte
}

// A fdebugPin is a seed for the draws of a kind.
type fdebugPin struct {
	kind, block uint32
	seed        uint64
}

var fdebugPlan struct {
	read      bool
	acts      bool // there are positions, and they are for this process
	positions uintptr
	pins      uintptr
	settings  uintptr
	numPos    uint32
	numPins   uint32
	numSets   uint32
	header    [fdebugPlanHeader]byte
}

// fdebugReadPlan reads the plan, when it is called for the first time. It runs on g0 in
// schedinit, or with the lock of the trace file.
func fdebugReadPlan() {
	p := &fdebugPlan
	if p.read {
		return
	}
	p.read = true
	fd := fdebugOpenPlan()
	if fd < 0 {
		return
	}
	if fdebugReadAll(fd, unsafe.Pointer(&p.header), fdebugPlanHeader) &&
		*(*[8]byte)(unsafe.Pointer(&p.header)) == [8]byte{'f', 'd', 'b', 'p', 'l', 'a', 'n', '1'} &&
		fdebugIsProcess(&p.header) {
		fdebugReadRest(fd)
	}
	fdebugClose(fd)
}

// fdebugReadRest reads what follows the header.
func fdebugReadRest(fd int32) {
	p := &fdebugPlan
	h := unsafe.Pointer(&p.header)
	word := func(off uintptr) uint32 { return *(*uint32)(add(h, off)) }
	positions, pins, settings := uintptr(word(12)), uintptr(word(16)), uintptr(word(60))
	n := uintptr(word(8)) - fdebugPlanHeader
	if n > fdebugPlanMax || positions > n || pins > n || settings > n ||
		positions*fdebugPlanPosition+pins*fdebugPlanPin+settings*fdebugPlanSetting != n {
		return
	}
	if n > 0 {
		mem := fdebugMemory(n)
		if mem == nil || !fdebugReadAll(fd, mem, n) {
			return
		}
		p.positions = uintptr(mem)
	}
	p.pins = p.positions + positions*fdebugPlanPosition
	p.settings = p.pins + pins*fdebugPlanPin
	p.numPos, p.numPins, p.numSets = uint32(positions), uint32(pins), uint32(settings)
	fdebugOpenFirst = fdebugTracing
	fdebugPinned = pins > 0
	fdebugReadSettings()
}

func fdebugReadAll(fd int32, p unsafe.Pointer, n uintptr) bool {
	for n > 0 {
		k := fdebugReadFile(fd, p, int32(n))
		if k <= 0 {
			return false
		}
		p = add(p, uintptr(k))
		n -= uintptr(k)
	}
	return true
}

// fdebugIsProcess reports whether the plan with the given header is for this
// executable.
func fdebugIsProcess(header *[fdebugPlanHeader]byte) bool {
	header[fdebugPlanHeader-1] = 0
	name := &header[fdebugPlanProcess]
	want := unsafe.String(name, findnull(name))
	return want == "" || fdebugIsNamed(want)
}

// fdebugStartPlan activates the plan if it is for this process. In a process that this one started,
// which inherits the environment, goroutines are held at positions as in its parent. It would draw the same as its parent and its siblings, so nothing else is done there. The
// trace file is open.
func fdebugStartPlan(first bool) {
	fdebugReadPlan()
	p := &fdebugPlan
	fdebugPinned = fdebugPinned && first
	if !first {
		fdebugUnset()
	}
	p.acts = p.numPos > 0
}
