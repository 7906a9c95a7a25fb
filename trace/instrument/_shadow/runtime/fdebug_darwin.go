package runtime

import "unsafe"

const (
	fdebugReadWrite  = 0x2
	fdebugExclusive  = 0x800
	fdebugMapShared  = 0x1
	fdebugDupCloexec = 67
	fdebugCloexec    = 0x1000000
)

// fdebugPID distinguishes processes. The runtime has no getpid on this system.
func fdebugPID() int { return int(uint32(nanotime()) &^ (1 << 31)) }

var fdebugZeros [64 << 10]byte

// fdebugGrow extends the file by n bytes and allocates its blocks by writing zeros: a store to a
// mapped page for which the disk has no room would kill the process. The file offset is at the
// end, because nothing else writes.
func fdebugGrow(fd int32, size, n uintptr) bool {
	for n > 0 {
		k := min(n, unsafe.Sizeof(fdebugZeros))
		w := write1(uintptr(fd), unsafe.Pointer(&fdebugZeros), int32(k))
		if w <= 0 {
			return false
		}
		n -= uintptr(w)
	}
	return true
}
