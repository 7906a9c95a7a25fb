package source

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed stubs.txtar
var stubText []byte

// stubs replace packages that can't be loaded. For a few of the standard library, the functions
// that wait and that read the time are known; for others only their names.
type stubs struct {
	text map[string][]byte
	done map[string]*types.Package
}

func newStubs() *stubs {
	s := &stubs{text: make(map[string][]byte), done: make(map[string]*types.Package)}
	for _, f := range txtar.Parse(stubText).Files {
		s.text[f.Name] = f.Data
	}
	return s
}

// Import returns a package by its path. It never fails.
func (s *stubs) Import(importPath string) (*types.Package, error) {
	p := s.done[importPath]
	if p != nil {
		return p, nil
	}
	p = types.NewPackage(importPath, nameOf(importPath))
	s.done[importPath] = p
	if text := s.text[importPath]; text != nil {
		fset := token.NewFileSet() // a set of its own: these are not positions in the user's code
		if tree, err := parser.ParseFile(fset, importPath, text, parser.SkipObjectResolution); err == nil {
			cfg := &types.Config{Importer: s, IgnoreFuncBodies: true, Error: func(error) {}}
			types.NewChecker(cfg, fset, p, nil).Files([]*ast.File{tree})
		}
	}
	p.MarkComplete()
	return p, nil
}

// nameOf guesses the name of a package: yaml for gopkg.in/yaml.v3.
func nameOf(importPath string) string {
	dir, name := path.Split(importPath)
	if majorVersion.MatchString(name) {
		name = path.Base(dir)
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)
