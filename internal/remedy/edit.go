package remedy

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/fdebug/fdebug/internal/syntax"
)

// An edit replaces the bytes from offset start to end.
type edit struct {
	start, end int
	text       string
}

func (f *file) replace(n ast.Node, text string) {
	f.edits = append(f.edits, edit{f.offset(n.Pos()), f.offset(n.End()), text})
}

func (f *file) insert(at token.Pos, text string) {
	f.edits = append(f.edits, edit{f.offset(at), f.offset(at), text})
}

// edited returns the text with the edits applied, missing imports added, unused imports removed,
// formatted as by gofmt.
func (f *file) edited(imports ...string) ([]byte, error) {
	if len(f.edits) == 0 {
		return nil, errNone
	}
	slices.SortStableFunc(f.edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b bytes.Buffer
	at := 0
	for _, e := range f.edits {
		if e.start < at {
			return nil, fmt.Errorf("edits overlap")
		}
		b.Write(f.Src[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(f.Src[at:])
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.Name, b.Bytes(), parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, path := range imports {
		if f.spec(path) == nil {
			astutil.AddImport(fset, file, path)
		}
	}
	for _, s := range f.Tree.Imports {
		path, _ := strconv.Unquote(s.Path.Value)
		if name := importName(s); name != "_" && name != "." && name != "C" && used(f.Tree, name) && !used(file, name) {
			astutil.DeleteNamedImport(fset, file, explicitName(s), path)
		}
	}
	b.Reset()
	if err := format.Node(&b, fset, file); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// errNone says that there is no place for the edit.
var errNone = fmt.Errorf("nothing to edit")

func explicitName(s *ast.ImportSpec) string {
	if s.Name == nil {
		return ""
	}
	return s.Name.Name
}

// importName is the name under which a file imports a package, as far as the path shows.
func importName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value)
	return path[strings.LastIndexByte(path, '/')+1:]
}

// used reports whether a package name qualifies something.
func used(file *ast.File, name string) bool {
	for s := range syntax.Nodes[*ast.SelectorExpr](file) {
		if x, ok := s.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil {
			return true
		}
	}
	return false
}

// imported returns the name of a package in the file: that of its import or, if it is not
// imported yet, its own name, which must not mean anything else in the file.
func (f *file) imported(path string) (name string, ok bool) {
	if s := f.spec(path); s != nil {
		return importName(s), true
	}
	name = path[strings.LastIndexByte(path, '/')+1:]
	return name, !f.has(name)
}

// spec returns the import of a package under a usable name, or nil if there is none.
func (f *file) spec(path string) *ast.ImportSpec {
	for _, s := range f.Tree.Imports {
		if p, _ := strconv.Unquote(s.Path.Value); p == path && importName(s) != "_" && importName(s) != "." {
			return s
		}
	}
	return nil
}

// fresh returns a name that the file does not have.
func (f *file) fresh(names ...string) string {
	for _, n := range names {
		if !f.has(n) {
			return n
		}
	}
	for i := 2; ; i++ {
		if n := names[0] + strconv.Itoa(i); !f.has(n) {
			return n
		}
	}
}

// has reports whether an identifier occurs anywhere in the file.
func (f *file) has(name string) bool {
	for id := range syntax.Nodes[*ast.Ident](f.Tree) {
		if id.Name == name {
			return true
		}
	}
	return false
}
