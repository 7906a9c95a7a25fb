package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// maxOrigin is through how many functions and assignments a value is followed
// back.
const maxOrigin = 4

// origins returns the sources that an expression may be computed from: those in
// it, in what is assigned to its variables within the function, and in the
// functions of the module that it calls. It is a guess from the text; whether a
// source goes with the outcome, the runs must say.
func (c *chooser) origins(f *file, fn ast.Node, x ast.Node, depth int) []int {
	if depth > maxOrigin || x == nil {
		return nil
	}
	var list []int
	add := func(sites ...int) {
		for _, n := range sites {
			if !slices.Contains(list, n) && len(list) < 16 {
				list = append(list, n)
			}
		}
	}
	ast.Inspect(x, func(n ast.Node) bool {
		if site := c.wrapped[n]; site > 0 && n != nil && c.out.Sites[site].Source != "" {
			add(site)
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if v, ok := f.info.Uses[n].(*types.Var); ok && !v.IsField() && fn != nil {
				add(c.assigned(f, fn, v, depth+1)...)
			}
		case *ast.CallExpr:
			if callee := f.callee(n); callee != nil {
				add(c.calledOrigins(callee, depth+1)...)
			}
		}
		return true
	})
	return list
}

// assigned returns the origins of what a function assigns to a variable.
func (c *chooser) assigned(f *file, fn ast.Node, v *types.Var, depth int) []int {
	if depth > maxOrigin {
		return nil
	}
	var list []int
	ast.Inspect(bodyOf(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if !f.assigns(n.Lhs, v) {
				return true
			}
			for _, x := range n.Rhs {
				if !f.mentions(x, v) {
					list = append(list, c.origins(f, fn, x, depth)...)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE && f.assigns([]ast.Expr{n.Key, n.Value}, v) {
				list = append(list, c.ranged(n)...)
			} else if f.changes(n.Body, v) {
				list = append(list, c.ranged(n)...)
			}
		}
		return true
	})
	return list
}

// ranged returns the site of the keys of a range statement.
func (c *chooser) ranged(s *ast.RangeStmt) []int {
	if n := c.wrapped[s]; n > 0 {
		return []int{n}
	}
	return nil
}

// assigns reports whether v is among the left sides.
func (f *file) assigns(lhs []ast.Expr, v *types.Var) bool {
	return slices.ContainsFunc(lhs, func(x ast.Expr) bool {
		for x != nil {
			switch y := ast.Unparen(x).(type) {
			case *ast.Ident:
				return f.info.Defs[y] == v || f.info.Uses[y] == v
			case *ast.SelectorExpr:
				x = y.X
			case *ast.IndexExpr:
				x = y.X
			case *ast.StarExpr:
				x = y.X
			default:
				return false
			}
		}
		return false
	})
}

// changes reports whether a body assigns to v, and so gives it a value that
// depends on the order of iterations.
func (f *file) changes(body ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok != token.DEFINE {
			found = found || f.assigns(a.Lhs, v)
		}
		return !found
	})
	return found
}

func (f *file) mentions(x ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.info.Uses[id] == v {
			found = true
		}
		return !found
	})
	return found
}

// calledOrigins returns the origins of what a function of the module returns.
func (c *chooser) calledOrigins(callee *types.Func, depth int) []int {
	fn := c.prog.funcs[callee.Origin().FullName()]
	if fn == nil || depth > maxOrigin {
		return nil
	}
	var list []int
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				list = append(list, c.origins(fn.file, fn.decl, x, depth)...)
			}
		}
		return true
	})
	return list
}
