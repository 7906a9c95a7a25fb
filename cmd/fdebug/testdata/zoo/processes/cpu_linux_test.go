package processes

import (
	"syscall"
	"testing"
	"time"
)

func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A busy machine makes it slower still.
func TestSlow(t *testing.T) {
	began, used := time.Now(), cpu(t)
	for cpu(t)-used < 100*time.Millisecond {
	}
	if wall := time.Since(began); wall < 500*time.Millisecond {
		t.Errorf("100 ms of processor time in %v", wall)
	}
}
