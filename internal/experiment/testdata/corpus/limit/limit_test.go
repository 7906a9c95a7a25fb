// Package limit has a test with a limit of time that is wide enough for any machine
// that people use.
package limit

import (
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	answer := make(chan int, 1)
	go func() {
		answer <- 42
	}()
	select {
	case <-answer:
	case <-time.After(250 * time.Millisecond):
		t.Fatal("no answer")
	}
}
