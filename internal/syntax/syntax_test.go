package syntax

import (
	"errors"
	"go/ast"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const text = `package p

var a, b = 1, "x"

//line other.go:90
func f() {
	g("one " + ("two"))
	s.g(
		1)
}

func broken( {
`

// What comes before an error can be asked for, by the lines of the file itself.
func TestParse(t *testing.T) {
	f, err := Parse("p.go", []byte(text))
	if err == nil || f == nil {
		t.Fatalf("%v, %v", f, err)
	}
	var vars []string
	for _, id := range f.Vars() {
		vars = append(vars, id.Name)
	}
	if !slices.Equal(vars, []string{"a", "b"}) {
		t.Errorf("variables %q", vars)
	}
	var calls []*ast.CallExpr
	for c := range Nodes[*ast.CallExpr](f.Tree) {
		calls = append(calls, c)
	}
	if len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	if of, name := Called(calls[0]); of != nil || name != "g" {
		t.Errorf("called %v, %q", of, name)
	}
	if of, name := Called(calls[1]); of == nil || f.Text(of) != "s" || name != "g" {
		t.Errorf("called %v, %q", of, name)
	}
	if from, to := f.Lines(calls[1]); from != 8 || to != 9 {
		t.Errorf("lines %d to %d", from, to)
	}
	if s, ok := String(calls[0].Args[0]); s != "one two" || !ok {
		t.Errorf("%q, %v", s, ok)
	}
	if s, ok := String(calls[1].Args[0]); ok {
		t.Errorf("%q of a number", s)
	}
	if f, err := Parse("p.go", []byte("func")); f != nil || err == nil {
		t.Errorf("without a package clause: %v, %v", f, err)
	}
}

func TestPredeclared(t *testing.T) {
	for name, want := range map[string]bool{"any": true, "len": true, "close": false, "nil": false, "true": false, "f": false} {
		if Predeclared(name, "close") != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
}

func TestModuleOf(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ModuleOf(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no module: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, mod, err := ModuleOf(dir); got != root || string(mod) != "module m\n" || err != nil {
		t.Errorf("%s, %q, %v", got, mod, err)
	}
	if !Apart(root) || Apart(dir) || !Apart(filepath.Join(dir, "testdata")) || !Apart(filepath.Join(dir, "_b")) {
		t.Error("which directories are apart")
	}
}
