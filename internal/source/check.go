package source

import (
	"go/ast"
	"go/token"
	"go/types"
)

// operands returns the operands that an expression compares or combines: x and y for x == y && !f(y), and f(y)
// with its arguments. It leaves out what cannot differ.
func (x *Index) operands(e ast.Expr) (list []ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case nil:
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return x.operands(e.X)
		}
		list = append(list, e)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LAND, token.LOR, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return append(x.operands(e.X), x.operands(e.Y)...)
		}
		list = append(list, e)
	case *ast.TypeAssertExpr:
		return x.operands(e.X)
	case *ast.CallExpr:
		list = append(list, e)
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && x.isValue(sel.X) {
			list = append(list, sel.X)
		}
		for _, a := range e.Args {
			if x.isValue(a) {
				list = append(list, a)
			}
		}
	default:
		if x.isValue(e) {
			list = append(list, e)
		}
	}
	return list
}

// isValue reports whether an expression is a value that may differ: not a constant, a literal or
// a package, nor a *testing.T or a context.
func (x *Index) isValue(e ast.Expr) bool {
	f := x.fileOf(e)
	if _, lit := e.(*ast.FuncLit); f == nil || lit {
		return false
	}
	if _, lit := e.(*ast.BasicLit); lit {
		return false
	}
	if id, ok := e.(*ast.Ident); ok {
		if _, isVar := f.Info.Uses[id].(*types.Var); !isVar {
			return false
		}
	}
	t := f.Info.Types[e]
	if t.Type == nil {
		return true
	}
	return t.IsValue() && t.Value == nil && !IsTesting(t.Type) || t.Type == types.Typ[types.Invalid]
}

// IsTesting reports whether a type is *testing.T or the like, or a context: it is passed
// everywhere and says nothing.
func IsTesting(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "testing" || n.Obj().Pkg().Path() == "context")
}

// Check returns the expressions that a check in a line of a file looks at: the operands of the outermost call
// that begins there, and of the if around a t.Error or t.Fatal.
func (x *Index) Check(path string, line int) (list []ast.Expr) {
	call := x.CallAt(path, line)
	if call == nil {
		return nil
	}
	list = x.operands(call.Node.(*ast.CallExpr))[1:]
	if sel, ok := call.Node.(*ast.CallExpr).Fun.(*ast.SelectorExpr); !ok || x.isValue(sel.X) {
		return list
	}
	for _, d := range x.Around(call) {
		if len(d.Looks) > 0 {
			return append(list, x.operands(d.Looks[0])...)
		}
	}
	return list
}

// CallAt returns the outermost call that begins in a line of a file, or in a function literal
// there; nil if there is none.
func (x *Index) CallAt(path string, line int) (call *Op) {
	for _, o := range x.Lines(path, line, line, Call) {
		if call == nil || o.Node.End() > call.Node.End() && o.Node.Pos() <= call.Node.Pos() ||
			inside(literals(call.Node), o.Node) {
			call = o
		}
	}
	return call
}
