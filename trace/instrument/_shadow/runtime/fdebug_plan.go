package runtime

// The plan: the perturbations for this process, in the file that FDEBUG_PERTURB names. Its layout
// is documented in fdebug's package perturb (encode.go). It is read before the keys of hashes are
// drawn, when nothing can be allocated yet.

import "unsafe"

const (
	fdebugPlanHeader   = 256
	fdebugPlanProcess  = 64 // offset
	fdebugPlanPosition = 64 // size
	fdebugPlanPin      = 16
	fdebugPlanMax      = 64 << 20

	fdebugActStall  = 1
	fdebugActOrder  = 2
	fdebugActYield  = 3
	fdebugActSched  = 4
	fdebugActSelect = 5
	fdebugActMap    = 6
	fdebugActRand   = 7
	fdebugActUntil  = 256 // for an order: the position that the other goroutine waits for
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
	_     uint32
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
	acts      bool // there are positions, yields or priorities, and they are for this process
	positions uintptr
	pins      uintptr
	settings  uintptr
	numPos    uint32
	numPins   uint32
	numSets   uint32
	test      string // "" for all
	yields    fdebugDice
	sched     fdebugDice
	stalls    int64 // longest random stall
	priority  bool  // whether there are priorities
	path      fdebugPath
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
	path := fdebugEarlyEnv("FDEBUG_PERTURB=")
	if path == "" || len(path) >= fdebugMaxName {
		return
	}
	p.path.set(path, false)
	fd := open(&p.path[0], fdebugCloexec, 0)
	if fd < 0 {
		return
	}
	if fdebugReadAll(fd, unsafe.Pointer(&p.header), fdebugPlanHeader) && *(*[8]byte)(unsafe.Pointer(&p.header)) == [8]byte{'f', 'd', 'b', 'p', 'l', 'a', 'n', '1'} &&
		fdebugIsProcess(&p.header) {
		fdebugReadRest(fd)
	}
	closefd(fd)
}

// fdebugReadRest reads what follows the header.
func fdebugReadRest(fd int32) {
	p := &fdebugPlan
	h := unsafe.Pointer(&p.header)
	word := func(off uintptr) uint32 { return *(*uint32)(add(h, off)) }
	long := func(off uintptr) uint64 { return *(*uint64)(add(h, off)) }
	positions, pins, settings, test := uintptr(word(12)), uintptr(word(16)), uintptr(word(60)), uintptr(word(20))
	n := uintptr(word(8)) - fdebugPlanHeader
	if n > fdebugPlanMax || positions > n || pins > n || settings > n || test > n ||
		positions*fdebugPlanPosition+pins*fdebugPlanPin+settings*fdebugPlanSetting+test != n {
		return
	}
	if n > 0 {
		mem, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
		if err != 0 || !fdebugReadAll(fd, mem, n) {
			return
		}
		p.positions = uintptr(mem)
	}
	p.pins = p.positions + positions*fdebugPlanPosition
	p.settings = p.pins + pins*fdebugPlanPin
	p.test = unsafe.String((*byte)(unsafe.Pointer(p.settings+settings*fdebugPlanSetting)), int(test))
	p.numPos, p.numPins, p.numSets = uint32(positions), uint32(pins), uint32(settings)
	p.yields = fdebugDice{seed: long(24), density: word(40)}
	p.stalls = int64(long(32))
	p.sched = fdebugDice{seed: long(48), density: word(44)}
	p.priority = word(56) != 0
	fdebugOpenFirst = fdebugTracing
	fdebugPinned = pins > 0
	fdebugReadSettings()
}

func fdebugReadAll(fd int32, p unsafe.Pointer, n uintptr) bool {
	for n > 0 {
		k := read(fd, p, int32(n))
		if k <= 0 {
			return false
		}
		p = add(p, uintptr(k))
		n -= uintptr(k)
	}
	return true
}

// fdebugEarlyEnv returns what follows the prefix in the environment, like getGodebugEarly.
func fdebugEarlyEnv(prefix string) string {
	for i := argc + 1; ; i++ {
		p := argv_index(argv, i)
		if p == nil {
			return ""
		}
		s := unsafe.String(p, findnull(p))
		if len(s) >= len(prefix) && s[:len(prefix)] == prefix {
			return s[len(prefix):]
		}
	}
}

// fdebugIsProcess reports whether the plan with the given header is for this
// executable.
func fdebugIsProcess(header *[fdebugPlanHeader]byte) bool {
	header[fdebugPlanHeader-1] = 0
	name := &header[fdebugPlanProcess]
	want := unsafe.String(name, findnull(name))
	if want == "" || argc == 0 {
		return want == ""
	}
	arg := argv_index(argv, 0)
	self := unsafe.String(arg, findnull(arg))
	for i := len(self); i > 0; i-- {
		if self[i-1] == '/' {
			return self[i:] == want
		}
	}
	return self == want
}

// fdebugStartPlan activates the plan if it is for this process. It is not for a process that this
// one started, which inherits the environment and would draw the same as its parent and its
// siblings. The trace file is open.
func fdebugStartPlan(first bool) {
	fdebugReadPlan()
	p := &fdebugPlan
	fdebugPinned = fdebugPinned && first
	if !first {
		fdebugUnset()
	}
	p.acts = first && (p.numPos > 0 || p.yields.density > 0 || p.priority)
}

// fdebugInTest reports whether the plan is for goroutines of the named test.
func fdebugInTest(name string) bool {
	t := fdebugPlan.test
	return len(name) >= len(t) && name[:len(t)] == t && (len(name) == len(t) || name[len(t)] == '/')
}
