package rng

import "testing"

// TestGetRandomZeroOrOne tests that it always generates 0 (Listing 2).
func TestGetRandomZeroOrOne(t *testing.T) {
	if got := getRandomZeroOrOne(); got != 0 {
		t.Errorf("getRandomZeroOrOne() = %d, want 0", got)
	}
}
