package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/trace"
)

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	b := Build{GoCmd: "go", Dir: ".", Out: t.TempDir()}
	_, err := b.Test(t.Context(), progTarget(t, "nofiles"))
	if !errors.Is(err, ErrNoTestFiles) {
		t.Errorf("got error %v, want %v", err, ErrNoTestFiles)
	}
	_, err = b.Test(t.Context(), progTarget(t, "broken"))
	var fault *BuildError
	if !errors.As(err, &fault) {
		t.Fatalf("got error %v, want a BuildError", err)
	}
	want := filepath.FromSlash("testdata/broken/broken_test.go:5:33: undefined: undefined\n")
	if !strings.HasSuffix(fault.Output, want) || strings.Contains(fault.Output, "FAIL") {
		t.Errorf("got output\n%s\nwant it to end with\n%s", fault.Output, want)
	}
	b.GoCmd = filepath.Join(t.TempDir(), "nogo")
	if _, err = b.Test(t.Context(), progTarget(t, "prog")); err == nil || errors.As(err, &fault) {
		t.Errorf("got error %v for a missing go command", err)
	}
}

// TestTests builds packages with one go command, with files of an overlay and without. It gets
// the binaries of the packages that build and that go vet does not object to.
func TestTests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	out := t.TempDir()
	var targets []Target
	replace := make(map[string]string)
	for name, body := range map[string]string{"fine": "", "vetted": `t.Logf("%d", "x")`, "broken": "undefined()", "other": "", "unparsed": "{"} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		file, instead := filepath.Join(sub, "x_test.go"), filepath.Join(out, name+"_x_test.go")
		write(t, file, "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { "+body+" }\n")
		write(t, instead, "package x; import _ \"time\"\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { "+body+" }\n")
		replace[file] = instead
		targets = append(targets, Target{ImportPath: "example.com/m/" + name, Dir: sub})
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	probed := filepath.Join(out, "overlay.json")
	write(t, probed, string(overlay))
	for _, c := range []struct{ vet, overlay, want string }{
		{"", "", "fine other"},
		{"", probed, "fine other"},
		{"assign", "", "fine other vetted"},
		{"off", probed, "fine other vetted"},
	} {
		b := Build{GoCmd: "go", Dir: dir, Out: out, Vet: c.vet, Overlay: c.overlay}
		var got []string
		err := b.Tests(t.Context(), targets, func(bin *Binary) {
			got = append(got, path.Base(bin.ImportPath))
			if _, err := os.Stat(bin.Path); err != nil {
				t.Error(err)
			}
		})
		slices.Sort(got)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("-vet=%s, overlay %q: got %q, %v, want %q", c.vet, c.overlay, got, err, c.want)
		}
	}
}

// writeOverlay writes an overlay that replaces testdata/main/main_test.go with an instrumented
// file.
func writeOverlay(t *testing.T, instrument func(string) string) string {
	t.Helper()
	file, err := filepath.Abs("testdata/main/main_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	instrumented := filepath.Join(dir, "instrumented file.go")
	write(t, instrumented, instrument(string(source)))
	return writeJSON(t, filepath.Join(dir, "overlay.json"), map[string]string{file: instrumented})
}

func writeJSON(t *testing.T, file string, replace map[string]string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(data))
	return file
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestInstrumentedErrors has errors in instrumented files. They are reported as if they were in
// the user's files.
func TestInstrumentedErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"type", "code := m.Run()", "probe(12);code := m.Run(); probe(13);undefined(code)", "main_test.go:27: undefined: undefined"},
		{"syntax", "code := m.Run()", "_ = 12;code := := m.Run()", "main_test.go:27: "},
	} {
		overlay := writeOverlay(t, func(s string) string {
			s = strings.Replace(s, c.old, c.new, 1)
			return s + "\nfunc probe(int) {}\n"
		})
		b := Build{GoCmd: "go", Dir: ".", Overlay: overlay, Out: t.TempDir()}
		_, err := b.Test(t.Context(), progTarget(t, "main"))
		var fault *BuildError
		if !errors.As(err, &fault) || !strings.Contains(fault.Output, filepath.FromSlash("testdata/main/")+c.want) {
			t.Errorf("%s: got error\n%v\nwant one with %s", c.name, err, c.want)
		}
	}
}

// TestMergedOverlay has a user's overlay with relative paths, which adds a file, besides the
// instrumented one.
func TestMergedOverlay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	overlay := writeOverlay(t, func(s string) string { return s + "\nvar _ = fromUser\n" })
	dir := t.TempDir()
	added := filepath.Join(dir, "added.go")
	write(t, added, "package main\n\nconst fromUser = 1\n")
	theirs := writeJSON(t, filepath.Join(dir, "user.json"), map[string]string{"testdata/main/user_test.go": added})
	abs, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []Build{
		{Flags: []string{noDWARF, "-overlay=" + theirs}},
		{Flags: []string{noDWARF, "--overlay", theirs}},
		{Flags: []string{noDWARF}, Env: []string{"GOFLAGS=-overlay=" + theirs}},
		{Flags: []string{noDWARF}, Added: map[string]string{filepath.Join(abs, "testdata", "main", "user_test.go"): added}},
	} {
		b.GoCmd, b.Dir, b.Overlay, b.Out = "go", abs, overlay, t.TempDir()
		if _, err := b.Test(t.Context(), progTarget(t, "main")); err != nil {
			t.Errorf("%q, %q: %v", b.Flags, b.Env, err)
		}
	}
}

func TestSelection(t *testing.T) {
	s := Selection{
		Run: "TestX$/a", Skip: "b", Short: true, CPU: "1,2", Parallel: 3, Shuffle: "on", Count: 2,
		FullPath: true, FailFast: true, Extra: []string{"-test.v", "-custom=1", "--test.v=false", "arg"},
	}
	got := s.args(ginkgo.Suite{})
	want := []string{
		"-test.v=test2json", "-test.paniconexit0", "-test.timeout=0s", "-test.run=TestX$/a", "-test.skip=b",
		"-test.cpu=1,2", "-test.shuffle=on", "-test.parallel=3", "-test.count=2",
		"-test.short=true", "-test.fullpath=true", "-test.failfast=true", "-custom=1", "arg",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	s = Selection{Run: "TestX/a", Skip: "b", Shuffle: "-5"}
	for suite, want := range map[ginkgo.Suite][]string{
		{}:              {"-test.run=TestX/a", "-test.skip=b", "-test.shuffle=-5"},
		{Test: "TestX"}: {"-test.run=TestX", "-test.skip=b", "-ginkgo.seed=5", "-ginkgo.focus=(?s).* .*a"},
	} {
		if got := s.args(suite)[3:]; !slices.Equal(got, want) {
			t.Errorf("%+v: got %q\nwant %q", suite, got, want)
		}
	}
}

// TestReady has binaries that were built before.
func TestReady(t *testing.T) {
	broken := errors.New("does not build with probes")
	b := Build{Ready: map[string]Ready{"m/a": {Path: "/bin/a.test"}, "m/b": {Err: broken}}}
	target := Target{ImportPath: "m/a", Dir: "/m/a"}
	bin, err := b.Test(t.Context(), target)
	if err != nil || *bin != (Binary{Target: target, Path: "/bin/a.test"}) {
		t.Errorf("got %+v, %v", bin, err)
	}
	if _, err := b.Test(t.Context(), Target{ImportPath: "m/b"}); err != broken {
		t.Errorf("got error %v, want %v", err, broken)
	}
	if _, err := b.Test(t.Context(), Target{ImportPath: "m/c"}); !errors.Is(err, ErrNoTestFiles) {
		t.Errorf("got error %v, want %v", err, ErrNoTestFiles)
	}
}

// TestMovedTwice renames two directories in output that is cut at any position.
func TestMovedTwice(t *testing.T) {
	const text = "/shadow/src/runtime/panic.go:9\n/tmp/u/tree/q/q_test.go:3\nin /tmp/u/tre"
	const want = "/usr/go/src/runtime/panic.go:9\n/home/u/q/q_test.go:3\nin /tmp/u/tre"
	for size := 1; size < len(text); size++ {
		var out strings.Builder
		copyMoved(&out, iotest.DataErrReader(&pieces{text, size}), []Moved{{"/shadow", "/usr/go"}, {}, {"/tmp/u/tree", "/home/u"}})
		if out.String() != want {
			t.Errorf("in pieces of %d: got %q, want %q", size, out.String(), want)
		}
	}
}

// pieces is a reader that returns a fixed number of bytes at a time.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}

// TestHere runs a binary that knows its directory by the path on another machine.
func TestHere(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a_test.go"), "package a\n\nfunc f(t T) {\n\tt.Errorf(\"x\")\n}\n")
	x := &Exec{
		Binary: &Binary{Target: Target{ImportPath: "m/a", Dir: "/home/u/a"}, Path: "a.test"},
		Here:   func(path string) string { return strings.Replace(path, "/home/u/a", dir, 1) },
		Env:    []string{"A=b"},
	}
	c := x.command(nil)
	if c.Dir != dir || !slices.Contains(c.Env, "PWD="+dir) {
		t.Errorf("in %s with %q", c.Dir, c.Env)
	}
	for _, file := range []string{"a_test.go", "/home/u/a/a_test.go"} {
		if kind, here := x.newExplainer(x.Binary.Target).src.kind(trace.Frame{File: file, Line: 4}); !here || kind == callUnknown {
			t.Errorf("%s: %v, %v", file, kind, here)
		}
	}
}

// TestExported has a package that only the overlay makes what it is: its export data must be that
// of the build, not of what go list would compile without it.
func TestExported(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/m\n\ngo 1.24\n")
	if err := os.Mkdir(filepath.Join(dir, "dep"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "dep", "dep.go"), "package dep\n\nfunc Plain() {}\n")
	other := filepath.Join(t.TempDir(), "dep.go")
	write(t, other, "package dep\n\nfunc Overlaid() {}\n")
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	writeJSON(t, overlay, map[string]string{filepath.Join(dir, "dep", "dep.go"): other})

	b := Build{GoCmd: "go", Dir: dir, Out: t.TempDir(), Overlay: overlay, Flags: []string{"-ldflags=-s -w"}}
	files, err := b.Exported(t.Context(), []string{"example.com/m/dep", "unsafe"})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(files["example.com/m/dep"])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("Overlaid")) || bytes.Contains(data, []byte("Plain")) {
		t.Errorf("%s is not the package of the overlay", files["example.com/m/dep"])
	}
	if file := files["unsafe"]; file != "" {
		t.Errorf("unsafe has export data in %s", file)
	}
}
