// Package edit reads what an edit changed in a module, from the source alone: whether it only moved a dose, whether it
// made a test weaker, and whether a place is gone. It also makes mutants, which a test that still bites does not pass.
//
// Syntax is compared, not text. Comments, layout and imports change nothing, nor does a declaration that moved to
// another place or file, nor a name that became another one everywhere.
package edit

import (
	"bytes"
	"cmp"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Source is what one side of an edit has: the bytes of Go files and go.mod, by path within the module, with slashes.
// Files that are the same on both sides may be left out.
type Source map[string][]byte

// An Edit is what changed between two sources.
type Edit struct {
	Files []string // changed, added or deleted, in order
	Funcs []Func   // with a body that changed

	tags     []Change // of builds
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

// Between returns the edit that leads from one source to another. A file that can't be parsed is an error with the place.
func Between(before, after Source) (*Edit, error) {
	e, both := new(Edit), make(Source)
	tag := regexp.MustCompile(`(?m)^//go:build .*`)
	maps.Copy(both, before)
	maps.Copy(both, after)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		was, a := before[name]
		now, b := after[name]
		if a == b && bytes.Equal(was, now) {
			continue
		}
		e.Files = append(e.Files, name)
		if err := cmp.Or(e.old.parse(name, before), e.now.parse(name, after)); err != nil {
			return nil, err
		}
		if c := (Change{"build tag", name, 1, string(tag.Find(was)), string(tag.Find(now))}); a && b && c.Before != c.After {
			e.tags = append(e.tags, c)
		}
	}
	if e.compare(); e.renamed() {
		e.compare()
	}
	e.moved()
	return e, nil
}

// compare pairs what both sides have, and notes what differs.
func (e *Edit) compare() {
	e.old.grow()
	e.now.grow()
	e.Funcs, e.deltas = nil, nil
	var list []delta // of declarations
	match(e.old.units, e.now.units, func(n *node) any {
		return [...]string{n.kind(), n.name(), path.Dir(n.in.Name)}
	})
	for _, a := range e.old.units {
		for _, b := range e.now.units { // that moved far, or has another name
			if a.pair == nil && b.pair == nil && 3*alike(a, b) > len(a.words())+len(b.words()) {
				a.pair, b.pair = b, a
			}
		}
		list = append(list, delta{a, a.pair})
	}
	for _, b := range e.now.units {
		if b.pair == nil {
			list = append(list, delta{nil, b})
		}
	}
	for _, d := range list {
		differ, n := compare(d.was, d.now), cmp.Or(d.now, d.was)
		code := func(n *node) bool { return is[*ast.FuncDecl](n) || is[*ast.FuncLit](n) }
		if len(differ) > 0 && n.has(code) {
			e.Funcs = append(e.Funcs, Func{n.name(), n.in.Name, d.was.lines(), d.now.lines()})
		}
		e.deltas = append(e.deltas, differ...)
	}
}

// match pairs nodes that have no pair and for which the same is returned, in order. None is paired for which that is nil.
func match(olds, news []*node, id func(*node) any) {
	left := make(map[any][]*node)
	for _, b := range news {
		left[id(b)] = append(left[id(b)], b)
	}
	delete(left, nil)
	for _, a := range olds {
		for k := id(a); a.pair == nil && len(left[k]) > 0; left[k] = left[k][1:] {
			if b := left[k][0]; b.pair == nil {
				a.pair, b.pair = b, a
				compare(a, b)
			}
		}
	}
}

// renamed gives names of the old side the new ones that they have everywhere, and reports whether there are such: what
// that declares and the new side does not have became what this declares and the old one does not have.
func (e *Edit) renamed() bool {
	became := make(map[string]string)
	for _, d := range e.deltas {
		if d.was.declared() && d.now.declared() && !d.was.among(e.now.nodes) && !d.now.among(e.old.nodes) {
			became[d.was.text()] = d.now.text()
		}
	}
	for _, n := range e.old.nodes {
		if id, ok := n.Node.(*ast.Ident); ok {
			id.Name = cmp.Or(became[id.Name], id.Name)
		}
	}
	return len(became) > 0
}

// declared reports whether a node is a name where it is declared.
func (n *node) declared() bool {
	if !is[*ast.Ident](n) {
		return false
	}
	o := n.Node.(*ast.Ident).Obj
	return o != nil && o.Pos() == n.Pos() || is[*ast.FuncDecl](n.up)
}

// among reports whether one of some nodes has the same label.
func (n *node) among(list []*node) bool {
	return slices.ContainsFunc(list, func(m *node) bool { return m.label == n.label })
}

// moved pairs statements that went with equal ones that came: with those of the same function first, and with others if
// they have more than two words.
func (e *Edit) moved() {
	for _, far := range []bool{false, true} {
		match(e.old.nodes, e.now.nodes, func(n *node) any {
			if !is[ast.Stmt](n) || far && len(n.words()) < 3 {
				return nil
			} else if far {
				return n.key
			}
			return [...]any{n.key, n.top.name()}
		})
	}
}

// change returns a change of a kind. One of the nodes may be nil.
func change(what string, was, now *node) Change {
	at := cmp.Or(now, was)
	return Change{what, at.in.Name, at.lines().From, was.short(), now.short()}
}

// short returns a node in one line, without long blocks, and "" for nil.
func (n *node) short() string {
	return strings.Join(strings.Fields(long.ReplaceAllString(n.text(), "{ ... }")), " ")
}

var long = regexp.MustCompile(`(?s)\{\n.{36,}\}`)
