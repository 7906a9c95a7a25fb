// Package syntax reads the user's files without types: one at a time, as they stand there. It also finds the module
// that they are in. What needs to know what a name means asks package source.
package syntax

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// A File is a Go file that was parsed.
type File struct {
	Set  *token.FileSet
	Name string
	Src  []byte
	Tree *ast.File
}

// Parse returns a file. Of one with an error it returns what comes before that, nil if even its package clause is
// missing.
func Parse(name string, src []byte) (*File, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if tree == nil || tree.Name.Name == "" {
		return nil, err
	}
	return &File{set, name, src, tree}, err
}

// Read is Parse for a file that is read by a function such as [os.ReadFile].
func Read(name string, read func(string) ([]byte, error)) (*File, error) {
	src, err := read(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, src)
}

// Lines returns the first and the last line of a node, ignoring //line.
func (f *File) Lines(n ast.Node) (from, to int) { return f.at(n.Pos()).Line, f.at(n.End()).Line }

// Text returns a node as it is written.
func (f *File) Text(n ast.Node) string {
	return string(f.Src[f.at(n.Pos()).Offset:f.at(n.End()).Offset])
}

func (f *File) at(p token.Pos) token.Position { return f.Set.PositionFor(p, false) }

// Vars returns the names of the package variables that the file declares.
func (f *File) Vars() (list []*ast.Ident) {
	for _, d := range f.Tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				list = append(list, s.(*ast.ValueSpec).Names...)
			}
		}
	}
	return list
}

// Nodes yields the nodes of a type in a tree, each before those within it.
func Nodes[T ast.Node](root ast.Node) iter.Seq[T] {
	return func(yield func(T) bool) {
		for n := range ast.Preorder(root) {
			if x, ok := n.(T); ok && !yield(x) {
				return
			}
		}
	}
}

// Called returns the name of the called function and what it is selected from: x and F for x.F(), nil and F for F().
func Called(call *ast.CallExpr) (x ast.Expr, name string) {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return nil, f.Name
	case *ast.SelectorExpr:
		return f.X, f.Sel.Name
	}
	return nil, ""
}

// Rands returns the calls of functions of packages called rand from one line to another one.
func (f *File) Rands(start, end int) (list []*ast.CallExpr) {
	for call := range Nodes[*ast.CallExpr](f.Tree) {
		x, _ := Called(call)
		from, _ := f.Lines(call)
		if id, ok := x.(*ast.Ident); ok && id.Name == "rand" && start <= from && from <= end {
			list = append(list, call)
		}
	}
	return list
}

// HasDefault reports whether a select has a default.
func HasDefault(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil })
}

// String returns the value of an expression of string literals.
func String(e ast.Expr) (value string, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		return value, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, ok := String(e.X)
		y, too := String(e.Y)
		return x + y, ok && too && e.Op == token.ADD
	}
	return "", false
}

// Predeclared reports whether a name is, if nothing else declares it, that of a type, or of a function other than some.
func Predeclared(name string, but ...string) bool {
	switch types.Universe.Lookup(name).(type) {
	case *types.TypeName:
		return true
	case *types.Builtin:
		return !slices.Contains(but, name)
	}
	return false
}

// ModuleOf returns the directory of the module that contains a directory, and its go.mod. The error is [fs.ErrNotExist]
// if there is none.
func ModuleOf(dir string) (root string, mod []byte, err error) {
	for ; ; dir = filepath.Dir(dir) {
		if mod, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, mod, nil
		}
		if dir == filepath.Dir(dir) {
			return "", nil, fmt.Errorf("go.mod: %w", fs.ErrNotExist)
		}
	}
}

// Apart reports whether "..." does not match a directory and those below it.
func Apart(dir string) bool {
	base := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return base == "testdata" || base == "vendor" || base[0] == '_' || base[0] == '.' || err == nil
}
