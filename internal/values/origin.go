package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/internal/source"
)

const (
	maxOrigin  = 12   // through how many functions and assignments a value is followed back
	maxSearch  = 4000 // how many expressions are looked at for one operand
	maxOrigins = 16   // of one operand
	maxCopies  = 4    // through how many copies a literal is looked for
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

	skipped map[ast.Node]int // nodes that are no origin for now, more than 0

	whole bool // what matters is the object itself, not what the fields it is made with hold

	fields map[giving]bool     // that were followed through the module
	copied map[*types.Var]bool // that were followed as copies
}

// origins returns the sources of an expression in a function. Whole says that
// what the fields hold that an object is made with does not matter: it is just
// compared with nil, or is the receiver of a method that is followed by itself.
func (c *chooser) origins(f *file, fn ast.Node, x ast.Expr, whole bool) []int {
	s := newOriginSearch(c)
	s.whole = whole
	s.expr(f, fn, x, 0)
	return s.list
}

func newOriginSearch(c *chooser) *originSearch {
	return &originSearch{
		c: c, left: maxSearch, fields: make(map[giving]bool), copied: make(map[*types.Var]bool), skipped: make(map[ast.Node]int),
	}
}

func (s *originSearch) add(n ast.Node) {
	if s.skipped[n] > 0 {
		return
	}
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
		case *ast.CompositeLit:
			return !s.whole || !f.isStruct(n)
		case *ast.SelectorExpr:
			if v, field := f.field(n); v != nil {
				s.assigned(f, fn, v, field, depth+1)
				s.fieldOf(f, n, f.literal(fn, n.X, maxCopies), depth+1)
				return false
			}
			s.fieldOf(f, n, false, depth+1)
		case *ast.Ident:
			if v, ok := f.Info.Uses[n].(*types.Var); ok && !v.IsField() {
				s.assigned(f, fn, v, "", depth+1)
			}
		case *ast.CallExpr:
			return s.call(f, fn, n, depth)
		}
		return true
	})
}

func (f *file) isStruct(x ast.Expr) bool {
	t := f.Info.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// call follows a call into a function of the module. What a method returns is
// computed from fields of its receiver, not from all that the receiver is.
func (s *originSearch) call(f *file, fn ast.Node, call *ast.CallExpr, depth int) (descend bool) {
	callee := f.callee(call)
	if callee == nil {
		return true
	}
	if s.wide {
		s.addRead(f, fn, call)
	}
	in, decl := s.c.prog.function(callee)
	if decl == nil {
		return true
	}
	for _, o := range s.c.prog.In(decl.Body, source.Return) {
		if s.c.prog.FuncAround(o.Node) != ast.Node(decl) {
			continue // of a function literal in it
		}
		for _, x := range o.From {
			s.expr(in, decl, x, depth+1)
		}
	}
	for _, x := range call.Args {
		s.expr(f, fn, x, depth)
	}
	return false
}

// assigned follows what a function does to a variable, or to one field of it.
func (s *originSearch) assigned(f *file, fn ast.Node, v *types.Var, field string, depth int) {
	if depth > maxOrigin || s.left < 0 {
		return
	}
	s.declared(f, v, field, depth)
	if fn = f.functionOf(fn, v); fn == nil {
		return
	}
	var conds []ast.Expr // of the if statements around, for each open node
	var open []ast.Node
	ast.Inspect(source.BodyOf(fn), func(n ast.Node) bool {
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
		if f.commutes(n) { // nor does the order of what is added up matter
			s.skip(open, 1)
		}
		for _, x := range s.given(f, n, v) {
			s.part(f, fn, x, field, depth)
		}
		if f.commutes(n) {
			s.skip(open, -1)
		}
		if s.wide {
			for _, x := range f.givenWide(n, v, field) {
				s.expr(f, fn, x, depth)
			}
		}
		for _, o := range open {
			r, ok := o.(*ast.RangeStmt)
			if ok && !(o != n && declaredIn(r.Body, v)) { // in the order of the iterations
				if !f.sorted(fn, v) && !(o == n && depth == 1) && !f.commutes(n) {
					s.add(r)
				}
				if o == n {
					s.part(f, fn, r.X, field, depth+1)
				} else if !f.mentions(r.X, v) {
					s.expr(f, fn, r.X, depth)
				}
			}
			if call, ok := o.(*ast.CallExpr); ok && f.mapRange(call) != nil && !f.sorted(fn, v) && !f.commutes(n) {
				s.add(call)
			}
		}
		return true
	})
	if field == "" {
		s.passed(f, fn, v, depth)
	}
}

// commutes reports whether it does not matter in which order a statement is run
// again and again: integers are counted or added up.
func (f *file) commutes(n ast.Node) bool {
	var x ast.Expr
	switch n := n.(type) {
	case *ast.IncDecStmt:
		x = n.X
	case *ast.AssignStmt:
		if n.Tok != token.ADD_ASSIGN && n.Tok != token.OR_ASSIGN {
			return false
		}
		x = n.Lhs[0]
	default:
		return false
	}
	t := f.Info.TypeOf(x)
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// sorted reports whether a function sorts a variable in an order in which no two
// different elements are equal: where it came from is of no account then.
func (f *file) sorted(fn ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(source.BodyOf(fn), func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return !found
		}
		callee := f.callee(call)
		if callee == nil || callee.Pkg() == nil {
			return !found
		}
		switch callee.Pkg().Path() + "." + callee.Name() {
		case "slices.Sort", "sort.Strings", "sort.Ints", "sort.Float64s":
			found = found || f.isTarget(call.Args[0], v, "")
		}
		return !found
	})
	return found
}

// declaredIn reports whether a variable is declared in a body: it is another one
// in each iteration.
func declaredIn(body *ast.BlockStmt, v *types.Var) bool {
	return body.Pos() <= v.Pos() && v.Pos() < body.End()
}

// skip leaves the ranges among nodes out of the search, or with -1 no longer.
func (s *originSearch) skip(open []ast.Node, by int) {
	for _, o := range open {
		s.skipped[o] += by
	}
}

// given returns what a node that modifies v gives it.
func (s *originSearch) given(f *file, n ast.Node, v *types.Var) []ast.Expr {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return indexes(n.X)
	case *ast.CallExpr:
		return n.Args
	}
	if spec, ok := n.(*ast.ValueSpec); ok {
		return f.initial(spec, v)
	}
	a, ok := n.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	for _, x := range a.Lhs {
		list = append(list, indexes(x)...)
	}
	for i, x := range a.Rhs {
		if len(a.Lhs) == len(a.Rhs) && !f.isTarget(a.Lhs[i], v, "") {
			continue
		}
		list = append(list, x)
	}
	return list
}

// indexes returns what says which element an assignment changes.
func indexes(x ast.Expr) []ast.Expr {
	if i, ok := ast.Unparen(x).(*ast.IndexExpr); ok {
		return []ast.Expr{i.Index}
	}
	return nil
}

// fills reports whether a call may put its arguments into a variable: a method
// of it, or a function that gets it first, as fmt.Fprint does.
func (f *file) fills(call *ast.CallExpr, is func(ast.Expr) bool) bool {
	if len(call.Args) == 0 {
		return false
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.Info.Selections[sel] != nil {
		return is(sel.X)
	}
	callee := f.callee(call)
	return len(call.Args) > 1 && callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "fmt" && is(call.Args[0])
}

// modifies reports whether a statement or call changes v, or a field of it.
func (f *file) modifies(n ast.Node, v *types.Var, field string) bool {
	is := func(x ast.Expr) bool { return x != nil && f.isTarget(x, v, field) }
	switch n := n.(type) {
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Lhs, is)
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return f.Info.Defs[id] == v })
	case *ast.IncDecStmt:
		return is(n.X)
	case *ast.RangeStmt:
		return n.Tok != token.ILLEGAL && (is(n.Key) || is(n.Value))
	case *ast.CallExpr:
		id, ok := ast.Unparen(n.Fun).(*ast.Ident)
		if !ok || len(n.Args) == 0 {
			return field == "" && f.fills(n, func(x ast.Expr) bool { y, ok := ast.Unparen(x).(*ast.Ident); return ok && is(y) })
		}
		_, builtin := f.Info.Uses[id].(*types.Builtin)
		return builtin && (id.Name == "clear" || id.Name == "delete" || id.Name == "copy") && is(n.Args[0])
	}
	return false
}

// isTarget reports whether x is v, or with a field v.field, or an element of it.
func (f *file) isTarget(x ast.Expr, v *types.Var, field string) bool {
	for {
		switch y := holder(x).(type) {
		case *ast.Ident:
			return f.Info.Defs[y] == v || f.Info.Uses[y] == v
		case *ast.SelectorExpr:
			if w, name := f.field(y); w == v && w != nil {
				return field == "" || name == field
			}
			x = y.X
		default:
			return false
		}
	}
}

func (f *file) mentions(x ast.Node, v *types.Var) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.Info.Uses[id] == v {
			found = true
		}
		return !found
	})
	return found
}
