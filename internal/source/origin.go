package source

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

const (
	maxOrigins     = 16   // of one expression
	maxOriginSteps = 24   // how many assignments and calls are followed back
	maxOriginExprs = 4000 // how many expressions are looked at
	maxOriginCalls = 8    // calls of one function whose arguments are followed
)

// Origins returns where chance enters what an expression is computed from, the nearest first:
// operations that draw, or receive, in blocks that ran. It goes back as [Index.Flow] does, but
// not to conditions, because a guarded value is not computed from them. For a struct it follows
// the field that is read, for a call its own arguments, and for a map the order only if the
// result still shows it: not in a sorted list, a sum, another map, or a single element. It uses
// the text; nil for ran means that all blocks ran.
func (x *Index) Origins(e ast.Expr, ran func(block int) bool) []*Op {
	s := &origins{x: x, ran: ran, seen: make(map[origin]bool)}
	s.todo(origin{need: s.needOf(e)}, e)
	for range maxOriginSteps {
		now := s.queue
		s.queue = nil
		for _, n := range now {
			s.expr(n)
		}
	}
	return s.found
}

// Expr returns the expression with the given text that begins in a line of a file, or nil if
// there is none. A name of a variable or a field alone does not count.
func (x *Index) Expr(path string, line int, text string) (found ast.Expr) {
	f := x.files[path]
	if f == nil || !f.Typed {
		return nil
	}
	text = strings.Join(strings.Fields(text), " ")
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n == nil || found != nil || x.Line(n) > line || x.Fset.PositionFor(n.End(), false).Line < line {
			return false
		}
		if e, ok := n.(ast.Expr); ok && x.Line(n) == line && f.Info.Types[e].IsValue() && x.Text(n) == text {
			found = e
		}
		return true
	})
	return found
}

// A need says what matters about a value.
type need uint8

const (
	all   need = iota
	part       // some part of it, unknown which
	which      // which object it is, or the order of its elements; not what they hold
	shape      // whether it is nil, how many elements it has, and with which keys
	nothing
)

// needOf says what matters about an expression in its place. A map shows no more. What a user's
// method makes of its receiver is followed separately.
func (s *origins) needOf(e ast.Expr) need {
	f := s.x.fileOf(e)
	if f == nil {
		return all
	}
	if _, is := typeOf(f, e).(*types.Map); is {
		return shape
	}
	path, _ := astutil.PathEnclosingInterval(f.Tree, e.Pos(), e.End())
	for i, n := range path {
		switch n := n.(type) {
		case *ast.CallExpr:
			if i > 0 && counts(f, n, e) {
				return shape
			}
		case *ast.BinaryExpr:
			if i > 0 && (f.Info.Types[n.X].IsNil() || f.Info.Types[n.Y].IsNil()) {
				return shape
			}
		case *ast.RangeStmt:
			if n.X == e {
				return shape
			}
		case *ast.SelectorExpr:
			if n.X != e || i+1 == len(path) {
				continue
			}
			if call, ok := path[i+1].(*ast.CallExpr); ok && call.Fun == ast.Expr(n) &&
				s.follows(&walker{x: s.x, f: f}, call) {
				return shape
			}
		}
		if i > 1 {
			break
		}
	}
	return all
}

// countsWord is the name of a check that does not look at the elements of its argument.
var countsWord = regexp.MustCompile(`^(Not)?(Len|Empty|Nil)f?$`)

// counts reports whether a call checks only how many elements an argument has, or whether it is
// nil. For a string, which has no elements, the text counts.
func counts(f *File, call *ast.CallExpr, arg ast.Expr) bool {
	if _, basic := typeOf(f, arg).(*types.Basic); basic || !slices.Contains(call.Args, arg) {
		return false
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return ok && countsWord.MatchString(sel.Sel.Name)
}

// An origins is a search, breadth first.
type origins struct {
	x     *Index
	ran   func(block int) bool
	queue []origin // of the next step
	seen  map[origin]bool
	found []*Op
}

// An origin is an expression to go back from, and how the search came to it.
type origin struct {
	expr ast.Expr
	need
	order  order
	result int // which of the values of a call, from 1; 0 for all
	via    *Op // the call by which its function was entered, or nil
}

func (s *origins) todo(from origin, exprs ...ast.Expr) {
	for _, e := range exprs {
		from.expr = e
		if e != nil && !s.seen[from] && len(s.seen) < maxOriginExprs {
			s.seen[from] = true
			s.queue = append(s.queue, from)
		}
	}
}

func (s *origins) add(o *Op) {
	if o.Origin != "" && len(s.found) < maxOrigins && !slices.Contains(s.found, o) && s.in(o) {
		s.found = append(s.found, o)
	}
}

// in reports whether an operation ran, or is in no block.
func (s *origins) in(o *Op) bool { return s.ran == nil || o.Block == 0 || s.ran(o.Block) }

// expr adds the operations of an expression.
func (s *origins) expr(at origin) {
	less := s.less(at)
	for _, o := range s.x.In(at.expr, Read, Call, Draw, Release) {
		if inside(less, o.Node) {
			continue
		}
		switch {
		case o.Origin == received:
			s.received(o, at)
		case o.Kind == Draw && (o.Origin != mapOrder || at.order != alone):
			s.add(o)
		case o.Kind == Read && s.ofMethod(o, at.expr):
			from := at
			from.need = max(part, from.need)
			s.read(o, from)
		case o.Kind == Read:
			s.read(o, at)
		case o.Kind == Call:
			s.returned(o, at)
		}
	}
}

// ofMethod reports whether what is read is the receiver of a method call in an expression. For a
// method of another module it is unknown which part it reads.
func (s *origins) ofMethod(o *Op, in ast.Expr) bool {
	return slices.ContainsFunc(s.x.In(in, Call), func(call *Op) bool {
		n, ok := call.Node.(*ast.CallExpr)
		return ok && n.Fun == o.Node && len(call.Path) > 1
	})
}

// parts divides a call: its arguments may matter less than as a whole, or more than the result.
// What function literals return counts if they are passed to other modules.
func (s *origins) parts(n *ast.CallExpr, at origin, f *File, split func(e ast.Expr, n need)) {
	w := &walker{x: s.x, f: f}
	switch b := w.builtin(n); {
	case b == "len" || b == "cap":
		split(n.Args[0], shape)
	case b == "append":
		for i, a := range n.Args {
			if i > 0 && at.need > part && !n.Ellipsis.IsValid() {
				split(a, nothing)
			}
		}
	case b != "" || f.Info.Types[n.Fun].IsType():
	case s.follows(w, n): // through its parameters, and the receiver
		split(n.Fun, nothing)
		for _, a := range n.Args {
			split(a, nothing)
		}
	default:
		for _, a := range n.Args {
			if lit, ok := a.(*ast.FuncLit); ok {
				for _, o := range s.x.In(lit.Body, Return) {
					s.todo(origin{order: at.order}, o.From...)
				}
			} else if at.need != all {
				split(a, all)
			}
		}
	}
}

// follows reports whether a call is of a user's function that the search enters.
func (s *origins) follows(w *walker, n *ast.CallExpr) bool {
	path, _, _ := w.path(n.Fun)
	return len(path) > 0 && slices.ContainsFunc(s.x.standsFor(path[len(path)-1]), func(fn types.Object) bool {
		return s.x.decls[fn] != nil
	})
}

// received follows a receive to what is sent.
func (s *origins) received(o *Op, at origin) {
	s.add(o)
	if o.Obj() == nil {
		return
	}
	for _, ch := range s.x.standsFor(o.Obj()) {
		for _, sent := range s.x.Of(ch, Release) {
			if sent.How == "chan send" && !s.x.Apart(o, sent) && s.in(sent) {
				s.todo(origin{need: at.need, order: at.order}, sent.From...)
			}
		}
	}
}

// read follows what is read to what sets it. If nothing in the user's code sets a field, the
// struct that has it is followed.
func (s *origins) read(o *Op, at origin) {
	at.result = 0
	last := len(o.Path) - 1
	for i := last; i >= 0; i-- {
		obj, any := o.Path[i], false
		for _, w := range s.x.Of(obj, Init, Write) {
			if i == last && s.x.Apart(o, w) || !s.in(w) {
				continue
			}
			any = true
			s.set(w, obj, at, i == last && o.Elem)
		}
		any = s.passed(obj, at) || any
		if any && i > 0 && i == last { // whose field it is
			from := at
			from.need = which
			s.object(o, o.Path[i-1], from)
		}
		if v, ok := obj.(*types.Var); any || !ok || !v.IsField() {
			return
		}
		at.need = all
	}
}

// object follows what leads to a field.
func (s *origins) object(o *Op, obj types.Object, at origin) {
	for _, w := range s.x.Of(obj, Init, Write) {
		if !w.Elem && w.Obj() == obj && s.in(w) {
			s.set(w, obj, at, false)
		}
	}
	s.passed(obj, at)
}

// set follows what sets an object. If elem, an element of it is what counts.
func (s *origins) set(w *Op, obj types.Object, at origin, elem bool) {
	if r, ok := w.Node.(*ast.RangeStmt); ok && w.How == "range" {
		s.iterated(r, obj, at)
		return
	}
	if at.need != all && w.Obj() != obj && slices.Contains(w.Path, obj) {
		return // a field of it
	}
	from := at
	from.order = s.orderOf(w, obj, at.order)
	result, key := s.given(w, obj)
	switch {
	case key != nil:
		from.need = shape
		s.todo(from, key.X)
		from.need = all
		s.todo(from, key.Index)
	case !w.Elem:
		from.result = result
		s.todo(from, w.From...)
		if w.How == "append" && at.need == which && from.order == gathered {
			s.inOrder(w)
		}
	case at.need == which && !elem:
		return
	case at.need <= part || elem || w.How == "delete":
		s.todo(from, w.From...)
	}
	if target, ok := s.x.target(w).(*ast.IndexExpr); ok {
		s.todo(origin{order: from.order, via: at.via}, target.Index)
	}
}

func isField(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && v.IsField()
}

// typeOf returns the underlying type of an expression, or nil if unknown.
func typeOf(f *File, e ast.Expr) types.Type {
	if t := f.Info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// given says what an object gets from From: which of the values of a call, from 1, or for m[k]
// only whether there is such a key.
func (s *origins) given(w *Op, obj types.Object) (result int, ok *ast.IndexExpr) {
	var names []ast.Expr
	switch n := w.Node.(type) {
	case *ast.AssignStmt:
		names = n.Lhs
	case *ast.ValueSpec:
		for _, id := range n.Names {
			names = append(names, id)
		}
	}
	if len(names) < 2 || len(w.From) != 1 {
		return 0, nil
	}
	for i, e := range names {
		if path, _, _ := (&walker{x: s.x, f: w.file}).path(e); len(path) > 0 && path[len(path)-1] == obj {
			result = i + 1
		}
	}
	if _, call := ast.Unparen(w.From[0]).(*ast.CallExpr); call && result > 0 {
		return result, nil
	}
	if x, index := ast.Unparen(w.From[0]).(*ast.IndexExpr); index && result == 2 {
		return 0, x
	}
	return 0, nil
}

// returned follows what a function returns, or what may be called for it.
func (s *origins) returned(call *Op, at origin) {
	if call.Obj() == nil {
		return
	}
	for _, fn := range s.x.standsFor(call.Obj()) {
		d := s.x.funcOf(fn)
		if d == nil {
			continue
		}
		lits := literals(d.Body)
		for _, o := range s.x.In(d.Body, Return) {
			if inside(lits, o.Node) || !s.in(o) {
				continue
			}
			from := origin{need: at.need, order: at.order, via: call}
			if s.loopAround(o) != nil {
				from.order = gathered
			}
			switch {
			case len(o.From) == 1:
				from.result = at.result
				s.todo(from, o.From...)
			case at.result > 0 && at.result <= len(o.From):
				s.todo(from, o.From[at.result-1])
			default:
				s.todo(from, o.From...)
			}
		}
	}
}

// passed follows a parameter, or a receiver, to what is passed for it where its function was
// entered, or by all callers, and reports whether obj is one. For a function that iterates over a
// map it is a key of it.
func (s *origins) passed(obj types.Object, at origin) bool {
	p, ok := s.x.params[obj]
	if !ok {
		return s.called(obj, at)
	}
	calls := s.x.Of(p.fn, Call, Go, Defer)
	if slices.Contains(calls, at.via) {
		calls = []*Op{at.via}
	}
	from, n := origin{need: at.need, order: at.order}, 0
	for _, o := range calls {
		call, ok := o.Node.(*ast.CallExpr)
		if !s.in(o) || n == maxOriginCalls {
			continue
		}
		n++
		switch {
		case ok && p.i < 0:
			s.todo(from, receiver(call))
		case p.i >= 0 && p.i < len(o.From):
			s.todo(from, o.From[p.i])
		}
	}
	return true
}

// called is passed for a parameter of a function literal.
func (s *origins) called(obj types.Object, at origin) bool {
	f := s.x.fileAt(obj.Pos())
	if f == nil {
		return false
	}
	for _, n := range s.x.path(f, obj.Pos()) {
		if lit, ok := n.(*ast.FuncLit); ok && obj.Pos() < lit.Body.Lbrace {
			if o := s.keys(f, lit); o != nil && at.order == gathered {
				s.add(o)
			}
			return true
		}
	}
	return false
}
