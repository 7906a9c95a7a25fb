//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package fdebugrt

// A mapping is the trace file as the system sees it. On this system files
// cannot be mapped: nothing is recorded.
type mapping struct{}

func (m *mapping) create(path string) bool    { return false }
func (m *mapping) grow(off, n uint64) uintptr { return 0 }
