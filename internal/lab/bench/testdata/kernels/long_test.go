package kernels

import (
	"os"
	"strconv"
	"testing"
)

// TestLong makes about LONG events. If LONG_COUNT names a file, in which it
// counts its runs, each fourth run goes another way in the middle and fails.
// LONG_NOISE is how many iterations lie between random detours.
func TestLong(t *testing.T) {
	events, _ := strconv.Atoi(os.Getenv("LONG"))
	if events == 0 {
		t.Skip("LONG is not set")
	}
	noise, _ := strconv.Atoi(os.Getenv("LONG_NOISE"))
	bad := countRun(t)%4 == 2
	n := events / LongEvents
	Long(n, n/2, noise, bad)
	if bad {
		t.Error("bad luck")
	}
}

// countRun returns how many runs there were before this one.
func countRun(t *testing.T) int64 {
	name := os.Getenv("LONG_COUNT")
	if name == "" {
		return 0
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("."); err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
