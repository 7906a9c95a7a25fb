//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package fdebugrt

// A mapping is the system's part of the trace file. This system cannot map files, so nothing is
// recorded.
type mapping struct{}

func (m *mapping) create(path string) bool    { return false }
func (m *mapping) grow(off, n uint64) uintptr { return 0 }
