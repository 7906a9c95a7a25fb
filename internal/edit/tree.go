package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A node is a node of a syntax tree. Comments, parentheses and layout are none.
type node struct {
	ast.Node
	in    *syntax.File
	up    *node
	kids  []*node
	label string         // what it is besides its kids: its type, and its operator, name or literal
	key   uint64         // equal for nodes that are equal with all that is below them
	head  uint64         // the same without the blocks that are below them
	bag   map[string]int // the labels of its leaves, once they are asked for
	pair  *node          // what stands for it on the other side, nil if nothing does
}

// grow returns the tree below a node. Names are replaced by those that they became.
func grow(f *syntax.File, n ast.Node, up *node, became map[string]string) *node {
	if p, ok := n.(*ast.ParenExpr); ok {
		return grow(f, p.X, up, became)
	}
	g := &node{Node: n, in: f, up: up}
	ast.Inspect(n, func(kid ast.Node) bool {
		if kid != nil && kid != n {
			g.kids = append(g.kids, grow(f, kid, g, became))
		}
		return kid == n
	})
	text, shape := fmt.Sprintf("%T", n), ""
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case token.Token, ast.ChanDir, string:
			text += fmt.Sprint(" ", x)
		}
		if v.Field(i).Kind() == reflect.Interface { // which parts there are tells x[i:] from x[:i]
			shape += fmt.Sprint(" ", v.Field(i).IsNil())
		}
	}
	if id, ok := n.(*ast.Ident); ok && became[id.Name] != "" {
		text = "*ast.Ident " + became[id.Name]
	}
	if c, ok := n.(*ast.CallExpr); ok && c.Ellipsis.IsValid() {
		text += " ..."
	}
	g.label = text
	key, head := fnv.New64a(), fnv.New64a()
	fmt.Fprint(io.MultiWriter(key, head), text, shape)
	for _, k := range g.kids {
		fmt.Fprint(key, " ", k.key)
		if !is[*ast.BlockStmt](k) {
			fmt.Fprint(head, " ", k.head)
		}
	}
	g.key, g.head = key.Sum64(), head.Sum64()
	return g
}

// all yields the nodes of a tree, each before those within it.
func (n *node) all(yield func(*node) bool) { n.walk(yield) }

func (n *node) walk(yield func(*node) bool) bool {
	return n == nil || yield(n) && !slices.ContainsFunc(n.kids, func(k *node) bool { return !k.walk(yield) })
}

// words returns the labels of the leaves, and how often each occurs.
func (n *node) words() map[string]int {
	if n.bag == nil {
		n.bag = make(map[string]int)
		for k := range n.all {
			if len(k.kids) == 0 {
				n.bag[k.label]++
			}
		}
	}
	return n.bag
}

func (n *node) kind() string { kind, _, _ := strings.Cut(n.label, " "); return kind }

// lines returns the lines of a node, zero for nil.
func (n *node) lines() (l Lines) {
	if n != nil {
		l.From, l.To = n.in.Lines(n.Node)
	}
	return l
}

// text returns a node as it is written, "" for nil.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return n.in.Text(n.Node)
}

// is reports whether there is a node, and it is of a type.
func is[T ast.Node](n *node) bool {
	if n == nil {
		return false
	}
	_, ok := n.Node.(T)
	return ok
}

// above returns the innermost node of a type that a node is or is in, nil if there is none.
func above[T ast.Node](n *node) *node {
	for n != nil && !is[T](n) {
		n = n.up
	}
	return n
}

// top returns the declaration that a node is in, nil for nil.
func (n *node) top() *node {
	for n != nil && n.up != nil {
		n = n.up
	}
	return n
}

// has reports whether something holds for a node or one below it.
func (n *node) has(holds func(*node) bool) bool {
	return !n.walk(func(k *node) bool { return !holds(k) })
}

// within reports whether a node is another or below it.
func (n *node) within(m *node) bool {
	for n != nil && n != m {
		n = n.up
	}
	return n != nil
}

// A delta is a difference: a node that another came in place of, that went (now is nil) or that was added (was is nil).
type delta struct{ was, now *node }

// compare pairs what is in two trees, and returns the differences.
func compare(a, b *node) (list []delta) {
	if a.key == b.key {
		take(a, b)
		return nil
	}
	same := a.label == b.label || is[ast.Stmt](a) || is[*ast.ValueSpec](a)
	if a.kind() != b.kind() || !same || len(a.kids) == 0 {
		return []delta{{a, b}}
	}
	a.pair, b.pair = b, a
	if a.label != b.label {
		list = append(list, delta{a, b})
	}
	for _, d := range align(a, b) {
		if d.was == nil || d.now == nil {
			list = append(list, d)
		} else {
			list = append(list, compare(d.was, d.now)...)
		}
	}
	if len(list) == 0 { // they differ in shape
		list = append(list, delta{a, b})
	}
	return list
}

// take pairs two trees that are equal.
func take(a, b *node) {
	a.pair, b.pair = b, a
	for i, k := range a.kids {
		take(k, b.kids[i])
	}
}

// align pairs the kids of two nodes in order, so that pairs have most words in common.
func align(a, b *node) (list []delta) {
	x, y := a.kids, b.kids
	switch a.Node.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.CompositeLit, *ast.FieldList:
	default:
		if len(x) == len(y) {
			for i := range x {
				list = append(list, delta{x[i], y[i]})
			}
			return list
		}
	}
	for len(x) > 0 && len(y) > 0 && x[0].key == y[0].key {
		list, x, y = append(list, delta{x[0], y[0]}), x[1:], y[1:]
	}
	best := make([][]int, len(x)+1) // words in common, from kids i and j on
	best[len(x)] = make([]int, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- {
		best[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1], best[i+1][j+1]+alike(x[i], y[j]))
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && best[i][j] == best[i+1][j]:
			list, i = append(list, delta{x[i], nil}), i+1
		case j < len(y) && best[i][j] == best[i][j+1]:
			list, j = append(list, delta{nil, y[j]}), j+1
		default:
			list, i, j = append(list, delta{x[i], y[j]}), i+1, j+1
		}
	}
	return list
}

// alike returns how many words two nodes have in common, and one more if they are equal. It is 0 for nodes of different
// kinds, for those with fewer than two words of five in common, and if one contains the other: that was put into it.
// Two Sleeps are so little alike that they move, and not what is beside them.
func alike(a, b *node) int {
	switch {
	case a.kind() != b.kind():
		return 0
	case is[ast.Stmt](a) && a.sleeps() && b.sleeps():
		return 1
	}
	same, size := 0, 0
	for w, n := range a.words() {
		same, size = same+min(n, b.words()[w]), size+n
	}
	for _, n := range b.words() {
		size += n
	}
	switch {
	case a.key == b.key:
		return same + 1
	case 5*same < size, a.has(func(k *node) bool { return k.key == b.key }), b.has(func(k *node) bool { return k.key == a.key }):
		return 0
	}
	return same
}
