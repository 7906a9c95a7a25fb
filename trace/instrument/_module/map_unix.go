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
	m.fd = fd
	return err == nil
}

// zeros is what a new part of the file is filled with.
var zeros [64 << 10]byte

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
