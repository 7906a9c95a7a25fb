// Package remedy proposes edits of the source that end a flake whose cause an experiment has
// proved. There are few, each for one shape of code:
//
//   - A loop iterates over the sorted keys of a map.
//   - The code waits for a goroutine that comes too late, if it was started in the same
//     function. The wait uses a sync.WaitGroup.
//
// An edit is a guess. It is worth nothing before it has been built and the test has been run with
// it. What does not build, or still fails, must not be shown. For that reason nothing here needs
// types.
//
// Random numbers are left alone. With a fixed seed the test passes, and users of the code draw
// other numbers. Fixed ports are left alone too, because the other side of the connection must
// learn the new one. So are steps that should be one: the source does not show how much a lock
// may cover.
package remedy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Remedy is one edit.
type Remedy struct {
	name  string            // of the shape, such as "sorted-keys"
	Words string            // what it does: "go through the map at m.go:7 in the order of its keys"
	Files map[string][]byte // the new text of each file that it changes
	// Was is the part of a statement that made the choice, or where a goroutine was held, and Now
	// is its replacement, so that a search for one finds the other. Both are empty if nothing of
	// the kind is replaced.
	Was, Now string
}

// A Proposer reads files and proposes edits of them.
type Proposer struct {
	Source func(name string) ([]byte, error) // of a file relative to the root of the module, with slashes
}

// Propose returns the edits for a cause, those that change least first.
func (p *Proposer) Propose(c *Cause) []Remedy {
	var list []Remedy
	add := func(r *Remedy, err error) {
		if r != nil && err == nil {
			list = append(list, *r)
		}
	}
	for _, s := range c.Maps {
		add(p.sortedKeys(s))
		for _, over := range p.loopsOver(s, c.Files) {
			add(p.sortedKeys(over))
		}
	}
	for _, s := range c.Before {
		add(p.waitFor(c.Started, s))
	}
	return list
}

// A file is a file being edited.
type file struct {
	syntax.File
	edits []edit
}

func (p *Proposer) open(name string) (*file, error) {
	src, err := p.Source(name)
	if err != nil {
		return nil, err
	}
	f := &file{File: syntax.File{Set: token.NewFileSet(), Name: name, Src: src}}
	f.Tree, err = parser.ParseFile(f.Set, path.Base(name), src, parser.ParseComments)
	return f, err
}

func (f *file) line(n ast.Node) int    { return f.Set.Position(n.Pos()).Line }
func (f *file) offset(p token.Pos) int { return f.Set.Position(p).Offset }

// covers reports whether a node includes a line.
func (f *file) covers(n ast.Node, line int) bool {
	from, to := f.Lines(n)
	return from <= line && line <= to
}
