package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
)

// TestPagePath writes the page of a run, which does not have its own path.
func TestPagePath(t *testing.T) {
	module := filepath.Join(t.TempDir(), "home", "me", "m")
	d := sampleRunDir(t)
	d.sites = bytes.ReplaceAll(d.sites, []byte("/home/gopher/proj/m"), []byte(filepath.ToSlash(module)))
	dir := filepath.Join(module, ".fdebug", "runs", "20261122-120000")
	for _, err := range []error{os.MkdirAll(filepath.Dir(dir), 0o777), os.Rename(d.write(t), dir), os.WriteFile(filepath.Join(module, "m_test.go"), d.source, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a := &app{Console: &session.Console{Stdout: io.Discard, Stderr: os.Stderr, Getenv: env()}}
	if code := a.main([]string{"-C", module, "report"}); code != exit.Flaky {
		t.Fatalf("exit code %d", code)
	}
	page, err := os.ReadFile(filepath.Join(dir, "m.TestX.html"))
	if err != nil || strings.Contains(string(page), module) {
		t.Errorf("the path of the page is in there, or %v", err)
	}
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}
