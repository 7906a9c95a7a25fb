package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
)

// TestOpen opens the page of a run, which does not have its own path.
func TestOpen(t *testing.T) {
	module := filepath.Join(t.TempDir(), "home", "me", "m")
	d := sampleRunDir(t)
	d.sites = bytes.ReplaceAll(d.sites, []byte("/home/gopher/proj/m"), []byte(filepath.ToSlash(module)))
	dir := filepath.Join(module, ".fdebug", "runs", "20261122-120000")
	for _, err := range []error{os.MkdirAll(filepath.Dir(dir), 0o777), os.Rename(d.write(t), dir), os.WriteFile(filepath.Join(module, "m_test.go"), d.source, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	report := func(args ...string) (opened, page, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{Console: &session.Console{Stdout: &out, Stderr: &errs, Getenv: env()}}
		a.screen().Browse = func(file string) error {
			opened = file
			return os.ErrNotExist
		}
		if code := a.main(append([]string{"-C", module, "report"}, args...)); code != exit.Flaky {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		data, err := os.ReadFile(filepath.Join(dir, "m.TestX.html"))
		if err != nil {
			t.Fatal(err)
		}
		return opened, string(data), errs.String()
	}
	if opened, _, _ := report(); opened != "" {
		t.Errorf("opened %s without being asked to", opened)
	}
	opened, page, stderr := report("-open")
	if opened != filepath.Join(dir, "m.TestX.html") {
		t.Errorf("opened %s", opened)
	}
	if !strings.Contains(stderr, "warning: -open: file does not exist; the report is ") {
		t.Errorf("the warning about what can't be opened is %q", stderr)
	}
	if strings.Contains(page, module) {
		t.Error("the path of the page is in there")
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
