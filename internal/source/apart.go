package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// Same reports whether two operations may be on the same thing: on one object, or on
// what was seen to refer to the same, and not [Index.Apart].
func (x *Index) Same(a, b *Op) bool {
	if a.Obj() == nil || b.Obj() == nil || x.Apart(a, b) {
		return false
	}
	return slices.ContainsFunc(x.standsFor(a.Obj()), func(obj types.Object) bool { return slices.Contains(x.aliases(obj), b.Obj()) })
}

// Apart reports whether the source shows that two operations on equal fields are
// on different structs: each is reached from a variable of its own that is one,
// or points to the one that it was made with.
func (x *Index) Apart(a, b *Op) bool {
	if a.Obj() == nil || b.Obj() == nil {
		return false
	}
	r, s := a.Path[0], b.Path[0]
	return r != s && x.single(r) && x.single(s)
}

// single reports whether a variable is a struct, or points to one that it was
// made with, all the time.
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
