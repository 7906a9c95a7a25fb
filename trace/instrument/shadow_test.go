package instrument

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// smallGOROOT makes a directory with little more than what a shadow GOROOT needs. The patches are
// for its files.
func smallGOROOT(t *testing.T) (*Toolchain, []*hook) {
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "VERSION"), "go1.99")
	writeFile(t, filepath.Join(root, "bin", "go"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(root, "src", "runtime", "proc.go"), "package runtime\n\nfunc newproc() {\n}\n")
	writeFile(t, filepath.Join(root, "src", "runtime", "other.go"), "package runtime\n")
	writeFile(t, filepath.Join(root, "src", "runtime", "debug", "mod.go"), "package debug\n")
	writeFile(t, filepath.Join(root, "src", "testing", "testing.go"), "package testing\n\nfunc Fail() {\n}\n")
	writeFile(t, filepath.Join(root, "src", "time", "sleep.go"), "package time\n")
	writeFile(t, filepath.Join(root, "src", "fmt", "print.go"), "package fmt\n")
	writeFile(t, filepath.Join(root, "src", "math", "sin.go"), "package math\n")
	writeFile(t, filepath.Join(root, "src", "math", "rand", "rand.go"), "package rand\n")
	writeFile(t, filepath.Join(root, "src", "math", "rand", "v2", "rand.go"), "package rand\n\nfunc Seed() {\n}\n")
	hooks, err := hooksOf(fstest.MapFS{"a.go": {Data: []byte(`
//fdebug:need all
//fdebug:patch runtime/proc.go func newproc() {{+ identity();+}

//fdebug:lost checks
//fdebug:patch testing/testing.go func Fail() {{+ runtime.Check();+}
//fdebug:patch math/rand/v2/rand.go func Seed() {{+ seed();+}
`)}})
	if err != nil {
		t.Fatal(err)
	}
	return &Toolchain{GOROOT: root, GOVERSION: "go1.99", GOOS: "linux", GOARCH: "amd64"}, hooks
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestShadowContent(t *testing.T) {
	tc, ps := smallGOROOT(t)
	shadow, err := makeShadow(context.Background(), filepath.Join(t.TempDir(), "new", "cache"), tc, ps)
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(shadow.GOROOT, "src")
	for file, want := range map[string]string{
		"runtime/proc.go":      "package runtime\n\nfunc newproc() { identity();\n}\n",
		"runtime/other.go":     "package runtime\n",
		"runtime/debug/mod.go": "package debug\n",
		"testing/testing.go":   "package testing; import \"runtime\"\n\nfunc Fail() { runtime.Check();\n}\n",
		"fmt/print.go":         "package fmt\n",
		"math/sin.go":          "package math\n",
		"math/rand/rand.go":    "package rand\n",
		"math/rand/v2/rand.go": "package rand\n\nfunc Seed() { seed();\n}\n",
		"../VERSION":           "go1.99",
	} {
		if got := readFile(t, src, file); got != want {
			t.Errorf("%s: %q", file, got)
		}
	}
	if !strings.Contains(readFile(t, src, "fdebugrt", "fdebugrt.go"), "package fdebugrt") {
		t.Error("no package fdebugrt")
	}
	if fi, err := os.Lstat(filepath.Join(src, "fmt")); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Error("fmt is not a link", err)
	}
	for _, name := range []string{"runtime/other.go", "runtime/debug", "math/rand/rand.go"} {
		if fi, err := os.Lstat(filepath.Join(src, name)); err != nil || fi.Mode()&fs.ModeSymlink != 0 {
			t.Errorf("%s is a link beside files of a package, which the go command does not index: %v", name, err)
		}
	}
	if got := readFile(t, tc.GOROOT, "src", "runtime", "proc.go"); strings.Contains(got, "identity") {
		t.Error("the GOROOT was changed")
	}
}

// TestShadowName checks that a shadow GOROOT is made again if its content would differ, and only
// then.
func TestShadowName(t *testing.T) {
	tc, ps := smallGOROOT(t)
	cache := t.TempDir()
	make := func() string {
		shadow, err := makeShadow(context.Background(), cache, tc, ps)
		if err != nil {
			t.Fatal(err)
		}
		return shadow.GOROOT
	}
	first := make()
	if again := make(); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	ps[0].patches[0].insert = " other();"
	if other := make(); other == first {
		t.Error("another patch, and the same shadow GOROOT")
	}
	writeFile(t, filepath.Join(tc.GOROOT, "src", "runtime", "proc.go"), "package runtime\n\n\nfunc newproc() {\n}\n")
	if other := make(); !strings.Contains(readFile(t, other, "src/runtime/proc.go"), "\n\n\n") {
		t.Error("an old shadow GOROOT for a new GOROOT")
	}
	writeFile(t, filepath.Join(tc.GOROOT, "src", "runtime", "debug", "mod.go"), "package debug\n\n")
	if other := make(); readFile(t, other, "src/runtime/debug/mod.go") != "package debug\n\n" {
		t.Error("an old shadow GOROOT where a file was changed that is not patched")
	}
}

// TestShadowAtOnce makes one shadow GOROOT many times at once, in one process. See
// TestShadowProcesses for several processes.
func TestShadowAtOnce(t *testing.T) {
	tc, ps := smallGOROOT(t)
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			shadow, err := makeShadow(context.Background(), cache, tc, ps)
			if err != nil {
				t.Error(err)
				return
			}
			for _, f := range []string{"src/runtime/proc.go", "src/fmt/print.go", "bin/go", "complete"} {
				if _, err := os.Stat(filepath.Join(shadow.GOROOT, f)); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
	left, _ := filepath.Glob(filepath.Join(cache, "*"))
	if len(left) != 1 {
		t.Errorf("left in the cache: %q", left)
	}
}

// TestShadowProcesses lets several processes make the shadow GOROOT of the real toolchain at
// once.
func TestShadowProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if os.Getenv("FDEBUG_MAKE_FARM") != "" {
		tc, err := FindToolchain(context.Background(), "go", ".")
		if err != nil {
			t.Fatal(err)
		}
		shadow, err := makeShadow(context.Background(), os.Getenv("FDEBUG_MAKE_FARM"), tc, ownHooks(t))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(shadow.Go(), "version").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			cmd := exec.Command(os.Args[0], "-test.run=^TestShadowProcesses$")
			cmd.Env = append(os.Environ(), "FDEBUG_MAKE_FARM="+cache)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}()
	}
	wg.Wait()
}

func TestShadowReadOnlyCache(t *testing.T) {
	tc, ps := smallGOROOT(t)
	cache := filepath.Join(t.TempDir(), "cache")
	writeFile(t, cache, "a file, so that root cannot write below it either")
	_, err := makeShadow(context.Background(), cache, tc, ps)
	if err == nil || !strings.Contains(err.Error(), cache) {
		t.Errorf("error %v", err)
	}
	if os.Getuid() == 0 {
		return
	}
	cache = t.TempDir()
	os.Chmod(cache, 0o555)
	if _, err := makeShadow(context.Background(), cache, tc, ps); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v", err)
	}
}

// TestShadowHalf checks that an unfinished directory is not used.
func TestShadowHalf(t *testing.T) {
	tc, ps := smallGOROOT(t)
	cache := t.TempDir()
	shadow, err := makeShadow(context.Background(), cache, tc, ps)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"complete", "src/runtime/proc.go"} {
		if err := os.Remove(filepath.Join(shadow.GOROOT, name)); err != nil {
			t.Fatal(err)
		}
	}
	again, err := makeShadow(context.Background(), cache, tc, ps)
	if err != nil {
		t.Fatal(err)
	}
	readFile(t, again.GOROOT, "src/runtime/proc.go")
}

func TestShadowSystems(t *testing.T) {
	tc, ps := smallGOROOT(t)
	tc.GOOS = "plan9"
	_, err := makeShadow(context.Background(), t.TempDir(), tc, ps)
	if err == nil || !strings.Contains(err.Error(), "plan9/amd64") {
		t.Errorf("error %v", err)
	}
}

func TestAddImport(t *testing.T) {
	got, err := addImport([]byte("// A comment.\npackage testing // more\n\nimport \"os\"\n"), "runtime")
	if want := "// A comment.\npackage testing; import \"runtime\" // more\n\nimport \"os\"\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
}
