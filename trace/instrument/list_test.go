package instrument

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatchPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/b", "a/bc", false},
		{"a/...", "a", true},
		{"a/...", "a/b/c", true},
		{"a/...", "ab", false},
		{"a...", "ab", true},
		{"a...", "a", true},
		{"...", "anything/at.all", true},
		{"...", "", true},
		{".../b", "a/b", true},
		{".../b", "b", false},
		{".../b/...", "a/b", true},
		{".../b/...", "a/b/c", true},
		{"a/.../c", "a/b/c", true},
		{"a/.../c", "a/c", false},
		{"a/.../c", "a/b/cd", false},
		{"a...b...c", "abc", true},
		{"a...b...c", "a1b2c", true},
		{"a...b...c", "a1c", false},
		{"a...a", "a", false},
		{"a.b", "acb", false},
		{"=a/...", "a/b", true},
	} {
		if got := matchPattern(test.pattern, test.path); got != test.want {
			t.Errorf("MatchPattern(%q, %q) = %v", test.pattern, test.path, got)
		}
	}
}

func TestInScope(t *testing.T) {
	main := &listedModule{Path: "m", Main: true}
	pkg := func(path string, m *listedModule) *listed { return &listed{ImportPath: path, Dir: "/d", Module: m} }
	for _, test := range []struct {
		name     string
		pkg      *listed
		patterns []string
		want     bool
	}{
		{"main module", pkg("m/p", main), nil, true},
		{"another module", pkg("n/p", &listedModule{Path: "n"}), nil, false},
		{"std", pkg("fmt", nil), nil, false},
		{"widened", pkg("n/p", &listedModule{Path: "n"}), []string{"n/..."}, true},
		{"main module too", pkg("m/p", main), []string{"n/..."}, true},
		{"narrowed", pkg("m/p", main), []string{"=m/q"}, false},
		{"narrowed to it", pkg("m/q", main), []string{"=m/q"}, true},
		{"unsafe", pkg("unsafe", nil), []string{"..."}, false},
		{"no directory", &listed{ImportPath: "m/gone", Module: main}, nil, false},
	} {
		if got := test.pkg.inScope(test.patterns); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	prepare := func(dir string, patterns ...string) error {
		_, err := Prepare(context.Background(), Config{Dir: dir, Patterns: patterns, Out: t.TempDir(), Cache: t.TempDir()})
		return err
	}
	t.Run("no module", func(t *testing.T) {
		if err := prepare(t.TempDir(), "."); !errors.Is(err, ErrNoModule) {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.24\n")
	t.Run("no package", func(t *testing.T) {
		if err := prepare(dir, "./..."); !errors.Is(err, ErrNoPackages) {
			t.Error(err)
		}
	})
	t.Run("no such package", func(t *testing.T) {
		if err := prepare(dir, "./nosuch"); !errors.Is(err, ErrNoPackages) || !strings.Contains(err.Error(), "./nosuch") {
			t.Error(err)
		}
	})
	writeFile(t, filepath.Join(dir, "a_test.go"), "package m\n")
	t.Run("bad overlay", func(t *testing.T) {
		_, err := Prepare(context.Background(), Config{Dir: dir, Patterns: []string{"."}, Out: t.TempDir(), Cache: t.TempDir(), Overlay: "nosuch.json"})
		if err == nil || !strings.Contains(err.Error(), "nosuch.json") {
			t.Error(err)
		}
	})
	t.Run("bad go.mod", func(t *testing.T) {
		writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\nnonsense\n")
		if err := prepare(dir, "."); err == nil || !strings.Contains(err.Error(), "go.mod:3") {
			t.Error(err)
		}
	})
}

// TestDoesNotParse checks that the user's syntax errors are left to the build.
func TestDoesNotParse(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a shadow GOROOT")
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.24\n")
	writeFile(t, filepath.Join(dir, "a.go"), "package m\n\nfunc f( {\n")
	writeFile(t, filepath.Join(dir, "a_test.go"), "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n")
	out := t.TempDir()
	plan, err := Prepare(context.Background(), Config{Dir: dir, Patterns: []string{"."}, Out: out, Cache: shadowCache(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(plan.Overlay); err != nil {
		t.Error(err)
	}
}

// Only what the go command has made up is no package of the user's, whatever its name.
func TestTestMain(t *testing.T) {
	out := `{"ImportPath": "m/foo.test", "Name": "foo", "GoFiles": ["x.go"]}
{"ImportPath": "m/tool.test", "Name": "main", "GoFiles": ["main.go"]}
{"ImportPath": "m/foo.test.test", "Name": "main", "GoFiles": ["/cache/46/468b-d"]}
{"ImportPath": "m/bad.test", "Name": "main"}
{"ImportPath": "m/foo.test [m/foo.test.test]", "ForTest": "m/foo.test", "Name": "foo", "GoFiles": ["x.go"]}`
	pkgs, err := decodePackages([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) != 2 || pkgs[0].ImportPath != "m/foo.test" || pkgs[1].ImportPath != "m/tool.test" {
		t.Errorf("%d packages, want m/foo.test and m/tool.test", len(pkgs))
	}
}
