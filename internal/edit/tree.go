package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
)

// A node is a node of a syntax tree. Comments, parentheses and layout are none.
type node struct {
	ast.Node
	in    *file
	up    *node
	kids  []*node
	label string         // what it is besides its kids: its type, operator, name or literal
	key   uint64         // equal for nodes that are equal with all that is below them
	words map[string]int // the labels of its leaves
	size  int            // how many leaves
	pair  *node          // what stands for it on the other side, nil if nothing does
}

// grow returns the tree below a node. Identifiers are called as names says, if it does.
func (f *file) grow(n ast.Node, up *node, names map[string]string) *node {
	if p, ok := n.(*ast.ParenExpr); ok {
		return f.grow(p.X, up, names)
	}
	g := &node{Node: n, in: f, up: up, label: label(n, names)}
	ast.Inspect(n, func(kid ast.Node) bool {
		if kid == nil || kid == n {
			return kid == n
		}
		g.kids = append(g.kids, f.grow(kid, g, names))
		return false
	})
	h := fnv.New64a()
	fmt.Fprint(h, g.label, shape(n))
	g.words = make(map[string]int)
	for _, k := range g.kids {
		fmt.Fprint(h, " ", k.key)
		g.size += k.size
		for w, n := range k.words {
			g.words[w] += n
		}
	}
	if len(g.kids) == 0 {
		g.words[g.label], g.size = 1, 1
	}
	g.key = h.Sum64()
	return g
}

// label tells a node from others of other kinds, and from those that differ in an operator, a name or a literal.
func label(n ast.Node, names map[string]string) string {
	text := fmt.Sprintf("%T", n)
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case token.Token, ast.ChanDir, string:
			text += fmt.Sprint(" ", x)
		}
	}
	if id, ok := n.(*ast.Ident); ok && names[id.Name] != "" {
		return "*ast.Ident " + names[id.Name]
	}
	return text
}

// shape tells which parts a node has: x[i:] from x[:i].
func shape(n ast.Node) (text string) {
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Interface, reflect.Pointer:
			if name := v.Type().Field(i).Name; name != "Doc" && name != "Comment" {
				text += fmt.Sprint(f.IsNil())
			}
		}
	}
	if c, ok := n.(*ast.CallExpr); ok {
		text += fmt.Sprint(c.Ellipsis.IsValid())
	}
	return text
}

// all yields the nodes of a tree, each before those within it.
func (n *node) all(yield func(*node) bool) { n.walk(yield) }

func (n *node) walk(yield func(*node) bool) bool {
	return n == nil || yield(n) && !slices.ContainsFunc(n.kids, func(k *node) bool { return !k.walk(yield) })
}

func (n *node) lines() (from, to int) { return n.in.Lines(n.Node) }

// text returns a node in one line, or "" for none.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return strings.Join(strings.Fields(n.in.Text(n.Node)), " ")
}

// is reports whether a node is of a type.
func is[T ast.Node](n *node) bool {
	if n == nil {
		return false
	}
	_, ok := n.Node.(T)
	return ok
}

// above returns the innermost node of a type that a node is in or is, nil if there is none.
func above[T ast.Node](n *node) *node {
	for n != nil && !is[T](n) {
		n = n.up
	}
	return n
}

// A delta is what changed: a node that came to stand for another, went (now is nil), or was added (was is nil).
type delta struct{ was, now *node }

// alike is the part of two nodes that is the same, 0 if they are of other kinds or have too little in common.
func alike(a, b *node) float64 {
	if a.key == b.key {
		return 1
	}
	kind, _, _ := strings.Cut(a.label, " ")
	if other, _, _ := strings.Cut(b.label, " "); kind != other {
		return 0
	}
	same := 0
	for w, n := range a.words {
		same += min(n, b.words[w])
	}
	if like := 2 * float64(same) / float64(a.size+b.size); like >= 0.4 {
		return like
	}
	return 0
}

// compare pairs what is in two trees, and returns what differs.
func compare(a, b *node) (list []delta) {
	kind, _, _ := strings.Cut(a.label, " ")
	other, _, _ := strings.Cut(b.label, " ")
	if kind != other || len(a.kids) == 0 && a.key != b.key {
		return []delta{{a, b}}
	}
	a.pair, b.pair = b, a
	if a.label != b.label && !is[ast.Stmt](a) && !is[*ast.ValueSpec](a) {
		list = []delta{{a, b}}
	}
	for _, d := range align(a, b) {
		if d.was == nil || d.now == nil {
			list = append(list, d)
		} else {
			list = append(list, compare(d.was, d.now)...)
		}
	}
	if len(list) == 0 && a.key != b.key {
		return []delta{{a, b}}
	}
	return list
}

// align pairs the kids of two nodes, in order, so that they have most in common.
func align(a, b *node) (list []delta) {
	x, y := a.kids, b.kids
	if !listed(a.Node) && len(x) == len(y) {
		for i := range x {
			list = append(list, delta{x[i], y[i]})
		}
		return list
	}
	best := make([][]float64, len(x)+1)
	best[len(x)] = make([]float64, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		best[i] = make([]float64, len(y)+1)
		for j := len(y) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like := alike(x[i], y[j]); like > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like*float64(x[i].size+y[j].size))
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && best[i][j] == best[i+1][j]:
			list = append(list, delta{x[i], nil})
			i++
		case j < len(y) && best[i][j] == best[i][j+1]:
			list = append(list, delta{nil, y[j]})
			j++
		default:
			list = append(list, delta{x[i], y[j]})
			i, j = i+1, j+1
		}
	}
	return list
}

// listed reports whether a node has a list that may grow.
func listed(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.CompositeLit, *ast.FieldList:
		return true
	}
	return false
}

// take pairs two trees that are equal.
func take(a, b *node) {
	a.pair, b.pair = b, a
	for i, k := range a.kids {
		take(k, b.kids[i])
	}
}
