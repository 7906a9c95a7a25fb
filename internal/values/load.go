package values

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

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
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx, Dir: in.Dir, BuildFlags: in.Flags, Tests: true, Fset: fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, packagesOf(in.Sites, files)...)
	if err != nil {
		return nil, err
	}
	p := &program{files: make(map[string]*file), funcs: make(map[string]*funcAST)}
	byName := make(map[string]string)
	for _, f := range in.Sites.Files {
		byName[filepath.Join(in.Sites.Root, filepath.FromSlash(f.Path))] = f.Path
	}
	var failed []error
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			failed = append(failed, e)
		}
		p.add(pkg, fset, byName)
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("no types: %w", errors.Join(failed[:min(len(failed), 3)]...))
	}
	return p, nil
}

// packagesOf returns the import paths of the packages that files belong to.
func packagesOf(sites *trace.Sites, files map[int]bool) []string {
	var list []string
	for i := range files {
		p := strings.TrimSuffix(path.Dir(sites.Files[i].Name), "_test")
		for _, name := range []string{p, path.Dir(sites.Files[i].Name)} {
			if !slices.Contains(list, name) && name == path.Dir(sites.Files[i].Name) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}

// add takes in the files of a package. Those with cgo are type-checked in
// another form, in which nothing stands where it was written.
func (p *program) add(pkg *packages.Package, fset *token.FileSet, byName map[string]string) {
	if pkg.IllTyped || pkg.TypesInfo == nil {
		return
	}
	for _, f := range pkg.Syntax {
		name := fset.File(f.FileStart).Name()
		rel, ok := byName[name]
		if !ok || p.files[rel] != nil {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		x := &file{name: name, rel: rel, ast: f, fset: fset, info: pkg.TypesInfo, src: src}
		p.files[rel] = x
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if fn, ok := x.info.Defs[d.Name].(*types.Func); ok {
					p.funcs[fn.FullName()] = &funcAST{x, d}
				}
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
