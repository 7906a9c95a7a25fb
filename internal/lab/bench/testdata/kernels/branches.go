// Package kernels has the programs that the price of tracing is measured on.
// Each is a loop of one kind of work; the tests run them with a fixed amount.
package kernels

// Branches does next to nothing but decide: two conditions and a switch on the
// bits of a linear congruential generator for each iteration.
func Branches(n int) (sum int) {
	x := uint32(1)
	for range n {
		x = x*1664525 + 1013904223
		if x&0x10000 != 0 {
			sum++
		} else {
			sum--
		}
		if x&0x20000 == 0 {
			sum += 3
		}
		switch x >> 30 {
		case 0:
			sum ^= 1
		case 1:
			sum += 2
		default:
			sum -= 1
		}
	}
	return sum
}

// Sieve is a tight numeric loop over memory: the worst case per iteration.
func Sieve(n int) (primes int) {
	composite := make([]bool, n)
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		primes++
		for j := i * i; j < n; j += i {
			composite[j] = true
		}
	}
	return primes
}
