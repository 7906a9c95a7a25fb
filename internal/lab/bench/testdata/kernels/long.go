package kernels

import "math/rand/v2"

// LongEvents is how many events one iteration of Long makes, about.
const LongEvents = 7

// Long loops n times over a step that branches on the bits of a linear
// congruential generator. At iteration part it makes a detour of one block if
// bad is set. Between two random detours are noise iterations on average; 0 is
// for none.
func Long(n, part, noise int, bad bool) (sum int) {
	next := -1
	if noise > 0 {
		next = rand.IntN(2 * noise)
	}
	x := uint32(1)
	for i := range n {
		x = x*1664525 + 1013904223
		sum += longStep(x, sum)
		if i == next {
			next += 1 + rand.IntN(2*noise)
		}
		if bad && i == part {
			sum++
		}
	}
	return sum
}

func longStep(x uint32, sum int) int {
	switch x >> 30 {
	case 0:
		sum ^= 1
	case 1:
		sum += 2
	default:
		sum--
	}
	if x&0x10000 != 0 {
		return sum * 3
	}
	return sum
}
