package inject

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// An archive of testdata has a source x.go or x_test.go, packages that it imports, and for each
// operator the edits: lines of the edit, the function, and the change.
func TestOperators(t *testing.T) {
	seen := make(map[string]bool)
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no archives")
	}
	for _, name := range files {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := load(t, ar)
		for _, f := range ar.Files {
			operator, ok := strings.CutPrefix(f.Name, "want/")
			if !ok {
				continue
			}
			seen[operator] = true
			got := tell(t, s, find(t, operator))
			golden.Section(t, name, f.Name, got)
		}
	}
	for _, op := range operators() {
		if !seen[op.name] {
			t.Errorf("no archive has want/%s", op.name)
		}
	}
}

func TestChosen(t *testing.T) {
	if all, err := chosen(nil); err != nil || len(all) != len(operators()) {
		t.Errorf("none named: %d, %v", len(all), err)
	}
	if two, err := chosen([]string{"read-once", "call-go"}); err != nil || len(two) != 2 || two[0].name != "read-once" {
		t.Errorf("two named: %v, %v", two, err)
	}
	if _, err := chosen([]string{"read-twice"}); err == nil {
		t.Error("there is no such operator")
	}
}

func find(t *testing.T, name string) operator {
	t.Helper()
	for _, op := range operators() {
		if op.name == name {
			return op
		}
	}
	t.Fatalf("there is no operator %s", name)
	return operator{}
}

// load type-checks the source of an archive.
func load(t *testing.T, ar *txtar.Archive) *source {
	t.Helper()
	fset := token.NewFileSet()
	imp := &archived{std: importer.ForCompiler(fset, "gc", nil), own: make(map[string]*types.Package)}
	var s *source
	for _, f := range ar.Files {
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Uses: make(map[*ast.Ident]types.Object),
			Defs: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		}
		pkg := path.Join("example.com", path.Dir(f.Name))
		checked, err := (&types.Config{Importer: imp}).Check(pkg, fset, []*ast.File{file}, info)
		if err != nil {
			t.Fatal(err)
		}
		imp.own[pkg] = checked
		if path.Dir(f.Name) == "." {
			s = &source{path: f.Name, test: strings.HasSuffix(f.Name, "_test.go"), module: "example.com", text: f.Data, file: file, fset: fset, info: info}
		}
	}
	return s
}

// archived imports packages of an archive, or of the standard library.
type archived struct {
	std types.Importer
	own map[string]*types.Package
}

func (a *archived) Import(path string) (*types.Package, error) {
	if p := a.own[path]; p != nil {
		return p, nil
	}
	return a.std.Import(path)
}

// tell prints all edits of an operator.
func tell(t *testing.T, s *source, op operator) string {
	t.Helper()
	var b strings.Builder
	for _, e := range op.sites(s) {
		a, err := s.apply(e)
		if err != nil {
			t.Errorf("%s: %v", op.name, err)
			continue
		}
		fmt.Fprintf(&b, "lines %v in %s %v\n", a.lines, a.name, a.fn)
		before, after := strings.Split(string(s.text), "\n"), strings.Split(string(a.text), "\n")
		if e.decl == "" && len(before) == len(after) {
			for i := range before {
				if before[i] != after[i] {
					fmt.Fprintf(&b, "%d-%s\n%d+%s\n", i+1, before[i], i+1, after[i])
				}
			}
			continue
		}
		same := 0
		for same < min(len(before), len(after)) && before[same] == after[same] {
			same++
		}
		before, after = before[same:], after[same:]
		for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
			before, after = before[:len(before)-1], after[:len(after)-1]
		}
		for i, line := range after {
			if !slices.Contains(before, line) {
				fmt.Fprintf(&b, "%d+%s\n", same+i+1, line)
			}
		}
	}
	return b.String()
}
