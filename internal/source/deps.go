package source

import (
	"fmt"
	"go/token"
	"go/types"
	"os"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// dependencies are packages whose exported objects are needed. They are read from the compiler's export data. Where
// this program does not know its format, which changes with releases of Go, stubs take their place.
type dependencies struct {
	fset     *token.FileSet
	files    map[string]string         // with export data, by import path
	exported map[string]*types.Package // from export data, by import path
	stubs    *stubs
	known    Known       // has the export data; nil if files do
	sizes    types.Sizes // of what is loaded from source, including the user's packages
}

func newDependencies(fset *token.FileSet, known Known) *dependencies {
	return &dependencies{fset: fset, known: known, files: make(map[string]string),
		exported: make(map[string]*types.Package), stubs: newStubs()}
}

func (d *dependencies) load(p *packages.Package) (*types.Package, error) {
	if p.PkgPath == "unsafe" {
		return types.Unsafe, nil
	}
	tp, err := d.read(p)
	if err != nil {
		stub, _ := d.stubs.Import(p.PkgPath)
		return stub, fmt.Errorf("%s: its export data can't be read: %w", p.PkgPath, err)
	}
	return tp, nil
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
