package kernels

import (
	"os"
	"testing"
	"time"
)

// TestFlaky works for about 200 ms and fails in one of five runs, along a path
// of its own, or never if FLAKY says so. It is what the table run measures whole
// runs on.
func TestFlaky(t *testing.T) {
	if os.Getenv("FLAKY") == "" {
		t.Skip("FLAKY is not set")
	}
	bad := os.Getenv("FLAKY") != "never" && time.Now().UnixNano()/1000%5 == 0
	Parse(700)
	if bad {
		Sieve(1000)
		t.Error("bad luck")
	}
}

// TestWaits waits for 20 ms, as tests do that talk to a server or a disk, and
// fails in one of five runs.
func TestWaits(t *testing.T) {
	if os.Getenv("FLAKY") == "" {
		t.Skip("FLAKY is not set")
	}
	bad := time.Now().UnixNano()/1000%5 == 0
	done := make(chan bool)
	go func() {
		time.Sleep(20 * time.Millisecond)
		done <- !bad
	}()
	if ok := <-done; !ok {
		t.Error("bad luck")
	}
}
