package instrument

import (
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestFallbackChosen breaks what every shadow GOROOT needs. Prepare then chooses the other
// runtime, and the warnings say why and what is lost.
func TestFallbackChosen(t *testing.T) {
	if testing.Short() {
		t.Skip("builds with a toolchain")
	}
	needed := slices.IndexFunc(ownHooks(t), func(h *hook) bool { return h.needed })
	f := makeFixture(t, t.TempDir(), Config{}, broken(t, needed, 0), nil)
	if f.plan.Runtime != RuntimeModule || f.plan.Shadow != nil {
		t.Fatalf("runtime %s, farm %v", f.plan.Runtime, f.plan.Shadow)
	}
	if len(f.plan.Warnings) < 2 || !strings.Contains(f.plan.Warnings[0].Error(), "runtime/runtime2.go") {
		t.Errorf("warnings: %v", f.plan.Warnings)
	}
	tr, _ := f.run([]string{"-test.run=TestFan"})
	if gs := tr.GoroutinesOf("TestFan"); len(gs) != 5 {
		t.Errorf("%d goroutines", len(gs))
	}
}

// TestFallbackIdentity checks that a goroutine's identity does not depend on the order in which
// goroutines happen to run.
func TestFallbackIdentity(t *testing.T) {
	f := buildFixture(t, Config{Runtime: RuntimeModule})
	first := ""
	for range 10 {
		tr, _ := f.run([]string{"-test.v", "-test.shuffle=on"})
		names := goroutineNames(tr)
		if d := duplicate(names); d != "" {
			t.Fatalf("two goroutines are %s", d)
		}
		if got := strings.Join(names, "\n"); first == "" {
			first = got
		} else if got != first {
			t.Fatalf("got:\n%s\nfirst:\n%s", got, first)
		}
	}
}

// TestFallbackRace checks that the race detector finds the same race as without probes.
func TestFallbackRace(t *testing.T) {
	if !haveC() {
		t.Skip("no C compiler")
	}
	f := buildFixture(t, Config{Runtime: RuntimeModule}, "-race")
	_, out := f.run([]string{"-test.run=TestRaces"}, "RACES=1")
	if n := strings.Count(out, "WARNING: DATA RACE"); n != 1 {
		t.Errorf("%d races, want 1:\n%s", n, out)
	}
	if _, out = f.run([]string{"-test.v"}); strings.Contains(out, "DATA RACE") {
		t.Errorf("the probe runtime itself has a race:\n%s", out)
	}
}

// TestFallbackKilled checks that a killed process leaves everything that it did.
func TestFallbackKilled(t *testing.T) {
	f := buildFixture(t, Config{Runtime: RuntimeModule})
	tr, _ := f.run([]string{"-test.run=TestKilled"}, "KILLED=1")
	const want = 300_000 // each turn has three: the loop, the call, its branch
	if n := longest(tr); n < want {
		t.Errorf("%d events, want at least %d", n, want)
	}
}

func longest(tr *trace.Trace) (n int64) {
	for _, g := range tr.Goroutines {
		n = max(n, g.Len())
	}
	return n
}

// TestFallbackBudget checks that beyond the budget the hashes are those of the events.
func TestFallbackBudget(t *testing.T) {
	f := buildFixture(t, Config{Runtime: RuntimeModule})
	args := []string{"-test.run=TestKilled"}
	whole, _ := f.run(args, "KILLED=1")
	os.Rename(filepath.Join(f.dir, "trace"), filepath.Join(f.dir, "whole"))
	file := filepath.Join(f.dir, "trace")
	cmd := exec.Command(f.bin, args...)
	cmd.Env = append(os.Environ(), "FDEBUG_TRACE="+file, "FDEBUG_BUDGET=300000", "KILLED=1")
	cmd.Run() // it kills itself
	cut, err := trace.ReadRaw(file)
	if err != nil {
		t.Fatal(err)
	}
	defer cut.Close()
	if cut.Truncated == "" {
		t.Error("the trace does not say that it was cut")
	}
	a, b := whole.GoroutinesOf("TestKilled")[0], cut.GoroutinesOf("TestKilled")[0]
	if len(a.Chunks) != len(b.Chunks) || a.ID != b.ID {
		t.Fatalf("%d chunks of %v, %d of %v", len(a.Chunks), a.ID, len(b.Chunks), b.ID)
	}
	for i := range a.Chunks {
		if a.Chunks[i].Hash != b.Chunks[i].Hash {
			t.Fatalf("chunk %d differs", i)
		}
	}
}

// TestCrossCompile builds the fixture for other systems: with the shadow GOROOT where there can
// be one, else with the fall-back.
func TestCrossCompile(t *testing.T) {
	for _, target := range []struct{ goos, goarch, runtime string }{
		{"windows", "amd64", RuntimeShadow},
		{"windows", "arm64", RuntimeModule},
		{"freebsd", "amd64", RuntimeModule},
		{"linux", "386", RuntimeModule},
		{"plan9", "amd64", RuntimeModule},
		{"darwin", "arm64", RuntimeShadow},
		{"linux", "arm64", RuntimeShadow},
	} {
		t.Run(target.goos+"/"+target.goarch, func(t *testing.T) {
			if target.goos == build.Default.GOOS && target.goarch == build.Default.GOARCH {
				t.Skip("that is this system")
			}
			t.Setenv("GOOS", target.goos)
			t.Setenv("GOARCH", target.goarch)
			t.Setenv("CGO_ENABLED", "0")
			f := buildFixture(t, Config{})
			if f.plan.Runtime != target.runtime {
				t.Errorf("runtime %s, want %s: %v", f.plan.Runtime, target.runtime, f.plan.Warnings)
			}
		})
	}
}

// TestFallbackInModule has no place in the standard library, as under a downloaded toolchain. The
// runtime is then a package of the main module that is not on disk.
func TestFallbackInModule(t *testing.T) {
	tc := &Toolchain{GOROOT: "/cache/golang.org/toolchain", GOMODCACHE: "/cache", GOVERSION: "go1.25.3"}
	pkgs := []*listed{{Standard: true}, {Module: &listedModule{Path: "example.com/m", Main: true, Dir: "/src/m"}}}
	importPath, dir, err := tc.runtimePlace(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	base, ok := strings.CutPrefix(importPath, "example.com/m/")
	if !ok || dir != filepath.Join("/src/m", base) {
		t.Errorf("%s in %s", importPath, dir)
	}
	tc.GOROOT = "/usr/local/go"
	if importPath, _, _ = tc.runtimePlace(pkgs); importPath != "fdebugrt" {
		t.Errorf("outside of the module cache: %s", importPath)
	}
	left, err := fs.Glob(os.DirFS("testdata/versions"), "zz_*")
	if err != nil || len(left) > 0 {
		t.Errorf("left in the module: %v, %v", left, err)
	}
}
