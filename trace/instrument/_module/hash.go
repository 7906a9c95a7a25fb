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
	file.setFlag(flagIdentity)
	return 0
}

//go:norace
func mix(a, b uint64) uint64 {
	x := a ^ (b+0x9E3779B97F4A7C15)*0xBF58476D1CE4E5B9
	x ^= x >> 30
	x *= 0x94D049BB133111EB
	x ^= x >> 27
	x *= 0x9E3779B97F4A7C15
	return x ^ x>>31
}

//go:norace
func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h, 0x7e57)
}

// hashEvents is trace.HashEvents of the n words at p.
//
//go:norace
func hashEvents(p, n uintptr) uint64 {
	const (
		p1 = 0x9E3779B185EBCA87
		p2 = 0xC2B2AE3D27D4EB4F
	)
	h0, h1, h2, h3 := uint64(p1), uint64(p2), uint64(p1^p2), uint64(n)
	for ; n >= 8; n -= 8 {
		h0 = hashRound(h0, p)
		h1 = hashRound(h1, p+8)
		h2 = hashRound(h2, p+16)
		h3 = hashRound(h3, p+24)
		p += 32
	}
	x := (h0<<1 | h0>>63) + (h1<<7 | h1>>57) + (h2<<12 | h2>>52) + (h3<<18 | h3>>46)
	x ^= x >> 33
	x *= p2
	x ^= x >> 29
	x *= p1
	return x ^ x>>32
}

//go:norace
func hashRound(h uint64, p uintptr) uint64 {
	h += (uint64(get32(p)) | uint64(get32(p+4))<<32) * 0xC2B2AE3D27D4EB4F
	return (h<<31 | h>>33) * 0x9E3779B185EBCA87
}
