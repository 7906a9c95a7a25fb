package runtime

import "internal/runtime/atomic"

// What the operating system gives: how much a read returns, in which order directories
// are read, whether a port is free, how many files there may be, whether there is a
// network, and where directories are. Each is of interest
// only if a plan says so.

var fdebugReads, fdebugDirs, fdebugLimited bool

// fdebugMostReads is how many reads may be short: byte by byte a long stream takes for
// ever.
const fdebugMostReads = 4096

var fdebugShortened uint32

// FdebugRead returns how many of n bytes a read from a socket or pipe asks for.
func FdebugRead(n int) int {
	if fdebugReads {
		return fdebugRead(n)
	}
	return n
}

func fdebugRead(n int) int {
	block := fdebugAsker(fdebugActRead)
	if block == 0 {
		return n
	}
	most, ok := fdebugFindSetting(fdebugActRead, fdebugReadMost, block)
	if !ok || int64(n) <= most || atomic.Xadd(&fdebugShortened, 1) > fdebugMostReads {
		return n
	}
	return int(most)
}

// FdebugEntries puts n entries of a directory into another order.
func FdebugEntries(n int, swap func(i, j int)) {
	if fdebugDirs && n > 1 {
		fdebugEntries(n, swap)
	}
}

func fdebugEntries(n int, swap func(i, j int)) {
	block := fdebugAsker(fdebugActDir)
	if block == 0 {
		return
	}
	seed, ok := fdebugFindSetting(fdebugActDir, fdebugDirOrder, block)
	if !ok {
		return
	}
	for i := n - 1; i > 0; i-- {
		swap(i, int(fdebugMix(uint64(seed), uint64(i))%uint64(i+1)))
	}
}

const (
	FdebugPortTaken = 1 + iota
	FdebugPortFree
)

// fdebugTaken is the port that is in use, plus 1; 0: none yet.
var fdebugTaken uint32

// FdebugBind says what becomes of a port that a program chose.
func FdebugBind(port int) int {
	if !fdebugLimited || port == 0 {
		return 0
	}
	block := fdebugAsker(fdebugActLimits)
	if block == 0 {
		return 0
	}
	if _, ok := fdebugFindSetting(fdebugActLimits, fdebugPortFree, block); ok {
		return FdebugPortFree
	}
	if _, ok := fdebugFindSetting(fdebugActLimits, fdebugPortTaken, block); ok {
		atomic.Cas(&fdebugTaken, 0, uint32(port)+1)
		if atomic.Load(&fdebugTaken) == uint32(port)+1 {
			return FdebugPortTaken
		}
	}
	return 0
}

var fdebugFiled uint32

// FdebugFiles returns how many descriptors there may be, the first time that a test
// asks; 0 for no limit.
func FdebugFiles() int64 {
	if !fdebugLimited || !atomic.Cas(&fdebugFiled, 0, 1) {
		return 0
	}
	n, _ := fdebugFindSetting(fdebugActLimits, fdebugFilesMost, 0)
	return n
}
