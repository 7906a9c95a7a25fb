package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/recorded"
	"github.com/fdebug/fdebug/report"
)

// recordedIn returns the result.json of runs that were recorded of a program: see
// internal/accuracy. What is said of them is the same each time.
func recordedIn(t *testing.T, name string) []byte {
	t.Helper()
	file := filepath.Join("..", "..", "internal", "accuracy", "testdata", "recorded", name+".tar.zst")
	r, err := recorded.Open(file, t.TempDir(), func(format string, args ...any) { t.Errorf("warning: "+format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
