// Package choice has code that depends on choices made by chance.
package choice

import (
	"fmt"
	"math/rand"
	"strings"
)

// Drain handles what waits, until it is told to stop.
func Drain(work chan int, stop chan struct{}) (n int) {
	for {
		select { // cause drain
		case <-work:
			n++
		case <-stop: // cause drain
			return n
		}
	}
}

// First returns a key that is used least.
func First(use map[string]int) string {
	least := ""
	for k, n := range use { // cause first
		if least == "" || n < use[least] { // cause first
			least = k
		}
	}
	return least
}

// Backoff returns how long to wait, in milliseconds.
func Backoff(try int) int {
	base := 10 << try
	return base/2 + rand.Intn(base) // cause backoff
}

// Merge merges settings, and returns them as text.
func Merge(a, b map[string]string) string {
	var parts []string
	for k, v := range a { // cause merge
		if w, ok := b[k]; ok {
			v = w
		}
		parts = append(parts, fmt.Sprintf("%s=%s", k, v)) // cause merge
	}
	return strings.Join(parts, ",")
}

// Jitter returns n moved by at most 5.
func Jitter(n int) int {
	return n + rand.Intn(10) - 5 // cause jitter
}

// Stop returns whether the quit signal was seen before the tick.
func Stop(quit, tick chan bool) bool {
	for i := 0; i < 5; i++ {
		select { // cause stop
		case <-quit: // cause stop
			return true
		case <-tick:
		}
	}
	return false
}
