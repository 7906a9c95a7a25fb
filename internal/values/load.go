package values

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A file is a source file with its types.
type file struct {
	name string // absolute
	rel  string // as in trace.Sites
	ast  *ast.File
	fset *token.FileSet
	info *types.Info
	src  []byte
}

// A program is the files that places are chosen in.
type program struct {
	files map[string]*file    // by path in trace.Sites
	funcs map[string]*funcAST // declared functions, by types.Func.FullName
}

// A funcAST is a declared function and the file it stands in.
type funcAST struct {
	file *file
	decl *ast.FuncDecl
}

// load reads the packages of the given files, by index in sites.Files.
func load(ctx context.Context, in *Input, files map[int]bool) (*program, error) {
	x := source.Load(ctx, source.Config{Dir: in.Dir, Flags: in.Flags, Sites: in.Sites, Packages: packagesOf(in.Sites, files)})
	p := &program{files: make(map[string]*file), funcs: make(map[string]*funcAST)}
	for _, f := range in.Sites.Files {
		if f := x.File(f.Path); f != nil && f.Typed && !usesC(f.Tree) {
			p.add(f, x.Fset)
		}
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("no types: %w", first(x.Err))
	}
	return p, nil
}

// first returns the first line of an error.
func first(err error) error {
	if err == nil {
		return errors.New("there is no source")
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}

// packagesOf returns the import paths of the packages that files belong to.
func packagesOf(sites *trace.Sites, files map[int]bool) []string {
	var list []string
	for i := range files {
		list = append(list, path.Dir(sites.Files[i].Name))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// usesC reports whether a file has cgo, of which no types are known.
func usesC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// add takes in a file.
func (p *program) add(f *source.File, fset *token.FileSet) {
	x := &file{name: f.Name, rel: f.Path, ast: f.Tree, fset: fset, info: f.Info, src: f.Src}
	p.files[f.Path] = x
	for _, d := range f.Tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
			if fn, ok := x.info.Defs[d.Name].(*types.Func); ok {
				p.funcs[fn.FullName()] = &funcAST{x, d}
			}
		}
	}
}

// offset returns the offset of a position, whatever //line says.
func (f *file) offset(p token.Pos) int { return f.fset.PositionFor(p, false).Offset }

func (f *file) line(p token.Pos) int { return f.fset.PositionFor(p, false).Line }

// text returns the source of a node.
func (f *file) text(n ast.Node) string {
	from, to := f.offset(n.Pos()), f.offset(n.End())
	if from < 0 || to > len(f.src) || from > to {
		return ""
	}
	return string(f.src[from:to])
}
