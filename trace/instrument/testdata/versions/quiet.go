package m

// down calls nothing, and panics if n is a multiple of 4.
func down(n int) (sum int) {
	for ; n >= 0; n-- {
		if n%4 == 0 {
			sum = n / (n % 4)
		}
		sum++
	}
	return sum
}
