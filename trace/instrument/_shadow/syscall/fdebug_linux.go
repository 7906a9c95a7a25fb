package syscall

import (
	"runtime"
	"unsafe"
)

// fdebugCall is called before each system call. Those that return times, and those with names of
// files, matter. The stack must not move.
//
//go:nosplit
//go:norace
func fdebugCall(trap, a1, a2 uintptr) {
	switch trap {
	case SYS_CLOCK_GETTIME, SYS_GETTIMEOFDAY, SYS_SYSINFO, fdebugTime, fdebugStatx:
		runtime.FdebugKernelTime(false)
	case SYS_FSTAT:
		runtime.FdebugKernelTime(true)
	case fdebugFstatat:
		runtime.FdebugKernelTime(true)
		runtime.FdebugKernelPath((*byte)(unsafe.Pointer(a2)))
	case fdebugStat, fdebugLstat:
		runtime.FdebugKernelTime(true)
		runtime.FdebugKernelPath((*byte)(unsafe.Pointer(a1)))
	case SYS_OPENAT:
		runtime.FdebugKernelPath((*byte)(unsafe.Pointer(a2)))
	case fdebugOpen:
		runtime.FdebugKernelPath((*byte)(unsafe.Pointer(a1)))
	}
}
