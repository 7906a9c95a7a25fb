// Package alloc measures what code allocates, for tests of readers: a small
// file must not make them allocate much.
package alloc

import (
	"runtime"
	"testing"
)

// Bytes returns how many bytes f allocates, counting what is free again, and
// what other goroutines allocate meanwhile.
func Bytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Check fails the test if f allocates more than most bytes for an input of n bytes.
func Check(t testing.TB, n int, most uint64, f func()) {
	t.Helper()
	if got := Bytes(f); got > most {
		t.Errorf("%d bytes allocated for an input of %d", got, n)
	}
}
