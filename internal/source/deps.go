package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// dependencies are packages whose exported objects are needed. They are read from the compiler's
// export data if this program knows its format, which changes with releases of Go. Otherwise all
// are read from source, because types of both kinds do not go together.
type dependencies struct {
	fset     *token.FileSet
	files    map[string]string         // with export data, by import path
	exported map[string]*types.Package // from export data, by import path
	source   bool                      // export data can't be read
	checked  map[*packages.Package]*types.Package
	stubs    *stubs
	known    Known       // has the export data; nil if files do
	sizes    types.Sizes // of what is loaded from source, including the user's packages
}

func newDependencies(fset *token.FileSet, known Known) *dependencies {
	return &dependencies{fset: fset, known: known, files: make(map[string]string),
		exported: make(map[string]*types.Package),
		checked:  make(map[*packages.Package]*types.Package), stubs: newStubs()}
}

func (d *dependencies) load(p *packages.Package) (*types.Package, error) {
	if p.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	if !d.source && (d.known != nil || d.files[p.PkgPath] != "") {
		tp, err := d.read(p)
		if err == nil {
			return tp, nil
		}
	}
	d.source = true
	return d.check(p)
}

// read reads export data.
func (d *dependencies) read(p *packages.Package) (*types.Package, error) {
	if tp := d.exported[p.PkgPath]; tp != nil && tp.Complete() {
		return tp, nil
	}
	if d.known != nil {
		r := d.known.Export(p.PkgPath)
		if r == nil {
			return nil, os.ErrNotExist
		}
		return gcexportdata.Read(r, d.fset, d.exported, p.PkgPath)
	}
	f, err := os.Open(d.files[p.PkgPath])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, d.fset, d.exported, p.PkgPath)
}

// check reads source. It leaves out what is newer than go/types here. The user of such code gets
// an error of its own.
func (d *dependencies) check(p *packages.Package) (*types.Package, error) {
	if tp := d.checked[p]; tp != nil {
		return tp, nil
	}
	tp := types.NewPackage(p.PkgPath, p.Name)
	d.checked[p] = tp
	var trees []*ast.File
	for _, name := range p.GoFiles {
		if tree, _ := parser.ParseFile(d.fset, name, nil, parser.SkipObjectResolution); tree != nil {
			capVersion(tree)
			trees = append(trees, tree)
		}
	}
	if len(trees) == 0 {
		stub, _ := d.stubs.Import(p.PkgPath)
		return stub, fmt.Errorf("%s: neither export data nor source can be read", p.PkgPath)
	}
	cfg := &types.Config{
		Importer: depImporter{d, p}, Sizes: d.sizes, GoVersion: languageOf(p),
		FakeImportC: true, IgnoreFuncBodies: true, Error: func(error) {},
	}
	types.NewChecker(cfg, d.fset, tp, nil).Files(trees)
	tp.MarkComplete()
	return tp, nil
}

// A depImporter finds what one dependency imports.
type depImporter struct {
	d    *dependencies
	from *packages.Package
}

func (im depImporter) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if p := im.from.Imports[importPath]; p != nil {
		return im.d.check(p)
	}
	stub, _ := im.d.stubs.Import(importPath)
	return stub, fmt.Errorf("%s is not to be had", importPath)
}
