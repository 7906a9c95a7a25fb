package source

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A walker finds the operations of one file.
type walker struct {
	x    *Index
	f    *File
	open []ast.Node          // around the current node
	skip map[ast.Node]bool   // nodes already seen to be something other than a read
	as   map[ast.Node]string // what is special about a node: "select ", "go", "defer"
}

func (w *walker) file() {
	w.walk(w.f.Tree)
	slices.SortStableFunc(w.f.ops, byPos)
	for _, o := range w.f.ops {
		w.x.index(o)
	}
}

// index records an operation.
func (x *Index) index(o *Op) {
	if o.Block > 0 {
		x.blocks[o.Block] = append(x.blocks[o.Block], o)
	} else if x.FuncAround(o.Node) == nil {
		x.outside = append(x.outside, o)
	}
	for _, obj := range o.known() {
		x.objects[obj] = append(x.objects[obj], o)
	}
}

func (w *walker) add(o Op) *Op {
	o.file, o.Block = w.f, w.block(w.head(&o))
	o.Deferred = o.Deferred || w.deferred()
	w.f.ops = append(w.f.ops, &o)
	return &o
}

// deferred reports whether the current node is in a function literal that is deferred.
func (w *walker) deferred() bool {
	for i := len(w.open) - 1; i >= 0; i-- {
		if lit, ok := w.open[i].(*ast.FuncLit); ok {
			return w.as[lit] == "defer"
		}
	}
	return false
}

func (w *walker) walk(n ast.Node) {
	if n == nil {
		return
	}
	depth := len(w.open)
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			w.open = w.open[:len(w.open)-1]
			return true
		}
		if !w.node(n) {
			return false
		}
		w.open = append(w.open, n)
		return true
	})
	w.open = w.open[:depth]
}

// node processes a node, and reports whether to visit what is in it.
func (w *walker) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr, *ast.StarExpr, *ast.SliceExpr,
		*ast.TypeAssertExpr:
		return w.read(n.(ast.Expr))
	case *ast.AssignStmt:
		w.assign(n)
	case *ast.IncDecStmt:
		w.target(n.X, n, n.Tok.String(), nil)
	case *ast.ValueSpec:
		for i, id := range n.Names {
			w.target(id, n, "var", nth(n.Values, i, len(n.Names)))
		}
	case *ast.RangeStmt:
		w.rangeOver(n)
	case *ast.SendStmt:
		w.sync(n, n.Chan, cmp.Or(w.as[n], "chan ")+"send", "chan send", []ast.Expr{n.Value})
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			w.sync(n, n.X, cmp.Or(w.as[n], "chan ")+"receive", "chan receive", nil)
		}
	case *ast.SelectStmt:
		w.selects(n)
		w.heads(n)
	case *ast.IfStmt, *ast.ForStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
		w.heads(n.(ast.Stmt))
	case *ast.GoStmt:
		w.as[n.Call] = "go"
	case *ast.DeferStmt:
		w.as[n.Call], w.as[n.Call.Fun] = "defer", "defer"
	case *ast.ReturnStmt:
		w.add(Op{Kind: Return, How: "return", From: n.Results, Node: n})
	case *ast.CompositeLit:
		w.literal(n)
	case *ast.CallExpr:
		w.call(n)
	case *ast.LabeledStmt:
		w.skip[n.Label] = true
	case *ast.BranchStmt:
		return false
	}
	return true
}

// heads notes which block ends at the head of a statement.
func (w *walker) heads(s ast.Stmt) {
	if b := w.block(s); b > 0 && w.x.stmts[b] == nil {
		w.x.stmts[b] = s
	}
}

// nth returns the expression that the i-th of n variables is assigned: its own value, or the call that returns
// all.
func nth(values []ast.Expr, i, n int) []ast.Expr {
	switch {
	case len(values) == n:
		return values[i : i+1]
	case len(values) == 1:
		return values
	}
	return nil
}

func (w *walker) assign(n *ast.AssignStmt) {
	for i, x := range n.Lhs {
		from, how := nth(n.Rhs, i, len(n.Lhs)), n.Tok.String()
		if call, ok := firstOf(from).(*ast.CallExpr); ok && w.isBuiltin(call, "append") {
			how = "append"
		}
		w.target(x, n, how, from)
	}
}

func firstOf(list []ast.Expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	return ast.Unparen(list[0])
}

// target records what a statement changes. If its old value counts as well, it is also read.
func (w *walker) target(x ast.Expr, by ast.Node, how string, from []ast.Expr) {
	path, elem, _ := w.path(x)
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && (id.Name == "_" || len(path) == 0) {
		return
	}
	if how == "=" || how == ":=" || how == "var" || how == "append" || how == "range" {
		w.skip[ast.Unparen(x)] = true
	}
	kind := Write
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && w.f.Info.Uses[id] == nil {
		kind = Init
	}
	w.add(Op{Kind: kind, Path: path, Elem: elem, How: how, From: from, Node: by})
	w.limit(path, how, from)
	w.point(path, from)
}

// point notes that a variable gets the address of another one, or a reference to the same thing.
func (w *walker) point(path []types.Object, from []ast.Expr) {
	if len(path) == 0 || len(from) != 1 {
		return
	}
	e, address := addressed(from[0])
	to, _, _ := w.path(e)
	if len(to) == 0 || !address && !refers(w.f.Info.TypeOf(e)) {
		return
	}
	of, p := to[len(to)-1], path[len(path)-1]
	w.x.address[of] = w.x.address[of] || address
	if _, isVar := of.(*types.Var); isVar && of != p && !slices.Contains(w.x.aliased[of], p) {
		w.x.aliased[of] = append(w.x.aliased[of], p)
		w.x.targets[p] = append(w.x.targets[p], of)
	}
}

// read records what is read, and visits what is needed to get there.
func (w *walker) read(e ast.Expr) bool {
	path, elem, rest := w.path(e)
	if len(path) == 0 {
		sel, ok := e.(*ast.SelectorExpr)
		if ok { // the name of a field is not a variable
			w.inside(e, sel.X)
		}
		return !ok
	}
	if _, isFunc := path[len(path)-1].(*types.Func); isFunc {
		path = path[:len(path)-1]
	}
	if w.skip[e] && !elem && len(path) > 0 { // leads to what is written
		path = path[:len(path)-1]
	}
	if len(path) > 0 {
		w.add(Op{Kind: Read, Path: path, Elem: elem && !w.skip[e], How: "read", Node: e})
	}
	w.inside(e, rest...)
	return false
}

// inside visits parts of a node.
func (w *walker) inside(n ast.Node, parts ...ast.Expr) {
	w.open = append(w.open, n)
	for _, p := range parts {
		w.walk(p)
	}
	w.open = w.open[:len(w.open)-1]
}
