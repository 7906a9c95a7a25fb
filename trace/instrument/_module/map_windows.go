package fdebugrt

import "syscall"

// A mapping is the system's part of the trace file: mapped, so that nothing is lost however the
// process ends.
type mapping struct{ fd syscall.Handle }

// create creates the file. A test binary that starts itself again passes FDEBUG_TRACE on, so the
// second process adds its process id to the name.
func (m *mapping) create(path string) bool {
	const flags = syscall.O_RDWR | syscall.O_CREAT | syscall.O_EXCL | syscall.O_CLOEXEC
	fd, err := syscall.Open(path, flags, 0o644)
	if err != nil {
		fd, err = syscall.Open(withPID(path), flags, 0o644)
	}
	m.fd = fd
	return err == nil
}

// grow extends the file by n bytes and returns the address of the new part, or 0 on failure. A
// mapping larger than the file extends the file.
func (m *mapping) grow(off, n uint64) uintptr {
	size := off + n
	h, err := syscall.CreateFileMapping(m.fd, nil, syscall.PAGE_READWRITE, uint32(size>>32), uint32(size), nil)
	if err != nil {
		return 0
	}
	defer syscall.CloseHandle(h) // the view keeps it open
	p, err := syscall.MapViewOfFile(h, syscall.FILE_MAP_READ|syscall.FILE_MAP_WRITE, uint32(off>>32),
		uint32(off), uintptr(n))
	if err != nil {
		return 0
	}
	return p
}
