package values

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A file is a source file of the index.
type file struct {
	*source.File
	fset *token.FileSet
}

// A program is the index, and the files in which places are chosen. Without types nothing can be
// wrapped.
type program struct {
	*source.Index
	files map[string]*file // by path in trace.Sites
	names map[string]*file // the same, by absolute name
}

// load reads the packages of the given files, by index in sites.Files.
func load(in *Input, files map[int]bool) (*program, error) {
	x := in.Source(packagesOf(in.Sites, files))
	p := &program{x, make(map[string]*file), make(map[string]*file)}
	for _, f := range in.Sites.Files {
		if f := x.File(f.Path); f != nil && f.Typed && !usesC(f.Tree) {
			p.files[f.Path] = &file{f, x.Fset}
			p.names[f.Name] = p.files[f.Path]
		}
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("no types: %w", first(x.Err))
	}
	return p, nil
}

// file returns the file that contains a node, or nil if no places are chosen there.
func (p *program) file(n ast.Node) *file {
	if f := p.Fset.File(n.Pos()); f != nil {
		return p.names[f.Name()]
	}
	return nil
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

// usesC reports whether a file uses cgo, for which no types are known.
func usesC(f *ast.File) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"C"` })
}

// offset returns the offset of a position, ignoring //line.
func (f *file) offset(p token.Pos) int { return f.fset.PositionFor(p, false).Offset }

func (f *file) line(p token.Pos) int { return f.fset.PositionFor(p, false).Line }

// text returns the source of a node.
func (f *file) text(n ast.Node) string {
	from, to := f.offset(n.Pos()), f.offset(n.End())
	if from < 0 || to > len(f.Src) || from > to {
		return ""
	}
	return string(f.Src[from:to])
}
