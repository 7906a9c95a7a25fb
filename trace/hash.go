package trace

import "math/bits"

// HashEvents returns the hash of a chunk of events. The probe runtime computes the same function
// in the traced process for chunks beyond the budget, so it is a simple loop: four lanes of
// multiply and rotate, as in xxHash.
func HashEvents(events []Event) uint64 {
	const (
		p1 = 0x9E3779B185EBCA87
		p2 = 0xC2B2AE3D27D4EB4F
	)
	var h [4]uint64
	h[0], h[1], h[2], h[3] = p1, p2, p1^p2, uint64(len(events))
	i := 0
	for ; i+8 <= len(events); i += 8 {
		for l := range h {
			w := uint64(events[i+2*l]) | uint64(events[i+2*l+1])<<32
			h[l] = bits.RotateLeft64(h[l]+w*p2, 31) * p1
		}
	}
	for ; i < len(events); i++ {
		h[0] = bits.RotateLeft64(h[0]+uint64(events[i])*p2, 31) * p1
	}
	x := bits.RotateLeft64(h[0], 1) + bits.RotateLeft64(h[1], 7) + bits.RotateLeft64(h[2], 12) +
		bits.RotateLeft64(h[3], 18)
	x ^= x >> 33
	x *= p2
	x ^= x >> 29
	x *= p1
	return x ^ x>>32
}
