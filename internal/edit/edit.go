// Package edit reads what an edit changed in a module, from the source alone: whether it only moved a dose, whether it
// made a test weaker, and whether a place is gone.
//
// Syntax is compared, not text. Comments, layout and imports change nothing, nor does a function that moved to another
// place or file, nor a name that became another everywhere.
package edit

import (
	"cmp"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Source is what one side of an edit has: the bytes of Go files and go.mod, by path within the module, with slashes.
// Files that are the same on both sides may be left out.
type Source map[string][]byte

// An Edit is what changed between two sources.
type Edit struct {
	Files []string // changed, added or deleted, in order
	Funcs []Func   // with a body that changed, in the order of the new files, then those that went

	mod      []Change // of go.mod and build tags
	old, now side
	deltas   []delta
}

// A Func is a function in which something changed. Closures belong to the function that they are in.
type Func struct {
	Name     string // of a method "T.m"
	File     string // the new one, or the old one of a function that went
	Old, New Lines  // zero if it was added, or went
}

// Lines are the first and the last line of something.
type Lines struct{ From, To int }

// A Change is a place where something changed. It is in the new source, or in the old if nothing came in its place.
type Change struct {
	What          string // the kind: see Dose and Weaker
	File          string
	Line          int
	Before, After string // as text in one line; empty if added, or gone
}

// A side is one of the sources of an edit.
type side struct {
	files map[string]*file
	units []*node // top-level functions, variables, constants and types
}

type file struct {
	*syntax.File
	name string
}

// Between returns the edit that leads from one source to another. A file that can't be parsed is an error with the place.
func Between(before, after Source) (*Edit, error) {
	e := new(Edit)
	for name := range maps.Keys(before) {
		if text, ok := after[name]; !ok || string(text) != string(before[name]) {
			e.Files = append(e.Files, name)
		}
	}
	for name := range maps.Keys(after) {
		if _, ok := before[name]; !ok {
			e.Files = append(e.Files, name)
		}
	}
	slices.Sort(e.Files)
	var err error
	if e.old.files, err = parsed(before, e.Files); err != nil {
		return nil, err
	}
	if e.now.files, err = parsed(after, e.Files); err != nil {
		return nil, err
	}
	e.around(before, after)
	e.compare(nil)
	if names := e.renamed(); len(names) > 0 {
		e.compare(names)
	}
	e.moved()
	e.functions()
	return e, nil
}

// parsed returns those of the files that a source has.
func parsed(src Source, names []string) (map[string]*file, error) {
	files := make(map[string]*file)
	for _, name := range names {
		text, ok := src[name]
		if !ok || path.Ext(name) != ".go" {
			continue
		}
		f, err := syntax.Parse(name, text)
		if err != nil {
			return nil, err
		}
		files[name] = &file{f, name}
	}
	return files, nil
}

// compare pairs what both sides have, with names of the old one called as in the new one.
func (e *Edit) compare(names map[string]string) {
	e.old.units, e.now.units, e.deltas = e.old.grown(names), e.now.grown(nil), nil
	pairs := make(map[*node]*node)
	pair := func(same func(a, b *node) bool) {
		for _, a := range e.old.units {
			for _, b := range e.now.units {
				if pairs[a] == nil && pairs[b] == nil && kindOf(a) == kindOf(b) && same(a, b) {
					pairs[a], pairs[b] = b, a
				}
			}
		}
	}
	pair(func(a, b *node) bool { return name(a) == name(b) && a.in.name == b.in.name })
	pair(func(a, b *node) bool { return name(a) == name(b) && path.Dir(a.in.name) == path.Dir(b.in.name) })
	pair(func(a, b *node) bool { return a.key == b.key })
	pair(func(a, b *node) bool { return is[*ast.FuncDecl](a) && alike(a, b) >= 0.7 })
	for _, a := range e.old.units {
		if b := pairs[a]; b != nil {
			e.deltas = append(e.deltas, compare(a, b)...)
		} else {
			e.deltas = append(e.deltas, delta{a, nil})
		}
	}
	for _, b := range e.now.units {
		if pairs[b] == nil {
			e.deltas = append(e.deltas, delta{nil, b})
		}
	}
}

func kindOf(n *node) string { kind, _, _ := strings.Cut(n.label, " "); return kind }

// grown returns the trees of what a side declares, in the order of its files.
func (s *side) grown(names map[string]string) (units []*node) {
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		f := s.files[name]
		for _, d := range f.Tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				units = append(units, f.grow(d, nil, names))
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if _, ok := spec.(*ast.ImportSpec); !ok {
						units = append(units, f.grow(spec, nil, names))
					}
				}
			}
		}
	}
	return units
}

// name returns the name of what a unit declares, of a method "T.m".
func name(n *node) string {
	switch d := n.Node.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && len(d.Recv.List) > 0 {
			for id := range syntax.Nodes[*ast.Ident](d.Recv.List[0].Type) {
				return id.Name + "." + d.Name.Name
			}
		}
		return d.Name.Name
	case *ast.TypeSpec:
		return d.Name.Name
	case *ast.ValueSpec:
		return d.Names[0].Name
	}
	return ""
}

// renamed returns the names of the old side that became another name wherever they changed: those that it declares,
// and the new one does not.
func (e *Edit) renamed() map[string]string {
	was, is := e.old.declared(), e.now.declared()
	names, bad := make(map[string]string), make(map[string]bool)
	for _, d := range e.deltas {
		a, ok := ident(d.was)
		b, too := ident(d.now)
		if !ok || !too {
			continue
		}
		if !was[a] || is[a] || was[b] || !is[b] || names[a] != "" && names[a] != b {
			bad[a] = true
		}
		names[a] = b
	}
	maps.DeleteFunc(names, func(a, _ string) bool { return bad[a] })
	return names
}

func ident(n *node) (name string, ok bool) {
	if !is[*ast.Ident](n) {
		return "", false
	}
	return n.Node.(*ast.Ident).Name, true
}

// declared returns the names that a side declares anywhere.
func (s *side) declared() map[string]bool {
	names := make(map[string]bool)
	add := func(list ...ast.Expr) {
		for _, x := range list {
			if id, ok := x.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	for _, u := range s.units {
		for n := range u.all {
			switch d := n.Node.(type) {
			case *ast.FuncDecl:
				add(d.Name)
			case *ast.TypeSpec:
				add(d.Name)
			case *ast.AssignStmt:
				add(d.Lhs...)
			case *ast.RangeStmt:
				add(d.Key, d.Value)
			case *ast.ValueSpec:
				for _, id := range d.Names {
					add(id)
				}
			case *ast.Field:
				for _, id := range d.Names {
					add(id)
				}
			}
		}
	}
	return names
}

// moved pairs statements that went with equal ones that came, those of one function first.
func (e *Edit) moved() {
	came := make(map[uint64][]*node)
	for _, u := range e.now.units {
		for n := range u.all {
			if is[ast.Stmt](n) && n.pair == nil {
				came[n.key] = append(came[n.key], n)
			}
		}
	}
	for _, same := range []bool{true, false} {
		for _, u := range e.old.units {
			for n := range u.all {
				i := slices.IndexFunc(came[n.key], func(m *node) bool { return m.pair == nil && (!same || m.unit() == u.pair) })
				if n.pair == nil && is[ast.Stmt](n) && i >= 0 {
					take(n, came[n.key][i])
				}
			}
		}
	}
}

// unit returns the top-level declaration that a node is in.
func (n *node) unit() *node {
	for n.up != nil {
		n = n.up
	}
	return n
}

// functions lists the functions in which something changed.
func (e *Edit) functions() {
	seen := make(map[*node]bool)
	for _, d := range e.deltas {
		n := cmp.Or(d.now, d.was).unit()
		if d.now == nil && n.pair != nil {
			n = n.pair
		}
		if seen[n] || !is[*ast.FuncDecl](n) {
			continue
		}
		seen[n] = true
		f := Func{Name: name(n), File: n.in.name}
		if was := n.pair; was != nil {
			f.Old.From, f.Old.To = was.lines()
		}
		if f.New.From, f.New.To = n.lines(); e.now.files[n.in.name] != n.in {
			f.Old, f.New = f.New, Lines{}
		}
		e.Funcs = append(e.Funcs, f)
	}
}

// change returns a change of a kind. The parts may be nil.
func change(what string, was, now *node) Change {
	at := cmp.Or(now, was)
	line, _ := at.lines()
	return Change{what, at.in.name, line, was.text(), now.text()}
}
