package values

import (
	"context"
	"go/ast"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

func inputOf(dir string, sites *trace.Sites) *Input {
	return &Input{Sites: sites, Source: func(pkgs []string) *source.Index {
		return source.Load(context.Background(), source.Config{Dir: dir, Sites: sites, Packages: pkgs})
	}}
}

// everything chooses all places that could ever be chosen in the files of a plan.
func everything(t *testing.T, dir string, sites *trace.Sites) *Choice {
	t.Helper()
	c := &chooser{in: inputOf(dir, sites), wrapped: make(map[ast.Node]int), run: make(map[int]bool), max: 1 << 20, out: emptyChoice()}
	files := make(map[int]bool)
	for i := range sites.Files {
		files[i] = true
	}
	for i := range sites.Funcs {
		c.run[i] = true
	}
	var err error
	if c.prog, err = load(c.in, files); err != nil {
		t.Fatal(err)
	}
	for _, rel := range c.order() {
		c.sources(c.prog.files[rel])
	}
	for b := range sites.Blocks {
		if d := c.prog.Decision(b); d != nil {
			c.looks(c.prog.file(d.Stmt), d, 1)
		}
		for _, o := range c.prog.Block(b, source.Call) {
			c.arguments(c.prog.file(o.Node), o.Node.(*ast.CallExpr), 1)
		}
	}
	return &c.out
}

// TestCompiles records all values that can be recorded, in code with odd conditions, with and
// without the race detector. The code compiles, behaves as before, and the values are those in
// the comments of the test.
func TestCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	for _, flags := range [][]string{nil, {"-race"}} {
		t.Run(strings.Join(append([]string{"build"}, flags...), ""), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/tricky")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/tricky\n\ngo 1.25\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			plan, choice := instrumented(t, dir, flags)
			tr := runTraced(t, dir, plan, flags)
			checkPrinted(t, dir, tr, choice)
			checkOften(t, tr, choice)
		})
	}
}

// TestOldLanguage records values in a module whose language version has no generics, with an
// external test and with a package that the test imports.
func TestOldLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.com/old\n\ngo 1.13\n",
		"sub/sub.go":  "package sub\n\nfunc Less(x, y int) bool {\n\tif x < y {\n\t\treturn true\n\t}\n\treturn false\n}\n",
		"old.go":      "package old\n",
		"old_test.go": "package old_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/old/sub\"\n)\n\nfunc TestOld(t *testing.T) {\n\tn := 7\n\tif !sub.Less(n, 8) {\n\t\tt.Error(n)\n\t}\n}\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plan, choice := instrumented(t, dir, nil)
	got := make(map[string]string)
	for _, g := range runTraced(t, dir, plan, nil).GoroutinesOf("TestOld") {
		for _, v := range g.Values {
			s := choice.Sites[v.Site]
			got[s.File+" "+s.Expr] = v.Text
		}
	}
	want := map[string]string{"old_test.go n": "7", "old_test.go sub.Less(n, 8)": "true", "sub/sub.go x": "7", "sub/sub.go y": "8"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// instrumented prepares a module twice: for its sites, and then with all values.
func instrumented(t *testing.T, dir string, flags []string) (*instrument.Plan, *Choice) {
	t.Helper()
	plan := prepared(t, dir, flags)
	choice := everything(t, dir, plan.Sites)
	plan, err := plan.WithValues(t.TempDir(), choice.Probes)
	if err != nil {
		t.Fatal(err)
	}
	return plan, choice
}

// prepared prepares a module.
func prepared(t *testing.T, dir string, flags []string) *instrument.Plan {
	t.Helper()
	plan, err := instrument.Prepare(context.Background(), instrument.Config{
		Dir: dir, Patterns: []string{"./..."}, BuildFlags: flags, Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func runTraced(t *testing.T, dir string, plan *instrument.Plan, flags []string) *trace.Trace {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw")
	cmd := exec.Command(plan.Shadow.Go(), slices.Concat([]string{"test", "-count=1", "-ldflags=-w"}, flags, plan.BuildFlags())...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), plan.Shadow.Env()...), "FDEBUG_TRACE="+raw)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr, err := trace.ReadRaw(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// checkPrinted compares the values with the comments "value: a | b".
func checkPrinted(t *testing.T, dir string, tr *trace.Trace, choice *Choice) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "tricky_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[int][]string)
	for _, g := range tr.GoroutinesOf("TestPrint") {
		for _, v := range g.Values {
			if s := choice.Sites[v.Site]; s.File == "tricky_test.go" {
				got[s.Line] = append(got[s.Line], v.Text)
			}
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		_, want, ok := strings.Cut(line, "// value: ")
		if !ok {
			continue
		}
		for _, w := range strings.Split(want, " | ") {
			if !slices.Contains(got[i+1], w) {
				t.Errorf("line %d: no value %s in %q", i+1, w, got[i+1])
			}
		}
	}
}

// checkOften checks that the first and the last of many values are kept.
func checkOften(t *testing.T, tr *trace.Trace, choice *Choice) {
	t.Helper()
	var nth []int
	for _, g := range tr.GoroutinesOf("TestOften") {
		for _, v := range g.Values {
			if choice.Sites[v.Site].Expr == "often" {
				nth = append(nth, v.Nth)
			}
		}
	}
	if len(nth) != 64 || nth[31] != 31 || nth[32] != 68 || nth[63] != 99 {
		t.Errorf("kept the values %v, want 0 to 31 and 68 to 99", nth)
	}
}

// TestAtLine checks what is recorded for a line with a check that failed: what its condition looked at, or what a helper
// got.
func TestAtLine(t *testing.T) {
	const text = `package p
import ("reflect"; "testing")
func TestList(t *testing.T) {
	want := []int(nil)
	if got := all(); !reflect.DeepEqual(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	equal(t, want, all())
}
func all() []int { return nil }
func equal(t *testing.T, want, got []int) {}
`
	checked := func(c *chooser, at trace.Frame) { c.check([]trace.Frame{at}, 1) }
	for _, tt := range []struct {
		line   int
		choose func(*chooser, trace.Frame)
		want   []string
	}{
		{6, checked, []string{"got", "reflect.DeepEqual(got, want)", "want"}},
		{8, checked, []string{"all()", "want"}},
	} {
		if got := expressionsIn(t, text, tt.line, tt.choose); !slices.Equal(got, tt.want) {
			t.Errorf("line %d: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

// expressionsIn returns the expressions chosen for a line of a file, sorted.
func expressionsIn(t *testing.T, text string, line int, choose func(*chooser, trace.Frame)) (list []string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.24\n", "p_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sites := &trace.Sites{Module: "example.com/p", Root: dir, Files: []trace.File{{Path: "p_test.go", Name: "example.com/p/p_test.go"}}}
	c := &chooser{in: inputOf(dir, sites), wrapped: make(map[ast.Node]int), run: make(map[int]bool), max: 100, out: emptyChoice()}
	var err error
	if c.prog, err = load(c.in, map[int]bool{0: true}); err != nil {
		t.Fatal(err)
	}
	choose(c, trace.Frame{File: filepath.Join(dir, "p_test.go"), Line: line})
	for _, s := range c.out.Sites[1:] {
		list = append(list, s.Expr)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
