//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fdebugrt

import (
	"syscall"
	"unsafe"
)

// A mapping is the trace file as the system sees it: mapped and shared, so that
// whatever ends the process loses nothing.
type mapping struct{ fd int }

// create creates the file. A test binary that starts itself again passes
// FDEBUG_TRACE on: the second process adds its process id to the name.
func (m *mapping) create(path string) bool {
	const flags = syscall.O_RDWR | syscall.O_CREAT | syscall.O_EXCL | syscall.O_CLOEXEC
	fd, err := syscall.Open(path, flags, 0o644)
	if err != nil {
		fd, err = syscall.Open(withPID(path), flags, 0o644)
	}
	if err != nil {
		return false
	}
	// Out of the way: programs count file descriptors, print them, and close
	// what they take for their own.
	m.fd = fd
	if high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 1000); errno == 0 {
		syscall.Close(fd)
		m.fd = int(high)
	}
	return true
}

// zeros is what a new part of the file is filled with. Large writes get large
// pages from the system, to which the first store is then cheaper.
var zeros [1 << 20]byte

// grow makes the file n bytes longer and returns the address of the new part, 0
// if that fails. The zeros are written out, not left as a hole: a store to a
// mapped page for which the disk has no room would kill the process.
func (m *mapping) grow(off, n uint64) uintptr {
	for left := n; left > 0; {
		part := zeros[:]
		if left < uint64(len(part)) {
			part = part[:left]
		}
		w, err := syscall.Write(m.fd, part)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || w <= 0 {
			// What there was room for is of no use, and would keep the disk full.
			syscall.Ftruncate(m.fd, int64(off))
			return 0
		}
		left -= uint64(w)
	}
	b, err := syscall.Mmap(m.fd, int64(off), int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return 0
	}
	return uintptr(unsafe.Pointer(&b[0]))
}
