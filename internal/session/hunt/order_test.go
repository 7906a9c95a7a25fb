package hunt

import (
	"fmt"
	"slices"
	"testing"
)

// Two orders that are each other's reverse would do for any number of tests. A few seeds come
// close to that.
func TestSeedsOf(t *testing.T) {
	for _, n := range []int{2, 3, 6, 40} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("Test", i))
		}
		seeds := seedsOf(names, shuffles)
		reversed := make(map[[2]int]bool)
		for _, seed := range seeds {
			order := shuffledOrder(n, n, seed)
			if sorted := slices.Sorted(slices.Values(order)); len(sorted) != n || sorted[n-1] != n-1 {
				t.Fatalf("seed %d: %v", seed, order)
			}
			for i, a := range order {
				for _, b := range order[i+1:] {
					if a > b {
						reversed[[2]int{a, b}] = true
					}
				}
			}
		}
		if all := n * (n - 1) / 2; len(reversed) < all*95/100 || len(seeds) > shuffles {
			t.Errorf("%d tests: %d of %d pairs reversed by seeds %v", n, len(reversed), all, seeds)
		}
	}
	if seeds := seedsOf(nil, 5); len(seeds) != 0 {
		t.Errorf("seeds of no tests: %v", seeds)
	}
}
