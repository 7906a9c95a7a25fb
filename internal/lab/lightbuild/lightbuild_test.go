package lightbuild

import (
	"os"
	"testing"
)

// The user's flags are kept, and so is the user's GOGC.
func TestUse(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOGC", "50")
	for range 2 { // a process that a test starts does the same again
		Use()
		if got, want := os.Getenv("GOFLAGS"), "-mod=mod -ldflags=-w"; got != want || os.Getenv("GOGC") != "50" {
			t.Errorf("GOFLAGS=%s GOGC=%s, want %s and 50", got, os.Getenv("GOGC"), want)
		}
	}
	os.Unsetenv("GOGC")
	if Use(); os.Getenv("GOGC") != "400" {
		t.Errorf("GOGC=%s, want 400", os.Getenv("GOGC"))
	}
}
