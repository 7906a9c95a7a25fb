// Package rng is the working example of "De-Flake Your Tests" (Listing 1), in Go.
package rng

import "math/rand/v2"

// getRandomZeroOrOne generates 0 or 1 with this one weird trick.
func getRandomZeroOrOne() int {
	randomBtw0And99 := rand.IntN(100)
	if randomBtw0And99 < 50 {
		return 0
	} else {
		return 1
	}
}
