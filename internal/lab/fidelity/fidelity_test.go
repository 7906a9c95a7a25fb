package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/lightbuild"
)

var long = flag.Bool("long", false, "run the tests that take long: go test -run Long -long")

func TestMain(m *testing.M) {
	lightbuild.Use()
	m.Run()
}

// TestLongStd runs the program on a few small packages of the standard library: one with
// goroutines, one that the shadow GOROOT patches, and one below the probe runtime.
func TestLongStd(t *testing.T) {
	if !*long {
		t.Skip("builds test binaries of std: runs with -long")
	}
	var out, progress bytes.Buffer
	status, err := run(t.Context(), []string{"-lines", "./container/ring", "./internal/singleflight", "./testing/iotest", "./math/bits"}, &out, &progress)
	if status != 0 || err != nil {
		t.Errorf("status %d, %v\n%s%s", status, err, out.String(), progress.String())
	}
	t.Log(out.String())
	if !strings.Contains(out.String(), "\n0 unexplained differences") {
		t.Error("the table does not say that there are no differences")
	}
}

// TestDifferent runs the program on a test that looks for probes.
func TestDifferent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir := module(t, `package m

import (
	"os"
	"testing"
)

func TestSame(t *testing.T) {}

func TestFindsProbes(t *testing.T) {
	if os.Getenv("FDEBUG_TRACE") != "" {
		t.Error("somebody is watching")
	}
}
`)
	var out, progress bytes.Buffer
	status, err := run(context.Background(), []string{"-dir", dir, "-name", "m"}, &out, &progress)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| example.com/m | 2 | 1 | 1 | 0 |",
		"TestFindsProbes: plain pass, traced fail: somebody is watching",
		"\n1 unexplained differences",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if status != 1 {
		t.Errorf("status %d, want 1", status)
	}
	if t.Failed() {
		t.Logf("%s%s", out.String(), progress.String())
	}
}

// module makes a module with one file of tests, and returns its directory.
func module(t *testing.T, tests string) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m_test.go": tests} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
