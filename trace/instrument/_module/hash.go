package fdebugrt

// counters counts by key in a table of fixed size. The race detector would see the accesses to a
// map.
type counters struct {
	tab [1 << 14]struct {
		key uint64
		n   uint32
	}
}

// next returns how often it was called with key before. The lock must be held.
//
//go:norace
func (c *counters) next(key uint64) uint32 {
	for i := uint64(0); i < 64; i++ {
		e := &c.tab[(key+i)%uint64(len(c.tab))]
		if e.n == 0 {
			e.key = key
		}
		if e.key == key {
			e.n++
			return e.n - 1
		}
	}
	file.setFlag(RawIdentity)
	return 0
}

//go:norace
func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return Mix(h, 0x7e57)
}
