package fileio

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/examples/internal/latency"
)

func TestLoadWhileRunning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	table := Open(path)
	for i := range 200 {
		table.Add(fmt.Sprintf("requests.%03d", i), i)
	}
	if err := table.Start(); err != nil {
		t.Fatal(err)
	}
	defer table.Close()

	latency.Wait(0, 25*time.Millisecond) // until someone asks for the figures
	counts, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := counts["requests.123"], 123; got != want {
		t.Errorf("requests.123 = %d, want %d", got, want)
	}
}

func TestLoadTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	if err := os.WriteFile(path, []byte("requests 1\nerr"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); !errors.Is(err, ErrTruncated) {
		t.Errorf("Load: %v, want %v", err, ErrTruncated)
	}
}
