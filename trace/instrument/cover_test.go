package instrument

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/internal/lab/covercheck"
	"github.com/fdebug/fdebug/trace"
)

var coverDir = flag.String("cover.dir", "", "compare the lines of the tests of the packages below this directory with those of cmd/cover")

// TestCoverDir is TestLongCover for any code:
//
//	go test ./trace/instrument -run TestCoverDir -v -cover.dir ~/src/mymodule
func TestCoverDir(t *testing.T) {
	if *coverDir == "" {
		t.Skip("no -cover.dir")
	}
	compareWithCover(t, *coverDir)
}

// stdPackages are packages of the standard library that use no internal package and no assembly,
// nor do their dependencies. Their tests have few or no goroutines.
var stdPackages = []string{
	"container/list", "encoding/csv", "encoding/hex", "html", "image/color", "mime/quotedprintable",
	"regexp/syntax", "text/scanner", "text/template/parse",
}

// TestLongCover compares the lines in the trace with those of cmd/cover, whose code for finding
// blocks is independent.
func TestLongCover(t *testing.T) {
	if !*long {
		t.Skip("builds test binaries of std: runs with -long")
	}
	t.Parallel()
	dir := t.TempDir()
	src := filepath.Join(goEnv(t, "GOROOT"), "src")
	for _, p := range stdPackages {
		copyPackage(t, filepath.Join(src, p), filepath.Join(dir, p))
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/std\n\ngo 1.24\n")
	compareWithCover(t, dir)
}

// copyPackage copies a package that imports nothing internal. It leaves out test files that do.
func copyPackage(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := filepath.Join(from, e.Name())
		if e.IsDir() {
			if e.Name() == "testdata" {
				if err := os.CopyFS(filepath.Join(to, e.Name()), os.DirFS(name)); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `"internal/`) {
			if !strings.HasSuffix(name, "_test.go") {
				t.Fatalf("%s imports an internal package", name)
			}
			continue
		}
		writeFile(t, filepath.Join(to, e.Name()), string(text))
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// compareWithCover compares all packages below dir.
func compareWithCover(t *testing.T, dir string) {
	out := t.TempDir()
	plan, err := Prepare(context.Background(), Config{Dir: dir, Patterns: []string{"./..."}, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range plan.Packages {
		t.Run(strings.ReplaceAll(p.ImportPath, "/", "."), func(t *testing.T) {
			coverBin, tracedBin := filepath.Join(out, fmt.Sprint("cover", i)), filepath.Join(out, fmt.Sprint("traced", i))
			goTestIn(t, dir, "go", nil, "-covermode=set", "-o", coverBin, p.ImportPath)
			goTestIn(t, dir, plan.Shadow.Go(), plan.Shadow.Env(), append(plan.BuildFlags(), "-o", tracedBin, p.ImportPath)...)
			profile, traceFile := coverBin+".out", tracedBin+".trace"
			runTest(t, p.Dir, coverBin, nil, "-test.short", "-test.coverprofile="+profile)
			runTest(t, p.Dir, tracedBin, []string{"FDEBUG_TRACE=" + traceFile}, "-test.short")
			profiles, err := cover.ParseProfiles(profile)
			if err != nil {
				t.Fatal(err)
			}
			c := &coverComparison{matcher: covercheck.NewMatcher(plan.Sites), hit: hits(t, plan.Sites, traceFile)}
			for _, prof := range profiles {
				c.file(t, prof)
			}
			t.Logf("%d statements agree, %d cannot be decided by cover", c.agree, c.undecided)
			if c.undecided > c.agree/20 {
				t.Error("more than one in twenty could not be decided: calls return more often than that")
			}
		})
	}
}

func goTestIn(t *testing.T, dir, goCmd string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command(goCmd, append([]string{"test", "-c", "-vet=off", "-ldflags=-w"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
}

func runTest(t *testing.T, dir, bin string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
	}
	return string(text)
}

// hits returns which blocks were run.
func hits(t *testing.T, sites *trace.Sites, name string) []bool {
	t.Helper()
	tr, err := trace.ReadRaw(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	counts, lost, err := sites.Counts(tr.Goroutines)
	if err != nil || lost > 0 {
		t.Fatal(err, lost)
	}
	hit := make([]bool, len(counts))
	for i, n := range counts {
		hit[i] = n > 0
	}
	return hit
}
