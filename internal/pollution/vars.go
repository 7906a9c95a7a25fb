package pollution

import (
	"go/build"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A pkg is a package of the module, by its files.
type pkg struct {
	dir                string // relative to the root, with slashes; "." for the root itself
	name, path         string
	files, tests, outs []file // of the package, of its tests, and of external tests
}

type file struct {
	name string // relative to the root, with slashes
	*syntax.File
}

// A loader parses the files of packages that are built.
type loader struct {
	root   string
	module string // its path
	build  build.Context
}

// load returns the package in a directory. It fails if go build would find no package there.
func (l *loader) load(dir string) (*pkg, error) {
	bp, err := l.build.ImportDir(filepath.Join(l.root, filepath.FromSlash(dir)), 0)
	if err != nil {
		return nil, err
	}
	p := &pkg{dir: dir, name: bp.Name, path: path.Join(l.module, dir)}
	for _, x := range []struct {
		to    *[]file
		names []string
	}{{&p.files, slices.Concat(bp.GoFiles, bp.CgoFiles)}, {&p.tests, bp.TestGoFiles}, {&p.outs, bp.XTestGoFiles}} {
		for _, n := range x.names {
			f, err := syntax.Read(filepath.Join(bp.Dir, n), os.ReadFile)
			if err != nil {
				return nil, err
			}
			*x.to = append(*x.to, file{path.Join(dir, n), f})
		}
	}
	return p, nil
}

// vars returns the package variables that files declare.
func vars(files []file, importPath string) (list []finding.PackageVar) {
	for _, f := range files {
		for _, id := range f.Vars() {
			if id.Name != "_" {
				line, _ := f.Lines(id)
				list = append(list, finding.PackageVar{Package: importPath, Name: id.Name, At: trace.LineOf(f.name, line)})
			}
		}
	}
	return list
}
