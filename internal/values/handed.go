package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
)

// maxHanded is the limit for places at which one operand was passed on.
const maxHanded = 3

// handed returns the places before an operand at which what it is read from was passed to other
// code that can write it: a buffer to an encoder, a writer to a function that prints. If the
// content differs only in its order, this is the last place in the user's code that is involved.
// Nothing is recorded there.
func (c *chooser) handed(f *file, x ast.Expr) []int {
	v := f.root(x)
	decl := f.declOf(x)
	if v == nil || decl == nil {
		return nil
	}
	var list []int
	var open []ast.Node
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		open = append(open, n)
		if e, ok := n.(ast.Expr); ok && n.Pos() < x.Pos() && len(list) < maxHanded &&
			f.refersTo(e, v) && len(open) > 1 {
			if site := c.handedAt(f, e, open[:len(open)-1]); site > 0 {
				list = append(list, site)
			}
		}
		return true
	})
	return list
}

// handedAt adds the place at which arg is passed to a call or composite literal around it, and
// returns its number, or 0 if arg is elsewhere.
func (c *chooser) handedAt(f *file, arg ast.Expr, around []ast.Node) int {
	given, last := ast.Expr(nil), ast.Node(arg)
	walks := false
	for i := len(around) - 1; i >= 0; i-- {
		switch n := around[i].(type) {
		case *ast.CallExpr:
			if f.isConversion(n) || f.isAssertion(n) {
				return 0
			}
			given, walks = n, walks || f.givesMap(n)
		case *ast.CompositeLit, *ast.KeyValueExpr:
			given = arg
		case *ast.SelectorExpr: // NewEncoder(buf).Encode(data)
			if last == arg {
				return 0
			}
		default:
			i = 0
		}
		last = around[i]
	}
	if given == nil {
		return 0
	}
	source := "the order of writes"
	if walks {
		source = "map order"
	}
	return c.site(f, given, divergence.ValueSite{Kind: divergence.ValueHanded, Expr: f.text(given), Source: source})
}

// root returns the variable that an operand is read from: buf for buf.String(), string(buf.b) or
// buf.lines[0].
func (f *file) root(x ast.Expr) *types.Var {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return f.variable(y)
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SliceExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.CallExpr:
			if f.isConversion(y) && len(y.Args) == 1 {
				x = y.Args[0]
			} else {
				x = y.Fun
			}
		default:
			return nil
		}
	}
}

// declOf returns the function declaration that contains an expression.
func (f *file) declOf(x ast.Expr) ast.Node {
	for _, d := range f.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && fn.Pos() <= x.Pos() && x.End() <= fn.End() {
			return fn
		}
	}
	return nil
}

// refersTo reports whether x is a reference through which v can be changed: its address, or v
// itself if that is a reference.
func (f *file) refersTo(x ast.Expr, v *types.Var) bool {
	switch y := x.(type) {
	case *ast.UnaryExpr:
		return y.Op == token.AND && f.root(y.X) == v
	case *ast.Ident:
		if f.Info.Uses[y] != v {
			return false
		}
		switch v.Type().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			return true
		}
	}
	return false
}

// isAssertion reports whether a call is given a *testing.T or the like: it checks its other arguments and changes none.
func (f *file) isAssertion(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return source.IsTesting(f.Info.TypeOf(x)) })
}

// givesMap reports whether a map is passed to a call, which may range over it.
func (f *file) givesMap(call *ast.CallExpr) bool {
	for _, x := range call.Args {
		if t := f.Info.TypeOf(x); t != nil {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			if _, ok := t.Underlying().(*types.Map); ok {
				return true
			}
		}
	}
	return false
}
