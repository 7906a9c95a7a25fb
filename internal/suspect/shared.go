package suspect

import (
	"go/ast"
	"go/token"
	"maps"
)

// sharedIn returns the variables of a declared function that a function literal
// in it uses and does not declare: the literal may run on another goroutine. It
// goes by names, so that one that is declared twice in a function is one.
func (p *parsed) sharedIn(d *ast.FuncDecl) names {
	if shared, ok := p.shared[d]; ok {
		return shared
	}
	shared, own := names{}, declared(d)
	ast.Inspect(d, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		inner := declared(lit)
		for name := range used(lit.Body) {
			if own[name] && !inner[name] {
				shared[name] = true
			}
		}
		return true
	})
	p.shared[d] = shared
	return shared
}

// declared returns the variables that a function declares, those of the literals
// in it among them.
func declared(fn ast.Node) names {
	out := names{}
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			out[id.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					add(x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		}
		return true
	})
	return out
}

// used returns the identifiers in code that may be variables.
func used(root ast.Node) names {
	out := names{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			maps.Copy(out, used(n.X))
			return false
		case *ast.Ident:
			out[n.Name] = true
		}
		return true
	})
	return out
}
