//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fdebugrt

import (
	"syscall"
	"unsafe"
)

// A mapping is the system's part of the trace file: mapped and shared, so that nothing is lost
// however the process ends.
type mapping struct{ fd int }

// create creates the file. A test binary that starts itself again passes FDEBUG_TRACE on, so the
// second process adds its process id to the name.
func (m *mapping) create(path string) bool {
	const flags = syscall.O_RDWR | syscall.O_CREAT | syscall.O_EXCL | syscall.O_CLOEXEC
	fd, err := syscall.Open(path, flags, 0o644)
	if err != nil {
		fd, err = syscall.Open(withPID(path), flags, 0o644)
	}
	if err != nil {
		return false
	}
	// Use a high number: programs count file descriptors, print them, and close those they take
	// for their own.
	m.fd = fd
	if high, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, 1000); errno == 0 {
		syscall.Close(fd)
		m.fd = int(high)
	}
	return true
}

// zeros fills a new part of the file. For large writes the system uses large pages, whose first
// store is cheaper.
var zeros [1 << 20]byte

// grow extends the file by n bytes and returns the address of the new part, or 0 on failure. It
// writes zeros instead of leaving a hole: a store to a mapped page for which the disk has no room
// would kill the process.
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
			// A partial extension is useless, and would keep the disk full.
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
