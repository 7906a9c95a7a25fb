package instrument

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/trace"
)

var (
	versions = flag.String("versions", "", "versions of Go to test with, as in 1.24.6,1.25.0; the go command downloads what is missing")
	anchors  = flag.Bool("anchors", false, "build with each anchor broken in turn, and std again for each")
)

// A fixture is the module in testdata/versions, instrumented and built.
type fixture struct {
	t    *testing.T
	dir  string // of the binary and the traces
	plan *Plan
	bin  string
}

// A fixtureKey is what a fixture's build depends on.
type fixtureKey struct{ cache, flags, toolchain, goos, goarch string }

// builtFixtures are fixtures with all hooks, each built once for all tests.
type builtFixtures struct {
	dir  string
	mu   sync.Mutex
	made map[fixtureKey]*fixture
}

var fixtures builtFixtures

// buildFixture instruments and builds the fixture for the toolchain that the environment asks
// for, unless another test has done so.
func buildFixture(t *testing.T, cfg Config, flags ...string) *fixture {
	t.Helper()
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	fixtures.mu.Lock()
	defer fixtures.mu.Unlock()
	key := fixtureKey{cfg.Cache, strings.Join(flags, " "), os.Getenv("GOTOOLCHAIN"), os.Getenv("GOOS"), os.Getenv("GOARCH")}
	shared := fixtures.made[key]
	if shared == nil {
		dir, err := os.MkdirTemp(fixtures.dir, "")
		if err != nil {
			t.Fatal(err)
		}
		shared = makeFixture(t, dir, cfg, ownHooks(t), flags)
		fixtures.made[key] = shared
	}
	return &fixture{t: t, dir: t.TempDir(), plan: shared.plan, bin: shared.bin}
}

// makeFixture builds it in a directory.
func makeFixture(t *testing.T, out string, cfg Config, hooks []*hook, flags []string) *fixture {
	t.Helper()
	dir, err := filepath.Abs("testdata/versions")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: out}
	cfg.Dir, cfg.Patterns, cfg.Out = dir, []string{"."}, filepath.Join(f.dir, "out")
	if f.plan, err = prepare(context.Background(), cfg, hooks); err != nil {
		t.Fatal(err)
	}
	f.bin = filepath.Join(f.dir, "m.test")
	args := append([]string{"test", "-c", "-vet=off", "-o", f.bin}, f.plan.BuildFlags()...)
	cmd := exec.Command(f.plan.Shadow.Go(), append(args, flags...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), f.plan.Shadow.Env()...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// run runs the fixture's tests and returns the trace and what they printed.
func (f *fixture) run(args []string, env ...string) (*trace.Trace, string) {
	f.t.Helper()
	file := filepath.Join(f.dir, "trace")
	os.Remove(file)
	cmd := exec.Command(f.bin, args...)
	cmd.Dir = f.plan.Packages[0].Dir
	cmd.Env = append(append(os.Environ(), "FDEBUG_TRACE="+file), env...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		f.t.Fatal(err)
	}
	t, err := trace.ReadRaw(file)
	if err != nil {
		f.t.Fatalf("%v\n%s", err, out)
	}
	f.t.Cleanup(func() { t.Close() })
	if t.Truncated != "" {
		f.t.Errorf("truncated: %s", t.Truncated)
	}
	return t, string(out)
}

// text renders a trace as the scripts do, in an order that does not depend on the run.
func (f *fixture) text(t *trace.Trace) string {
	f.t.Helper()
	var texts []string
	for _, g := range t.Goroutines {
		events, err := load(g)
		if err != nil {
			f.t.Fatal(err)
		}
		texts = append(texts, goroutineHeader(f.plan.Sites, g)+"\n"+linesText(f.plan.Sites, t, events))
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}

// TestVersions runs the fixture under each version of Go. The trace must be the same under all versions.
func TestVersions(t *testing.T) {
	for _, v := range strings.Split(*versions, ",") {
		t.Run(v, func(t *testing.T) {
			if v != "" {
				t.Setenv("GOTOOLCHAIN", "go"+v)
			}
			f := buildFixture(t, Config{})
			if got := f.plan.Toolchain.GOVERSION; v != "" && got != "go"+v {
				t.Fatalf("the toolchain is %s", got)
			}
			tr, _ := f.run([]string{"-test.v"})
			golden.File(t, filepath.Join("testdata", "versions", "shadow.golden"), f.text(tr))
			if v != "" { // TestCrossCompile does it for the version in use
				t.Setenv("GOOS", "windows")
				buildFixture(t, Config{})
			}
		})
	}
}

// TestCrossCompile builds the fixture for other systems.
func TestCrossCompile(t *testing.T) {
	for _, target := range patched {
		t.Run(target, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(target, "/")
			if goos == build.Default.GOOS && goarch == build.Default.GOARCH || target == "darwin/amd64" {
				t.Skip("that is this system, or as another")
			}
			t.Setenv("GOOS", goos)
			t.Setenv("GOARCH", goarch)
			t.Setenv("CGO_ENABLED", "0")
			buildFixture(t, Config{})
		})
	}
}

// TestUnpatched breaks what every shadow GOROOT needs, and asks for a system without patches. The errors say what to
// do.
func TestUnpatched(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.24\n")
	writeFile(t, filepath.Join(dir, "m_test.go"), "package m\n")
	hooks := broken(t, slices.IndexFunc(ownHooks(t), func(h *hook) bool { return h.needed }), 0)
	cfg := Config{Dir: dir, Patterns: []string{"."}, Out: t.TempDir(), Cache: t.TempDir()}
	_, err := prepare(t.Context(), cfg, hooks)
	var unpatched *UnpatchedError
	if !errors.As(err, &unpatched) || unpatched.Try != newest {
		t.Errorf("%v", err)
	} else if want := unpatched.Version + " cannot be patched: runtime/"; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
	for asks, newer := range map[string]bool{"1.24": false, strings.TrimPrefix(newest, "go"): false, "1.99": true} {
		if p := (&listed{Module: &listedModule{GoVersion: asks}}); p.wantsNewer() != newer {
			t.Errorf("whether go %s is newer: %v", asks, !newer)
		}
	}
	t.Setenv("GOARCH", "386")
	_, err = prepare(t.Context(), cfg, ownHooks(t))
	if want := "/386 cannot be recorded: there are patches of Go for linux/amd64, "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
}

// ownHooks returns the hooks of the probe runtime.
func ownHooks(t *testing.T) []*hook {
	t.Helper()
	hooks, err := hooksOf(shadowFiles)
	if err != nil {
		t.Fatal(err)
	}
	return hooks
}

// broken returns the hooks with a line to patch that is not there, as if Go's authors had changed it.
func broken(t *testing.T, hook, patch int) []*hook {
	hooks := ownHooks(t)
	hooks[hook].patches[patch].before = "this line is not in any version of Go"
	return hooks
}

// TestAnchors breaks each line that is patched. Prepare then loses what its hook is for, and no other, and a message
// says so.
func TestAnchors(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tc, err := FindToolchain(context.Background(), "go", ".")
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range ownHooks(t) {
		for j, p := range h.patches {
			plan, err := planShadow(filepath.Join(tc.GOROOT, "src"), tc, broken(t, i, j))
			if h.needed {
				if !errors.As(err, new(*UnpatchedError)) {
					t.Errorf("%s %s: %v", p.file, p.before, err)
				}
				continue
			}
			told := len(plan.warnings) == 1 && strings.Contains(plan.warnings[0].Error(), h.lost)
			if err != nil || told == h.untold || len(plan.warnings) > 1 {
				t.Errorf("%s %s: %v, %v", p.file, p.before, err, plan.warnings)
			}
			for k, other := range ownHooks(t) {
				for _, q := range other.patches {
					if has := bytes.Contains(plan.files[q.file], []byte(q.insert)); has == (i == k) {
						t.Errorf("without %s: patch %q of %s is there: %v", p.before, q.insert, q.file, has)
					}
				}
			}
		}
	}
}

// TestAnchorsBuilt is TestAnchors with a run of what can still be built. The paths of goroutines
// are the same, whatever else is unknown.
func TestAnchorsBuilt(t *testing.T) {
	if !*anchors {
		t.Skip("-anchors is not given")
	}
	want := pathsOf(t, ownHooks(t))
	for i, h := range ownHooks(t) {
		if h.needed {
			continue
		}
		if got := pathsOf(t, broken(t, i, 0)); got != want {
			t.Errorf("without what gives %q:\n%s\nwant:\n%s", h.lost, got, want)
		}
	}
}

var notPath = regexp.MustCompile(`(?m)^\S.*$| \[.*?\]`) // headers, and checks

// pathsOf returns the lines that goroutines execute in a shadow GOROOT with the hooks.
func pathsOf(t *testing.T, hooks []*hook) string {
	f := makeFixture(t, t.TempDir(), Config{Cache: t.TempDir()}, hooks, nil)
	tr, _ := f.run([]string{"-test.v"})
	var paths []string
	for _, g := range tr.Goroutines {
		events, err := load(g)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, notPath.ReplaceAllString(linesText(f.plan.Sites, tr, events), ""))
	}
	slices.Sort(paths)
	return strings.Join(paths, "")
}
