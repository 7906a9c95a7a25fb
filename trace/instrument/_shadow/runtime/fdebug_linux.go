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

// fdebugGrow extends the file by n bytes and allocates its blocks by writing zeros: a store to a
// mapped page for which the disk has no room would kill the process. fallocate would do that too,
// but then the first store to each page costs more (on ext4, 1.6 ns for each event in all,
// instead of 0.9), because large writes create large pages.
func fdebugGrow(fd int32, size, n uintptr) bool {
	if fdebugWriteZeros(fd, n) {
		return true
	}
	// A partial extension is useless, and would keep the disk full.
	fdebugSyscall(fdebugFtruncate, uintptr(fd), size, 0, 0)
	return false
}

// fdebugSize returns the size of the file, and moves the offset to its end.
func fdebugSize(fd int32) uintptr {
	const seekEnd = 2
	return uintptr(max(fdebugSyscall(fdebugLseek, uintptr(fd), 0, seekEnd, 0), 0))
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

// fdebugWriteZeros extends the file by writing to it. The file offset is at the end, because
// nothing else writes.
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
