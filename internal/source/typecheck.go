package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"go/version"
	"os"
	"runtime"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/fdebug/fdebug/internal/syntax"
)

// parse parses a file once, even if several packages have it. Then each declaration in it has one
// position.
func (l *loader) parse(name string) *File {
	f, ok := l.files[name]
	if ok {
		return f
	}
	l.files[name] = nil
	rel, err := l.paths[name], error(nil)
	f = &File{Path: rel, File: syntax.File{Set: l.fset, Name: name}}
	if rel != "" {
		f.Src, err = l.Read(rel)
	} else {
		f.Src, err = os.ReadFile(name)
	}
	if err == nil {
		f.Tree, err = parser.ParseFile(l.fset, name, f.Src, parser.ParseComments|parser.SkipObjectResolution)
	}
	if err != nil {
		l.fail(err)
	}
	if f.Tree == nil {
		return nil
	}
	capVersion(f.Tree)
	l.files[name] = f
	return f
}

// check returns the types of a user's package, from source. Files that no other package had
// before get their types from it.
func (l *loader) check(p *packages.Package) *types.Package {
	if tp, ok := l.done[p]; ok {
		return tp
	}
	tp := types.NewPackage(p.PkgPath, p.Name)
	l.done[p] = tp
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses:      make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	var trees []*ast.File
	var mine []*File
	for _, name := range p.GoFiles {
		if f := l.parse(name); f != nil {
			trees = append(trees, f.Tree)
			mine = append(mine, f)
		}
	}
	typed := true
	cfg := &types.Config{
		Importer: importer{l, p}, Sizes: l.deps.sizes, GoVersion: languageOf(p), FakeImportC: true,
		Error: func(err error) {
			typed = false
			l.fail(err)
		},
	}
	types.NewChecker(cfg, l.fset, tp, info).Files(trees)
	tp.MarkComplete()
	for _, f := range mine {
		if f.Info == nil {
			f.Info, f.Typed = info, typed
		}
	}
	return tp
}

// isOwn reports whether a package is loaded as the user's code: it is the user's, or imports such
// a package.
func (l *loader) isOwn(p *packages.Package) bool {
	own, ok := l.own[p]
	if !ok {
		l.own[p] = false
		own = slices.ContainsFunc(p.GoFiles, func(name string) bool { return l.paths[name] != "" })
		for _, dep := range p.Imports {
			own = own || l.isOwn(dep)
		}
		l.own[p] = own
	}
	return own
}

// An importer finds what one package imports.
type importer struct {
	l    *loader
	from *packages.Package
}

func (im importer) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	p := im.from.Imports[importPath]
	if p == nil {
		p = im.l.byPath[importPath]
	}
	switch {
	case p == nil:
		stub, _ := im.l.deps.stubs.Import(importPath)
		return stub, fmt.Errorf("%s is not to be had", importPath)
	case im.l.isOwn(p):
		return im.l.check(p), nil
	}
	return im.l.deps.load(p)
}

// languageOf returns the version of the language that a package is written in, or "" for the
// newest known one.
func languageOf(p *packages.Package) string {
	if p.Module == nil || p.Module.GoVersion == "" || newer("go"+p.Module.GoVersion) {
		return ""
	}
	return "go" + p.Module.GoVersion
}

// newer reports whether a version of Go is newer than go/types here.
func newer(v string) bool {
	return version.Compare(version.Lang(v), version.Lang(runtime.Version())) > 0
}

// capVersion removes a file's own version (//go:build go1.99) if it is newer.
func capVersion(f *ast.File) {
	if newer(f.GoVersion) {
		f.GoVersion = ""
	}
}
