package kernels

import (
	"os"
	"testing"
	"time"
)

// TestFlaky works for about 200 ms and fails in one of five runs, along a path
// of its own. It is what the table run measures whole runs on.
func TestFlaky(t *testing.T) {
	if os.Getenv("FLAKY") == "" {
		t.Skip("FLAKY is not set")
	}
	bad := time.Now().UnixNano()/1000%5 == 0
	Parse(700)
	if bad {
		Sieve(1000)
		t.Error("bad luck")
	}
}
