package syscall

import (
	"runtime"
	"unsafe"
)

//fdebug:lost what the clock says, and when timers fire, cannot be varied
//fdebug:patch syscall/syscall_linux.go func RawSyscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {{+
//	fdebugCall(trap, a1, a2);+}
//fdebug:patch syscall/syscall_linux.go func Syscall(trap, a1, a2, a3 uintptr) (r1, r2 uintptr, err Errno) {{+
//	fdebugCall(trap, a1, a2);+}
//fdebug:patch syscall/syscall_linux.go func Syscall6(trap, a1, a2, a3, a4, a5, a6 uintptr) (r1, r2 uintptr, err Errno)
//	{{+ fdebugCall(trap, a1, a2);+}

// fdebugCall is called before each system call. Those that return times, and those with names of
// files, matter. The stack must not move.
//
//go:nosplit
//go:norace
func fdebugCall(trap, a1, a2 uintptr) {
	if !runtime.FdebugClocked() {
		return
	}
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
