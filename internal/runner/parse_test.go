package runner

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestParse reads collected outputs. Each file in testdata/parse has what a test binary printed,
// with ^V for the marker, its exit status, its source if that matters, and the outcomes.
func TestParse(t *testing.T) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testParse(t, file) })
	}
}

func testParse(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sections := make(map[string]string)
	for _, f := range ar.Files {
		sections[f.Name] = string(f.Data)
		if strings.HasSuffix(f.Name, ".go") {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	code, err := strconv.Atoi(strings.TrimSpace(sections["exit"]))
	if err != nil {
		t.Fatal(err)
	}
	output := strings.ReplaceAll(sections["output"], "^V", "\x16")
	got := renderLong(parse(output, 1<<20, Exit{Code: code}, dir))
	for _, size := range []int{1, 7, 64} {
		if diff := cmp.Diff(got, renderLong(parse(output, size, Exit{Code: code}, dir))); diff != "" {
			t.Errorf("in pieces of %d bytes the outcome differs:\n%s", size, diff)
		}
	}
	golden.Section(t, file, "want", got)
}

// parse reads an output that comes in pieces of the given size.
func parse(output string, size int, exit Exit, dir string) *Run {
	p := newParser(func() time.Time { return time.Time{} })
	for rest := output; rest != ""; {
		n := min(size, len(rest))
		p.Write([]byte(rest[:n]))
		rest = rest[n:]
	}
	run := &Run{Exit: exit}
	x := &Exec{
		Binary:  &Binary{Target: Target{ImportPath: "example.com/rp/p", Dir: dir}},
		Modules: []string{"example.com/rp"}, Root: "/src",
	}
	x.conclude(run, p)
	return run
}

// renderLong adds elapsed times and messages to the output of [render].
func renderLong(run *Run) string {
	var b strings.Builder
	b.WriteString(render(run))
	if run.Shuffle != "" {
		b.WriteString("shuffle: " + run.Shuffle + "\n")
	}
	for _, o := range run.Outcomes {
		if o.Elapsed > 0 {
			b.WriteString(o.Test + " took " + o.Elapsed.String() + "\n")
		}
	}
	for _, o := range run.Outcomes {
		if o.Message != "" && !o.ByChild {
			b.WriteString("message of " + o.Test + ":\n    " + strings.ReplaceAll(o.Message, "\n", "\n    ") + "\n")
		}
	}
	return b.String()
}

func TestBoundedOutput(t *testing.T) {
	h := newHeadTail(10)
	for _, s := range []string{"0123", "456789", "abcdefghijklmnopqrstuvwxyz", "A", "BC"} {
		h.Write([]byte(s))
	}
	if got, want := h.String(), "01234\n[... 29 bytes left out ...]\nyzABC"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if cap(h.tail) > 100 {
		t.Errorf("%d bytes are held", cap(h.tail))
	}
}
