package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// Same reports whether two operations may be on the same thing: on one object, or on objects seen
// to refer to the same thing, unless they are [Index.Apart].
func (x *Index) Same(a, b *Op) bool {
	if a.Obj() == nil || b.Obj() == nil || x.Apart(a, b) {
		return false
	}
	return slices.ContainsFunc(x.standsFor(a.Obj()), func(obj types.Object) bool {
		return slices.Contains(x.aliases(obj), b.Obj())
	})
}

// Apart reports whether the source shows that two operations on equal fields are on different
// structs: each is reached from another variable, which is a struct or always points to the one
// that it was made with.
func (x *Index) Apart(a, b *Op) bool {
	if a.Obj() == nil || b.Obj() == nil {
		return false
	}
	r, s := a.Path[0], b.Path[0]
	return r != s && x.single(r) && x.single(s)
}

// single reports whether a variable is a struct, or always points to the one that it was made
// with.
func (x *Index) single(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	if !ok || v.IsField() {
		return false
	}
	if holdsValue(v) {
		return true
	}
	made := 0
	for _, o := range x.objects[obj] {
		if o.Kind != Init && o.Kind != Write || o.Obj() != obj || o.Elem {
			continue
		}
		if made++; len(o.From) != 1 || !makes(o.From[0]) {
			return false
		}
	}
	return made == 1 && !x.address[obj]
}

// makes reports whether an expression makes a struct.
func makes(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return makes(e.X)
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && id.Name == "new"
	}
	return false
}

// Global reports whether an object is a package variable.
func Global(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// target returns the expression that is written to: c.n in c.n = 1, m in delete(m, k).
// [Index.Flow] goes from there to what leads to it, but not to its old value. target returns nil
// if a variable itself is written, or if there is no such expression.
func (x *Index) target(w *Op) ast.Expr {
	var target ast.Expr
	switch n := w.Node.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			if path, _, _ := (&walker{x: x, f: w.file}).path(e); slices.Equal(path, w.Path) {
				target = ast.Unparen(e)
			}
		}
	case *ast.IncDecStmt:
		target = ast.Unparen(n.X)
	case *ast.CallExpr:
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
			return sel.X
		}
		if len(n.Args) > 0 {
			return n.Args[0]
		}
	}
	if _, variable := target.(*ast.Ident); variable {
		return nil
	}
	return target
}

// Holds reports whether other objects can be reached through a variable: it is not a number,
// string or function.
func Holds(obj types.Object) bool {
	if obj.Type() == nil {
		return true
	}
	switch t := obj.Type().Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Signature:
		return false
	}
	return true
}
