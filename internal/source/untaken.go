package source

import (
	"go/ast"
	"go/types"
)

// Untaken returns what the goroutine that a go statement starts does to end a wait that nobody
// makes: it counts down a sync.WaitGroup, or closes or sends to a channel. That is a variable of
// the function around it, and the program only adds to it or signals with it. Untaken returns nil
// if there is none, or if the variable is passed on.
func (x *Index) Untaken(start *Op) *Op {
	fn := x.runs(start)
	if fn == nil {
		return nil
	}
	for _, r := range x.In(fn, Release) {
		if len(r.Path) != 1 || r.Path[0].Pos() >= fn.Pos() || Global(r.Path[0]) || isField(r.Path[0]) ||
			x.isParam(r.Path[0]) {
			continue
		}
		if f := x.fileAt(r.Path[0].Pos()); f != nil && onlyTold(f, r.Path[0]) {
			return r
		}
	}
	return nil
}

// InScope returns the lines from the statement with an operation to the end of the block that
// declares a variable, both included: where something can still be done with the variable. It
// returns 0, 0 if the operation is not in that block.
func (x *Index) InScope(obj types.Object, o *Op) (first, last int) {
	f := x.fileAt(obj.Pos())
	if f == nil {
		return 0, 0
	}
	for _, p := range x.path(f, obj.Pos()) {
		for _, s := range stmts(p) {
			if s.Pos() <= o.Node.Pos() && o.Node.End() <= s.End() && obj.Pos() < s.Pos() {
				return x.lineOf(s.End()), x.lineOf(p.End() - 1)
			}
		}
	}
	return 0, 0
}

// onlyTold reports whether a file only signals with a variable of one of its functions.
func onlyTold(f *File, obj types.Object) bool {
	only, told := true, false
	var around []ast.Node
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && f.Info.Uses[id] == obj {
			if tells(around, id) {
				told = true
			} else {
				only = false
			}
		}
		around = append(around, n)
		return true
	})
	return only && told
}

// tells reports whether a name is in something that signals with it: x.Add(1), x.Done(), x.Go(f),
// close(x), x <- v.
func tells(around []ast.Node, id *ast.Ident) bool {
	if len(around) < 2 {
		return false
	}
	switch p := around[len(around)-1].(type) {
	case *ast.SendStmt:
		return p.Chan == ast.Expr(id)
	case *ast.CallExpr:
		fn, ok := p.Fun.(*ast.Ident)
		return ok && fn.Name == "close"
	case *ast.SelectorExpr:
		call, ok := around[len(around)-2].(*ast.CallExpr)
		return ok && call.Fun == ast.Expr(p) && (p.Sel.Name == "Add" || p.Sel.Name == "Done" || p.Sel.Name == "Go")
	}
	return false
}

// isParam reports whether a variable is a parameter of a function, or of a literal.
func (x *Index) isParam(obj types.Object) bool {
	if _, is := x.params[obj]; is {
		return true
	}
	f := x.fileAt(obj.Pos())
	if f == nil {
		return false
	}
	for _, n := range x.path(f, obj.Pos()) {
		if lit, ok := n.(*ast.FuncLit); ok && obj.Pos() < lit.Body.Lbrace {
			return true
		}
	}
	return false
}
