package edit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A side is one of the sources of an edit.
type side struct {
	files []*syntax.File // that changed, in order
	units []*node        // what they declare: functions, variables, constants, types
	nodes []*node        // all that is in these, each before those within it
}

// A node is a node of a syntax tree. Comments, parentheses and layout are none.
type node struct {
	ast.Node
	in      *syntax.File
	up, top *node          // what it is in, and the declaration that this is in
	kids    []*node        // what is in it
	all     []*node        // it and all below it, each before those within it
	label   string         // its type, its operator, name or literal, and which parts it lacks
	key     uint64         // equal for nodes that are equal with all that is below them
	bag     map[string]int // the labels of its leaves, once they are asked for
	pair    *node          // what stands for it on the other side, nil if nothing does
}

// parse adds a file, if the source has it.
func (s *side) parse(name string, src Source) error {
	text, ok := src[name]
	if !ok || path.Ext(name) != ".go" {
		return nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, 0)
	s.files = append(s.files, &syntax.File{Set: set, Name: name, Src: text, Tree: tree})
	return err
}

// grow makes the trees of what a side declares.
func (s *side) grow() {
	s.units, s.nodes = nil, nil
	for _, f := range s.files {
		ast.Inspect(f.Tree, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec:
				s.tree(f, n, nil)
				return false
			}
			return true
		})
	}
}

// tree makes the tree of a node.
func (s *side) tree(f *syntax.File, n ast.Node, up *node) {
	if p, ok := n.(*ast.ParenExpr); ok {
		s.tree(f, p.X, up)
		return
	}
	at, g := len(s.nodes), &node{Node: n, in: f, up: up, label: fmt.Sprintf("%T", n)}
	s.nodes = append(s.nodes, g)
	if g.top = g; up == nil {
		s.units = append(s.units, g)
	} else {
		g.top, up.kids = up.top, append(up.kids, g)
	}
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		switch x := v.Field(i).Interface().(type) {
		case token.Token, ast.ChanDir, string:
			g.label += fmt.Sprint(" ", x)
		case nil: // x[i:] is not x[:i]
			g.label += fmt.Sprint(" -", i)
		}
	}
	ast.Inspect(n, func(kid ast.Node) bool {
		if kid != nil && kid != n {
			s.tree(f, kid, g)
		}
		return kid == n
	})
	sum := fnv.New64a()
	fmt.Fprint(sum, g.label)
	for _, k := range g.kids {
		fmt.Fprint(sum, " ", k.key)
	}
	g.key, g.all = sum.Sum64(), s.nodes[at:]
}

// has reports whether something holds for a node or one below it.
func (n *node) has(holds func(*node) bool) bool { return n != nil && slices.ContainsFunc(n.all, holds) }

// words returns the labels of the leaves, and how often each occurs.
func (n *node) words() map[string]int {
	if n.bag == nil {
		n.bag = make(map[string]int)
		for _, k := range n.all {
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

// name returns the name of what a unit declares, of a method "T.m", of what a call calls, or of the field that is set.
func (n *node) name() (name string) {
	switch d := n.Node.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			name = strings.TrimLeft(types.ExprString(d.Recv.List[0].Type), "*") + "."
		}
		return name + d.Name.Name
	case *ast.TypeSpec, *ast.ValueSpec:
		return strings.TrimPrefix(n.kids[0].label, "*ast.Ident ")
	case *ast.KeyValueExpr:
		return n.kids[0].text() + ":"
	}
	_, name = n.called()
	return name
}

// called returns the name of the called function, and the text before its dot. Both are empty if a node is no call.
func (n *node) called() (of, name string) {
	if !is[*ast.CallExpr](n) {
		return "", ""
	}
	x, name := syntax.Called(n.Node.(*ast.CallExpr))
	if x != nil {
		of = n.in.Text(x)
	}
	return of, name
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

// outside reports whether a node is in another, and in no block of that.
func (n *node) outside(m *node) bool {
	for ; n != m; n = n.up {
		if n == nil || is[*ast.BlockStmt](n) {
			return false
		}
	}
	return true
}

// head returns the labels of a node outside of its blocks.
func (n *node) head() (head string) {
	for _, k := range n.all {
		if k.outside(n) {
			head += k.label + "\n"
		}
	}
	return head
}

// A delta is a difference: a node that another came in place of, that went (now is nil) or that was added (was is nil).
type delta struct{ was, now *node }

// compare pairs what is in two trees, and returns the differences.
func compare(a, b *node) (list []delta) {
	if a == nil || b == nil || a.key != b.key && (a.kind() != b.kind() || len(a.kids) == 0) ||
		a.label != b.label && !is[ast.Stmt](a) && !is[*ast.ValueSpec](a) {
		return []delta{{a, b}}
	}
	if a.label != b.label {
		list = []delta{{a, b}}
	}
	a.pair, b.pair = b, a
	for _, d := range align(a, b) {
		list = append(list, compare(d.was, d.now)...)
	}
	return list
}

// lists are nodes that may have any number of kids.
var lists = regexp.MustCompile(`^\*ast\.(BlockStmt|CaseClause|CommClause|CompositeLit|FieldList)\b`)

// align pairs the kids of two nodes in order, so that pairs have most words in common.
func align(a, b *node) (list []delta) {
	x, y, free := a.kids, b.kids, lists.MatchString(a.label)
	for len(x) > 0 && len(y) > 0 && (x[0].key == y[0].key || !free && len(x) == len(y)) {
		list, x, y = append(list, delta{x[0], y[0]}), x[1:], y[1:]
	}
	best := make([][]int, len(x)+1) // words in common, from kids i and j on
	for i := len(x); i >= 0; i-- {
		best[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0 && i < len(x); j-- {
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
	case a.sleeps() && b.sleeps():
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
	case 5*same < size,
		a.has(func(k *node) bool { return k.key == b.key }), b.has(func(k *node) bool { return k.key == a.key }):
		return 0
	}
	return same
}
