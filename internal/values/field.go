package values

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fdebug/fdebug/internal/source"
)

// field returns the variable and the name of the field for an expression like
// v.f, nil for others.
func (f *file) field(x *ast.SelectorExpr) (v *types.Var, name string) {
	id, ok := ast.Unparen(x.X).(*ast.Ident)
	if !ok || f.Info.Selections[x] == nil || f.Info.Selections[x].Kind() != types.FieldVal {
		return nil, ""
	}
	v, _ = f.Info.Uses[id].(*types.Var)
	return v, x.Sel.Name
}

// A giving looks for what the module gives to one field.
type giving struct {
	field    string // by the place of its declaration
	literals bool   // in literals too, and not only by assignments
}

// fieldOf follows a field of which the object comes from elsewhere: all that the
// module gives to a field of that name and type. Of one that was made by literals
// in the function, other literals say nothing.
func (s *originSearch) fieldOf(f *file, x *ast.SelectorExpr, made bool, depth int) {
	field, ok := f.Info.Uses[x.Sel].(*types.Var)
	if s.wide || !ok || !field.IsField() || depth > maxOrigin {
		return
	}
	g := giving{f.place(field), !made}
	if s.fields[g] {
		return
	}
	s.fields[g] = true
	for _, o := range s.c.prog.Of(field, source.Init, source.Write) {
		in := s.c.prog.file(o.Node)
		_, assigned := o.Node.(*ast.AssignStmt)
		if in == nil || s.left < 0 || f.place(o.Obj()) != g.field || !assigned && (o.How != "literal" || made) {
			continue
		}
		for _, x := range o.From {
			s.expr(in, s.c.prog.FuncAround(o.Node), x, depth)
		}
	}
}

// place names a variable by where it is declared: packages that are loaded for
// their tests, or from export data, have objects and positions of their own.
func (f *file) place(v types.Object) string {
	p := f.fset.PositionFor(v.Pos(), false)
	return fmt.Sprintf("%s:%d:%s", p.Filename, p.Line, v.Name())
}

// holder returns what x is, or is an element of, or points to.
func holder(x ast.Expr) ast.Expr {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.IndexExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		default:
			return y
		}
	}
}

// positional returns the field that element i of a literal is for, nil if it is
// none, or has a key.
func (f *file) positional(lit *ast.CompositeLit, i int) *types.Var {
	if _, keyed := lit.Elts[i].(*ast.KeyValueExpr); keyed {
		return nil
	}
	if t := f.structOf(lit); t != nil && i < t.NumFields() {
		return t.Field(i)
	}
	return nil
}

// structOf returns the struct type of a literal, nil if it is of another type.
func (f *file) structOf(lit *ast.CompositeLit) *types.Struct {
	t := f.Info.TypeOf(lit)
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok { // {...} in a []*T
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

// part follows what is given to a variable of which a field counts, or all of it
// if field is empty: in a literal what is for that field, in a list of literals
// that of each. A copy is followed as what it is a copy of.
func (s *originSearch) part(f *file, fn ast.Node, x ast.Expr, field string, depth int) {
	if s.left--; s.left < 0 {
		return
	}
	switch y := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := f.Info.Uses[y].(*types.Var)
		if ok && !v.IsField() && !s.copied[v] {
			s.copied[v] = true
			s.assigned(f, fn, v, field, depth)
			delete(s.copied, v)
			return
		}
	case *ast.UnaryExpr:
		if field != "" {
			s.part(f, fn, y.X, field, depth)
			return
		}
	case *ast.CompositeLit:
		if field != "" && s.element(f, fn, y, field, depth) {
			return
		}
	}
	s.expr(f, fn, x, depth)
}

// element follows what a literal gives to a field, and reports whether it is of
// a kind that gives anything to it.
func (s *originSearch) element(f *file, fn ast.Node, lit *ast.CompositeLit, field string, depth int) bool {
	st := f.structOf(lit)
	for i, value := range lit.Elts {
		name := ""
		if kv, ok := value.(*ast.KeyValueExpr); ok {
			value = kv.Value
			if id, ok := kv.Key.(*ast.Ident); ok {
				name = id.Name
			}
		} else if v := f.positional(lit, i); v != nil {
			name = v.Name()
		}
		switch {
		case st == nil: // of a list or a map
			s.part(f, fn, value, field, depth)
		case name == field:
			s.expr(f, fn, value, depth)
		}
	}
	return st == nil || hasField(st, field) // else it may be in an embedded struct
}

func hasField(st *types.Struct, name string) bool {
	for i := range st.NumFields() {
		if st.Field(i).Name() == name {
			return true
		}
	}
	return false
}

// initial returns what a declaration gives to a variable.
func (f *file) initial(spec *ast.ValueSpec, v *types.Var) []ast.Expr {
	for i, id := range spec.Names {
		if f.Info.Defs[id] == v && len(spec.Values) > 0 {
			return spec.Values[min(i, len(spec.Values)-1):][:1]
		}
	}
	return nil
}

// declared follows what the declaration of a package's variable gives to it.
func (s *originSearch) declared(f *file, v *types.Var, field string, depth int) {
	if v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return
	}
	for _, o := range s.c.prog.Of(v, source.Init) {
		if g := s.c.prog.file(o.Node); g != nil && o.How == "var" {
			for _, x := range o.From {
				s.part(g, nil, x, field, depth)
			}
		}
	}
}

// functionOf returns the function in which a variable is declared: fn, or one
// around it. It is fn for variables of the package.
func (f *file) functionOf(fn ast.Node, v *types.Var) ast.Node {
	if fn == nil || fn.Pos() <= v.Pos() && v.Pos() < fn.End() {
		return fn
	}
	for _, d := range f.Tree.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Pos() <= v.Pos() && v.Pos() < fd.End() && fd.Pos() <= fn.Pos() && fn.End() <= fd.End() {
			return fd
		}
	}
	return fn
}

// literal reports whether an expression is a literal, or a variable that nothing
// but literals are assigned to, or elements of lists of literals.
func (f *file) literal(fn ast.Node, x ast.Expr, copies int) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return x.Op == token.AND && f.literal(fn, x.X, copies)
	case *ast.Ident:
		v := f.variable(x)
		return v != nil && !v.IsField() && copies > 0 && f.onlyLiterals(f.functionOf(fn, v), v, copies-1)
	}
	return false
}

func (f *file) onlyLiterals(fn ast.Node, v *types.Var, copies int) bool {
	if fn == nil {
		return false
	}
	some, all := false, true
	see := func(x ast.Expr) {
		some = true
		all = all && f.literal(fn, x, copies)
	}
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && (f.Info.Defs[id] == v || f.Info.Uses[id] == v)
	}
	ast.Inspect(source.BodyOf(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				if is(x) {
					see(n.Rhs[min(i, len(n.Rhs)-1)])
				}
			}
		case *ast.RangeStmt:
			if is(n.Value) {
				see(n.X)
			}
		case *ast.ValueSpec:
			for _, x := range f.initial(n, v) {
				see(x)
			}
		}
		return all
	})
	return some && all
}
