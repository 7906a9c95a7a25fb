package source

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// sync records an operation on a channel: it may wait, and may end the wait of the other side. A
// channel that a method returns counts as its receiver's.
func (w *walker) sync(n ast.Node, channel ast.Expr, wait, release string, from []ast.Expr) {
	path, elem, _ := w.path(channel)
	if call, ok := ast.Unparen(channel).(*ast.CallExpr); ok {
		if path, _, _ = w.path(call.Fun); len(path) > 0 {
			path = path[:len(path)-1]
		}
	}
	if !strings.HasPrefix(wait, "poll ") {
		w.add(Op{Kind: Wait, Path: path, Elem: elem, How: wait, Node: n})
	}
	o := w.add(Op{Kind: Release, Path: path, Elem: elem, How: release, From: from, Node: n})
	if release == "chan receive" {
		o.Origin = received
	}
}

func (w *walker) rangeOver(n *ast.RangeStmt) {
	for _, x := range []ast.Expr{n.Key, n.Value} {
		if x != nil {
			w.target(x, n, "range", []ast.Expr{n.X})
		}
	}
	w.heads(n)
	t := w.f.Info.TypeOf(n.X)
	if t == nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Chan:
		w.sync(n, n.X, "chan receive", "chan receive", nil)
	case *types.Map:
		path, _, _ := w.path(n.X)
		w.add(Op{Kind: Draw, Path: path, How: mapOrder, Origin: mapOrder, Node: n})
	}
}

// selects records a select. With one case it is a plain operation, with a default it does not
// wait, and if several cases are ready one is taken by chance.
func (w *walker) selects(n *ast.SelectStmt) {
	cases, prefix := len(n.Body.List), "select "
	switch {
	case syntax.HasDefault(n):
		prefix = "poll "
	case cases == 1:
		prefix = ""
	}
	for _, s := range n.Body.List {
		if op := commOf(s.(*ast.CommClause)); op != nil && prefix != "" {
			w.as[op] = prefix
		}
	}
	if cases > 0 && prefix != "" {
		w.add(Op{Kind: Draw, How: prefix[:len(prefix)-1], Node: n})
	}
}

// commOf returns the send or receive operation of a case, or nil for the default.
func commOf(c *ast.CommClause) ast.Node {
	switch s := c.Comm.(type) {
	case *ast.SendStmt:
		return s
	case *ast.ExprStmt:
		return ast.Unparen(s.X)
	case *ast.AssignStmt:
		return ast.Unparen(s.Rhs[0])
	}
	return nil
}

// literal records the fields that a composite literal sets.
func (w *walker) literal(n *ast.CompositeLit) {
	t := w.f.Info.TypeOf(n)
	var st *types.Struct
	if t != nil {
		if p, ok := t.Underlying().(*types.Pointer); ok { // {...} in a []*T
			t = p.Elem()
		}
		st, _ = t.Underlying().(*types.Struct)
	}
	for i, e := range n.Elts {
		var path []types.Object
		value := e
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key, isIdent := kv.Key.(*ast.Ident)
			if value = kv.Value; !isIdent || st == nil && t != nil && t != types.Typ[types.Invalid] {
				continue
			}
			w.skip[key] = true
			if path = []types.Object{w.x.unknown(key.Name, nil)}; w.f.Info.Uses[key] != nil {
				path[0] = w.x.canon(w.f.Info.Uses[key])
			}
		} else if st != nil && i < st.NumFields() {
			path = []types.Object{w.x.canon(st.Field(i))}
		} else {
			continue
		}
		from := []ast.Expr{value}
		w.add(Op{Kind: Init, Path: path, How: "literal", From: from, Node: e})
		w.limit(path, "literal", from)
		w.point(path, from)
	}
}
