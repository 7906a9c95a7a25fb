// Package edit reads what an edit changed in a module, from the source alone: whether it only moved a dose, whether it
// made a test weaker, and whether a place is gone. It also makes mutants, which a test that still bites does not pass.
//
// Syntax is compared, not text. Comments, layout and imports change nothing, nor does a declaration that moved to
// another place or file, nor a name that became another one everywhere.
package edit

import (
	"cmp"
	"fmt"
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
	Funcs []Func   // with a body that changed

	around   []Change // in go.mod and build tags
	old, now side
	deltas   []delta
}

// A Func is a function in which something changed. Closures belong to the function or variable that they are in.
type Func struct {
	Name     string // of a method "T.m"
	File     string // the new one, or that of a function that went
	Old, New Lines  // zero if it was added, or went
}

// Lines are the first and the last line of something.
type Lines struct{ From, To int }

// A Change is a place where something changed, in the new source, or in the old if nothing came in its place.
type Change struct {
	What          string // the kind: [Edit.Dose] and [Edit.Weaker] list theirs
	File          string
	Line          int
	Before, After string // in one line, without long blocks; empty if added, or gone
}

// A side is one of the sources of an edit.
type side struct {
	files []*syntax.File // that changed, in order
	units []*node        // what they declare: functions, variables, constants, types
}

// Between returns the edit that leads from one source to another. A file that can't be parsed is an error with the place.
func Between(before, after Source) (*Edit, error) {
	e := new(Edit)
	for _, src := range []Source{before, after} {
		for name := range src {
			was, a := before[name]
			is, b := after[name]
			if (a != b || string(was) != string(is)) && !slices.Contains(e.Files, name) {
				e.Files = append(e.Files, name)
			}
		}
	}
	slices.Sort(e.Files)
	for _, name := range e.Files {
		if err := cmp.Or(e.old.parse(name, before), e.now.parse(name, after)); err != nil {
			return nil, err
		}
	}
	e.beside(before, after)
	e.compare(nil)
	if became := e.renamed(); len(became) > 0 {
		e.compare(became)
	}
	e.moved()
	e.functions()
	return e, nil
}

func (s *side) parse(name string, src Source) error {
	text, ok := src[name]
	if !ok || path.Ext(name) != ".go" {
		return nil
	}
	f, err := syntax.Parse(name, text)
	s.files = append(s.files, f)
	return err
}

// compare pairs what both sides have. Names of the old side are replaced by those that they became.
func (e *Edit) compare(became map[string]string) {
	e.old.grow(became)
	e.now.grow(nil)
	e.deltas = nil
	for _, id := range []func(*node) string{
		func(n *node) string { return fmt.Sprint(n.kind(), n.name(), n.in.Name) },
		func(n *node) string { return fmt.Sprint(n.kind(), n.name(), path.Dir(n.in.Name)) },
		func(n *node) string { return fmt.Sprint(n.key) },
	} {
		left := make(map[string][]*node)
		for _, b := range e.now.units {
			if b.pair == nil {
				left[id(b)] = append(left[id(b)], b)
			}
		}
		for _, a := range e.old.units {
			if list := left[id(a)]; a.pair == nil && len(list) > 0 {
				a.pair, list[0].pair, left[id(a)] = list[0], a, list[1:]
			}
		}
	}
	for _, a := range e.old.units {
		for _, b := range e.now.units { // a name that became another
			if a.pair == nil && b.pair == nil && is[*ast.FuncDecl](a) && 3*alike(a, b) > len(a.words())+len(b.words()) {
				a.pair, b.pair = b, a
			}
		}
		if a.pair != nil {
			e.deltas = append(e.deltas, compare(a, a.pair)...)
		} else {
			e.deltas = append(e.deltas, delta{a, nil})
		}
	}
	for _, b := range e.now.units {
		if b.pair == nil {
			e.deltas = append(e.deltas, delta{nil, b})
		}
	}
}

// grow makes the trees of what a side declares.
func (s *side) grow(became map[string]string) {
	s.units = nil
	for _, f := range s.files {
		for _, d := range f.Tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				s.units = append(s.units, grow(f, d, nil, became))
				continue
			}
			for _, spec := range g.Specs {
				if _, ok := spec.(*ast.ImportSpec); !ok {
					s.units = append(s.units, grow(f, spec, nil, became))
				}
			}
		}
	}
}

// name returns the name of what a unit declares, of a method "T.m", or of what a call calls.
func (n *node) name() (name string) {
	switch d := n.Node.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
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
	_, name = n.called()
	return name
}

// renamed returns the names of the old side that became others: what it declares and the new side does not have became
// what that declares and the old one does not have, wherever it stood.
func (e *Edit) renamed() map[string]string {
	became, declared, bad := make(map[string]string), make(map[string]bool), make(map[string]bool)
	for _, d := range e.deltas {
		if !is[*ast.Ident](d.was) || !is[*ast.Ident](d.now) {
			continue
		}
		a, b := d.was.text(), d.now.text()
		declared[a] = declared[a] || d.was.declared() && d.now.declared()
		bad[a] = bad[a] || e.now.has(d.was) || e.old.has(d.now) || became[a] != "" && became[a] != b
		became[a] = b
	}
	maps.DeleteFunc(became, func(a, _ string) bool { return bad[a] || !declared[a] })
	return became
}

// has reports whether a side has a name anywhere.
func (s *side) has(name *node) bool {
	return slices.ContainsFunc(s.units, func(u *node) bool { return u.words()[name.label] > 0 })
}

// declared reports whether a name stands where it is declared, or set.
func (n *node) declared() bool {
	names := 0
	switch d := n.up.Node.(type) {
	case *ast.TypeSpec, *ast.FuncDecl:
		return true
	case *ast.ValueSpec:
		names = len(d.Names)
	case *ast.Field:
		names = len(d.Names)
	case *ast.AssignStmt:
		names = len(d.Lhs)
	case *ast.RangeStmt:
		names = len(n.up.kids) - 2
	}
	return slices.Index(n.up.kids, n) < names
}

// moved pairs statements that went with equal ones that came: with those of the same function first, and with others if
// they have more than two words.
func (e *Edit) moved() {
	came := make(map[uint64][]*node)
	for _, u := range e.now.units {
		for n := range u.all {
			if is[ast.Stmt](n) && n.pair == nil {
				came[n.key] = append(came[n.key], n)
			}
		}
	}
	for _, far := range []bool{false, true} {
		for _, u := range e.old.units {
			for n := range u.all {
				if n.pair != nil || !is[ast.Stmt](n) || far && len(n.words()) < 3 {
					continue
				}
				fits := func(m *node) bool { return m.pair == nil && (far || m.top() == u.pair) }
				if i := slices.IndexFunc(came[n.key], fits); i >= 0 {
					take(n, came[n.key][i])
				}
			}
		}
	}
}

// functions lists the functions in which something changed.
func (e *Edit) functions() {
	for _, d := range e.deltas {
		was, now := d.was.top(), d.now.top()
		if was == nil {
			was = now.pair
		} else if now == nil {
			now = was.pair
		}
		n := cmp.Or(now, was)
		f := Func{n.name(), n.in.Name, was.lines(), now.lines()}
		code := func(n *node) bool { return is[*ast.FuncDecl](n) || is[*ast.FuncLit](n) }
		if n.has(code) && !slices.Contains(e.Funcs, f) {
			e.Funcs = append(e.Funcs, f)
		}
	}
}

// change returns a change of a kind. One of the nodes may be nil.
func change(what string, was, now *node) Change {
	at := cmp.Or(now, was)
	return Change{what, at.in.Name, at.lines().From, was.short(), now.short()}
}

// short returns a node in one line, without long blocks, and "" for nil.
func (n *node) short() (line string) {
	text, at := n.text(), 0
	for k := range n.all {
		if from, to := int(k.Pos()-n.Pos()), int(k.End()-n.Pos()); is[*ast.BlockStmt](k) && from >= at && len(k.text()) > 40 {
			line, at = line+text[at:from]+"{ ... }", to
		}
	}
	return strings.Join(strings.Fields(line+text[at:]), " ")
}
