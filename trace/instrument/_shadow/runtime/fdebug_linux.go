package runtime

import (
	syscall "internal/runtime/syscall/linux"
	"unsafe"
)

const (
	fdebugReadWrite  = 0x2
	fdebugExclusive  = 0x80
	fdebugMapShared  = 0x1
	fdebugDupCloexec = 0x406
	fdebugCloexec    = 0x80000
)

func fdebugPID() int { return int(fdebugSyscall(fdebugGetpid, 0, 0, 0, 0)) }

// fdebugGrow makes the file n bytes longer and its blocks allocated, by writing
// zeros to it: a store to a mapped page for which the disk has no room would
// kill the process. fallocate would do that too, but the first store to each
// page then costs four times as much (on ext4 1.6 ns for each event, all in all,
// against 0.9): large writes make large pages.
func fdebugGrow(fd int32, size, n uintptr) bool {
	if fdebugWriteZeros(fd, n) {
		return true
	}
	// What there was room for is of no use, and would keep the disk full.
	fdebugSyscall(fdebugFtruncate, uintptr(fd), size, 0, 0)
	return false
}

// fdebugSize returns the size of the file, at the end of which it is written on.
func fdebugSize(fd int32) uintptr {
	const seekEnd = 2
	return uintptr(max(fdebugSyscall(fdebugLseek, uintptr(fd), 0, seekEnd, 0), 0))
}

// fdebugWorked returns for how long the thread has had a processor.
func fdebugWorked() int64 {
	const ofThread = 3
	var ts [2]int64 // seconds, nanoseconds
	if fdebugSyscall(fdebugClockGettime, ofThread, uintptr(unsafe.Pointer(&ts)), 0, 0) != 0 {
		return nanotime()
	}
	return ts[0]*1e9 + ts[1]
}

// fdebugSyscall returns the result, or minus the error number.
func fdebugSyscall(num, a1, a2, a3, a4 uintptr) int64 {
	r, _, errno := syscall.Syscall6(num, a1, a2, a3, a4, 0, 0)
	if errno != 0 {
		return -int64(errno)
	}
	return int64(r)
}

var fdebugZeros [1 << 20]byte // never written, and so never in memory

// fdebugWriteZeros makes the file longer by writing to it. The file's offset
// is its end, since nothing else writes to it.
func fdebugWriteZeros(fd int32, n uintptr) bool {
	for n > 0 {
		k := min(n, unsafe.Sizeof(fdebugZeros))
		w := write1(uintptr(fd), unsafe.Pointer(&fdebugZeros), int32(k))
		if w == -_EINTR {
			continue
		}
		if w <= 0 {
			return false
		}
		n -= uintptr(w)
	}
	return true
}
