package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

const (
	maxOrigin  = 4    // through how many functions and assignments a value is followed back
	maxSearch  = 2000 // how many expressions are looked at for one operand
	maxOrigins = 16   // of one operand
)

// An originSearch looks for the sources that an expression may be computed
// from: those in it, in what is assigned to its variables within the function,
// in the conditions under which that is done, and in the functions of the
// module that it calls. It is a guess from the text; whether a source goes with
// the outcome, the runs must say.
type originSearch struct {
	c    *chooser
	left int // expressions that may still be looked at
	list []int

	wide  bool // look for reads instead, see chooser.reads
	reads []string
}

// origins returns the sources of an expression in a function.
func (c *chooser) origins(f *file, fn ast.Node, x ast.Expr) []int {
	s := &originSearch{c: c, left: maxSearch}
	s.expr(f, fn, x, 0)
	return s.list
}

func (s *originSearch) add(n ast.Node) {
	site := s.c.wrapped[n]
	if !s.wide && site > 0 && s.c.out.Sites[site].Source != "" && !slices.Contains(s.list, site) && len(s.list) < maxOrigins {
		s.list = append(s.list, site)
	}
}

func (s *originSearch) expr(f *file, fn ast.Node, x ast.Node, depth int) {
	if x == nil || depth > maxOrigin {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if s.left--; s.left < 0 {
			return false
		}
		s.add(n)
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			if v, field := f.field(n); v != nil {
				s.assigned(f, fn, v, field, depth+1)
				return false
			}
		case *ast.Ident:
			if v, ok := f.info.Uses[n].(*types.Var); ok && !v.IsField() {
				s.assigned(f, fn, v, "", depth+1)
			}
		case *ast.CallExpr:
			return s.call(f, fn, n, depth)
		}
		return true
	})
}

// call follows a call into a function of the module. What a method returns is
// computed from fields of its receiver, not from all that the receiver is.
func (s *originSearch) call(f *file, fn ast.Node, call *ast.CallExpr, depth int) (descend bool) {
	callee := f.callee(call)
	if callee == nil {
		return true
	}
	if s.wide {
		s.addRead(f, call)
	}
	body := s.c.prog.funcs[callee.Origin().FullName()]
	if body == nil {
		return true
	}
	ast.Inspect(body.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				s.expr(body.file, body.decl, x, depth+1)
			}
		}
		return s.left > 0
	})
	for _, x := range call.Args {
		s.expr(f, fn, x, depth)
	}
	return false
}

// field returns the variable and the name of the field for an expression like
// v.f, nil for others.
func (f *file) field(x *ast.SelectorExpr) (v *types.Var, name string) {
	id, ok := ast.Unparen(x.X).(*ast.Ident)
	if !ok || f.info.Selections[x] == nil || f.info.Selections[x].Kind() != types.FieldVal {
		return nil, ""
	}
	v, _ = f.info.Uses[id].(*types.Var)
	return v, x.Sel.Name
}

// assigned follows what a function does to a variable, or to one field of it.
func (s *originSearch) assigned(f *file, fn ast.Node, v *types.Var, field string, depth int) {
	if depth > maxOrigin || fn == nil || s.left < 0 {
		return
	}
	var conds []ast.Expr // of the if statements around, for each open node
	var open []ast.Node
	ast.Inspect(bodyOf(fn), func(n ast.Node) bool {
		if n == nil {
			if _, ok := open[len(open)-1].(*ast.IfStmt); ok {
				conds = conds[:len(conds)-1]
			}
			open = open[:len(open)-1]
			return true
		}
		open = append(open, n)
		if cond, ok := n.(*ast.IfStmt); ok {
			conds = append(conds, cond.Cond)
		}
		call, isCall := n.(*ast.CallExpr)
		if !f.modifies(n, v, field) && !(s.wide && isCall && f.addressed(call, v, field)) {
			return true
		}
		for _, c := range conds {
			if !f.mentions(c, v) || field != "" {
				s.expr(f, fn, c, depth)
			}
		}
		for _, x := range s.given(f, n, v) {
			s.expr(f, fn, x, depth)
		}
		if s.wide {
			for _, x := range f.givenWide(n, v, field) {
				s.expr(f, fn, x, depth)
			}
		}
		for _, o := range open {
			if r, ok := o.(*ast.RangeStmt); ok { // in the order of the iterations
				s.add(r)
			}
		}
		return true
	})
}

// given returns what a node that modifies v gives it.
func (s *originSearch) given(f *file, n ast.Node, v *types.Var) []ast.Expr {
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	var list []ast.Expr
	for i, x := range a.Rhs {
		if len(a.Lhs) == len(a.Rhs) && !f.isTarget(a.Lhs[i], v, "") {
			continue
		}
		list = append(list, x)
	}
	return list
}

// modifies reports whether a statement or call changes v, or a field of it.
func (f *file) modifies(n ast.Node, v *types.Var, field string) bool {
	is := func(x ast.Expr) bool { return x != nil && f.isTarget(x, v, field) }
	switch n := n.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, is)
	case *ast.IncDecStmt:
		return is(n.X)
	case *ast.RangeStmt:
		return n.Tok != token.ILLEGAL && (is(n.Key) || is(n.Value))
	case *ast.CallExpr:
		id, ok := ast.Unparen(n.Fun).(*ast.Ident)
		if !ok || len(n.Args) == 0 {
			return false
		}
		_, builtin := f.info.Uses[id].(*types.Builtin)
		return builtin && (id.Name == "clear" || id.Name == "delete" || id.Name == "copy") && is(n.Args[0])
	}
	return false
}

// isTarget reports whether x is v, or with a field v.field, or an element of it.
func (f *file) isTarget(x ast.Expr, v *types.Var, field string) bool {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return f.info.Defs[y] == v || f.info.Uses[y] == v
		case *ast.SelectorExpr:
			if w, name := f.field(y); w == v && w != nil {
				return field == "" || name == field
			}
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		default:
			return false
		}
	}
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
