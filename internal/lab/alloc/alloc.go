// Package alloc measures what code uses. Tests of readers measure allocations, because a small
// file must not cost much memory. Benchmarks measure processor time.
package alloc

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Bytes returns how many bytes f allocates, including what is free again, and what other
// goroutines allocate meanwhile.
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

// ProcessorTime is how much processor time the process has had, in seconds, or 0 if the system
// does not say.
func ProcessorTime() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
