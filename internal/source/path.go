package source

import (
	"go/ast"
	"go/token"
	"go/types"
)

func addressed(e ast.Expr) (ast.Expr, bool) {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		return u.X, true
	}
	return e, false
}

// refers reports whether a value of a type refers to something that its copies refer to as well.
// An unknown type may.
func refers(t types.Type) bool {
	if t == nil {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Slice, *types.Interface, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.Invalid
	}
	return false
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, is := t.Underlying().(*types.Pointer)
	return is
}

// path returns where an expression leads, and what else is evaluated on the way.
func (w *walker) path(e ast.Expr) (path []types.Object, elem bool, rest []ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := w.variable(e); v != nil {
			path = []types.Object{v}
		}
	case *ast.StarExpr:
		path, _, rest = w.path(e.X)
		elem = true
	case *ast.TypeAssertExpr:
		return w.path(e.X)
	case *ast.IndexExpr:
		path, _, rest = w.path(e.X)
		elem, rest = true, append(rest, e.Index)
	case *ast.IndexListExpr:
		return w.path(e.X)
	case *ast.SliceExpr:
		path, _, rest = w.path(e.X)
		elem = true
		for _, i := range []ast.Expr{e.Low, e.High, e.Max} {
			if i != nil {
				rest = append(rest, i)
			}
		}
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return w.path(e.X)
		}
		rest = []ast.Expr{e}
	case nil:
	default:
		rest = []ast.Expr{e}
	}
	return path, elem, rest
}

// selector is path for x.f: a field, a method, or an object of a package.
func (w *walker) selector(e *ast.SelectorExpr) (path []types.Object, elem bool, rest []ast.Expr) {
	if id, ok := ast.Unparen(e.X).(*ast.Ident); ok {
		if pkg, ok := w.f.Info.Uses[id].(*types.PkgName); ok {
			if obj := w.ofPackage(pkg, e.Sel); obj != nil {
				path = append(path, obj)
			}
			return path, false, nil
		}
	}
	path, _, rest = w.path(e.X)
	sel := w.f.Info.Selections[e]
	if sel == nil {
		if t := w.f.Info.Types[e.X]; t.IsType() { // T.Method
			if fn := w.f.Info.Uses[e.Sel]; fn != nil {
				path = append(path, w.x.canon(fn))
			}
			return path, false, rest
		}
		return append(path, w.x.unknown(e.Sel.Name, nil)), false, rest
	}
	t := sel.Recv()
	for _, i := range sel.Index()[:len(sel.Index())-1] { // embedded on the way
		f := fieldOf(t, i)
		if f == nil {
			break
		}
		path, t = append(path, w.x.canon(f)), f.Type()
	}
	return append(path, w.x.canon(sel.Obj())), false, rest
}

// fieldOf returns a field of a struct, or of what is pointed to.
func fieldOf(t types.Type, i int) *types.Var {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && i < s.NumFields() {
		return s.Field(i)
	}
	return nil
}

// variable returns the variable, or function, that an identifier stands for.
func (w *walker) variable(id *ast.Ident) types.Object {
	obj := w.f.Info.Uses[id]
	if obj == nil {
		obj = w.f.Info.Defs[id]
	}
	if obj == nil { // of a type switch
		obj = w.x.byPos[id.Pos()]
	}
	switch obj := obj.(type) {
	case *types.Var, *types.Func:
		return w.x.canon(obj)
	}
	return nil
}

// ofPackage returns a variable or function of a package.
func (w *walker) ofPackage(pkg *types.PkgName, id *ast.Ident) types.Object {
	switch obj := w.f.Info.Uses[id].(type) {
	case *types.Var, *types.Func:
		return w.x.canon(obj)
	case nil:
		return w.x.unknown(id.Name, pkg.Imported())
	}
	return nil
}

// unknown returns an object for everything that has a name and no types: functions of a package
// that can't be loaded, or fields and methods of what it returned.
func (x *Index) unknown(name string, pkg *types.Package) types.Object {
	key := name
	if pkg != nil {
		key = pkg.Path() + "." + name
	}
	if x.byName[key] == nil {
		if pkg == nil {
			x.byName[key] = types.NewField(token.NoPos, nil, name, types.Typ[types.Invalid], false)
		} else {
			x.byName[key] = types.NewFunc(token.NoPos, pkg, name,
				types.NewSignatureType(nil, nil, nil, nil, nil, false))
		}
	}
	return x.byName[key]
}
