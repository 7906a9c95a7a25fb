package main

import (
	"testing"

	"github.com/fdebug/fdebug/internal/experiment"
)

// What a test needs is told of the runs that were made, alone and after just those tests: others
// may do as well.
func TestNeedsWords(t *testing.T) {
	for want, needs := range map[string][]string{
		"fails if it runs alone, and passes if just TestA runs before it in the same process":       {"TestA"},
		"fails if it runs alone, and passes if just TestA, TestB run before it in the same process": {"TestA", "TestB"},
	} {
		if got := unplacedLine(&experiment.Replay{Needs: needs}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
