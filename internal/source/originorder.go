package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// An order says whether the order of iterations shows in a value.
type order uint8

const (
	asIs     order = iota // of a variable of the loop it is which element comes in an iteration
	gathered              // it outlives an iteration: the order shows
	alone                 // a single element, or something that is the same in any order
)

// less returns the parts of an expression that are followed in another way, or not at all.
func (s *origins) less(at origin) []ast.Node {
	list, f := literals(at.expr), s.x.fileOf(at.expr)
	at.result = 0
	split := func(e ast.Expr, n need) {
		list = append(list, e)
		if from := at; n != nothing {
			from.need = n
			s.todo(from, e)
		}
	}
	ast.Inspect(at.expr, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if at.need != all {
				list = append(list, n)
				return false
			}
		case *ast.BinaryExpr:
			if f.Info.Types[n.X].IsNil() || f.Info.Types[n.Y].IsNil() {
				split(n.X, shape)
				split(n.Y, shape)
				return false
			}
		case *ast.SelectorExpr: // in a list: which element
			if x, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && isSlice(typeOf(f, x.X)) {
				split(x.X, which)
				split(x.Index, all)
			}
		case *ast.CallExpr:
			s.parts(n, at, f, split)
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	return list
}

func isSlice(t types.Type) bool {
	_, is := t.(*types.Slice)
	return is
}

// inOrder adds the order of the loop around an operation as an origin.
func (s *origins) inOrder(w *Op) {
	for _, d := range s.x.Around(w) {
		for _, o := range s.x.In(d.Stmt, Draw, Release) {
			if o.Node == ast.Node(d.Stmt) {
				s.add(o)
			}
		}
	}
	for _, n := range s.x.path(w.file, w.Node.Pos()) {
		if lit, ok := n.(*ast.FuncLit); ok {
			if o := s.keys(w.file, lit); o != nil {
				s.add(o)
			}
		}
	}
}

// iterated follows the variable of a range statement.
func (s *origins) iterated(r *ast.RangeStmt, obj types.Object, at origin) {
	f := s.x.fileOf(r)
	for _, o := range s.x.In(r, Draw, Release) {
		if o.Node == ast.Node(r) && (o.Origin == received || at.order != alone) {
			s.add(o)
		}
	}
	if at.order != gathered {
		at.order = alone
	}
	if key, ok := r.Key.(*ast.Ident); ok && (&walker{x: s.x, f: f}).variable(key) == obj {
		if _, ch := typeOf(f, r.X).(*types.Chan); !ch {
			at.need = shape
		}
	}
	at.result = 0
	s.todo(at, r.X)
}

// orderOf says whether the order of iterations shows in what a statement sets.
func (s *origins) orderOf(w *Op, obj types.Object, o order) order {
	if s.commutes(w) || s.sorted(obj) {
		return alone
	}
	if loop := s.loopAround(w); w.Kind == Write &&
		(Global(obj) || isField(obj) || loop != nil && !(loop.Pos() <= obj.Pos() && obj.Pos() < loop.End())) {
		return gathered
	}
	return o
}

// loopAround returns the innermost loop of its function whose body contains an operation, or nil
// if there is none.
func (s *origins) loopAround(o *Op) ast.Node {
	path := s.x.path(o.file, o.Node.Pos())
	for i, n := range path {
		switch n := n.(type) {
		case *ast.RangeStmt:
			if i > 0 && path[i-1] == ast.Node(n.Body) {
				return n
			}
		case *ast.ForStmt:
			if i > 0 && path[i-1] == ast.Node(n.Body) {
				return n
			}
		case *ast.FuncLit:
			if s.keys(o.file, n) != nil {
				return n
			}
		}
	}
	return nil
}

// keys returns the operation that calls a function literal with each key of a map, or nil if
// there is none.
func (s *origins) keys(f *File, lit *ast.FuncLit) *Op {
	path := s.x.path(f, lit.Pos())
	i := slices.Index(path, ast.Node(lit))
	if i < 0 || i+1 == len(path) {
		return nil
	}
	for _, o := range s.x.In(path[i+1], Draw) {
		if o.Node == path[i+1] && o.Origin == mapOrder {
			return o
		}
	}
	return nil
}

// commutes reports whether a statement has the same effect in any order of its repetitions: it
// counts or adds up integers, or each key, or index, gets its own value.
func (s *origins) commutes(w *Op) bool {
	switch n := w.Node.(type) {
	case *ast.IncDecStmt:
		return isInteger(typeOf(w.file, n.X))
	case *ast.AssignStmt:
		switch w.How {
		case "+=", "|=":
			return isInteger(typeOf(w.file, n.Lhs[0]))
		case "=":
			x, ok := s.x.target(w).(*ast.IndexExpr)
			if !ok {
				return false
			}
			r, ranges := s.loopAround(w).(*ast.RangeStmt)
			_, isMap := typeOf(w.file, x.X).(*types.Map)
			return isMap || ranges && r.Key != nil && s.x.Text(r.Key) == s.x.Text(x.Index)
		}
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// sorted reports whether a variable is sorted, in blocks that ran, in an order in which no two different elements are
// equal: then the original order does not matter. What another test sorts is another instance of a field.
func (s *origins) sorted(obj types.Object) bool {
	return slices.ContainsFunc(s.x.objects[s.x.canon(obj)], func(o *Op) bool { return o.sorts() && s.in(o) })
}

// sorts reports whether an operation sorts a whole list, so that no two different elements are
// equal.
func (o *Op) sorts() bool {
	return slices.Contains([]string{"slices.Sort", "sort.Strings", "sort.Ints", "sort.Float64s"}, o.How)
}
