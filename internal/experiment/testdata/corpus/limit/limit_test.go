// Package limit has a test with a limit of time that is wide enough for any machine
// that people use.
package limit

import (
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	answer := make(chan int, 1)
	go func() { // cause deadline
		answer <- 42 // cause deadline
	}()
	select {
	case <-answer:
	case <-time.After(250 * time.Millisecond): // cause deadline
		t.Fatal("no answer")
	}
}
