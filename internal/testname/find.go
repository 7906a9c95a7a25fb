package testname

import (
	"bytes"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Module is the source that tests are looked for in.
type Module struct {
	Root string // absolute directory of go.mod
	Path string // its module path
}

// ModuleOf returns the module that contains a directory. The error is [fs.ErrNotExist] if there
// is none.
func ModuleOf(dir string) (*Module, error) {
	root, mod, err := syntax.ModuleOf(dir)
	if err != nil {
		return nil, err
	}
	return &Module{Root: root, Path: modfile.ModulePath(mod)}, nil
}

// Find returns the directories of the packages that have the test, absolute and sorted.
func (m *Module) Find(n Name) ([]string, error) {
	var dirs []string
	err := m.files(func(file string) error {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte(n.Test)) {
			return err
		}
		pkg, tests := testsOf(data)
		if dir := filepath.Dir(file); slices.Contains(tests, n.Test) && m.is(dir, pkg, n.Package) &&
			!slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	slices.Sort(dirs)
	return dirs, err
}

// Tests returns the names of the tests of the module, sorted.
func (m *Module) Tests() ([]string, error) {
	var all []string
	err := m.files(func(file string) error {
		data, err := os.ReadFile(file)
		all = append(all, In(data)...)
		return err
	})
	slices.Sort(all)
	return slices.Compact(all), err
}

// is reports whether called may stand for a package: it is its name, or the end of its import
// path.
func (m *Module) is(dir, name, called string) bool {
	rel, err := filepath.Rel(m.Root, dir)
	if err != nil {
		return false
	}
	called = strings.TrimPrefix(path.Clean("/"+called), "/")
	return called == "" || called == strings.TrimSuffix(name, "_test") ||
		strings.HasSuffix("/"+path.Join(m.Path, filepath.ToSlash(rel)), "/"+called)
}

// files calls f for each test file of the module, as the go command sees it.
func (m *Module) files(f func(file string) error) error {
	return filepath.WalkDir(m.Root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != m.Root && syntax.Apart(file):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, "_test.go") && !ignored(name):
			return f(file)
		}
		return nil
	})
}

// ignored reports whether the go command ignores files and directories with that name.
func ignored(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// In returns the names of the tests in a file.
func In(src []byte) []string {
	_, tests := testsOf(src)
	return tests
}

// testsOf returns the package clause of a file and the names of its tests. If the file has an
// error, it returns the tests before that, because the compiler will report the error.
func testsOf(src []byte) (pkg string, tests []string) {
	f, _ := syntax.Parse("", src)
	if f == nil {
		return "", nil
	}
	for _, d := range f.Tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
			if n, ok := Parse(d.Name.Name); ok && n.Test == d.Name.Name {
				tests = append(tests, n.Test)
			}
		}
	}
	return f.Tree.Name.Name, tests
}
