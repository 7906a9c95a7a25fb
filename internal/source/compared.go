package source

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

var (
	comparesWord = regexp.MustCompile(`(?i)equal|exactly|diff|(?-i:(?:^|[a-z])Eq(?:[A-Z]|$))`)
	ordersWord   = regexp.MustCompile(`(?i)sort|elements|unordered|(any|ignore)order|not(deep)?eq`)
)

// Compared returns what compares values in the check that failed in a line: its own call, the
// head of the if around it, or the call that returned what is checked there. It returns nil if
// none is seen to compare lists in their order. Names decide whether a function does so: Equal,
// DeepEqual, Diff, SliceEq do, and ElementsMatch does not.
func (x *Index) Compared(path string, line int) ast.Node {
	call := x.CallAt(path, line)
	if call == nil {
		return nil
	}
	n, ok := call.Node.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if !x.reports(n) {
		if x.comparesInOrder(n) {
			return n
		}
		return nil
	}
	for _, d := range x.Around(call) {
		for _, e := range d.Looks {
			if by := x.comparing(e); by != nil {
				return by
			}
		}
		if len(d.Looks) > 0 {
			return nil
		}
	}
	return nil
}

// reports reports whether a call is of a method of *testing.T or the like, which prints what was
// found before.
func (x *Index) reports(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t := x.fileOf(n).Info.TypeOf(sel.X)
	return t != nil && IsTesting(t)
}

// comparing returns the call in a condition, or one that returned a variable in it, that compares
// in order; nil if there is none.
func (x *Index) comparing(e ast.Expr) ast.Node {
	for _, o := range x.In(e, Call, Read) {
		if n, ok := o.Node.(*ast.CallExpr); ok && x.comparesInOrder(n) {
			return n
		}
		if o.Kind != Read || len(o.Path) != 1 {
			continue
		}
		for _, w := range x.Of(o.Obj(), Init, Write) {
			if len(w.From) != 1 || w.Node.Pos() > e.Pos() || x.FuncAround(w.Node) != x.FuncAround(e) {
				continue
			}
			if n, ok := ast.Unparen(w.From[0]).(*ast.CallExpr); ok && x.comparesInOrder(n) {
				return n
			}
		}
	}
	return nil
}

// comparesInOrder reports whether a call compares, judging by the names in it and by the user's
// functions that it calls, and nothing in it sorts or ignores the order.
func (x *Index) comparesInOrder(n *ast.CallExpr) bool {
	compares := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		compares = compares || ok && comparesWord.MatchString(id.Name) && x.isFunc(id)
		return true
	})
	return compares && !x.disregardsOrder(n)
}

// isFunc reports whether a name is that of a function, or of a value that compares like
// qt.DeepEquals.
func (x *Index) isFunc(id *ast.Ident) bool {
	f := x.fileOf(id)
	if f == nil {
		return false
	}
	switch obj := f.Info.Uses[id].(type) {
	case *types.Func, nil:
		return true
	case *types.Var:
		return Global(obj) && obj.Pkg() != nil && x.fileAt(obj.Pos()) == nil
	}
	return false
}

// disregardsOrder reports whether something in a node sorts, or compares without order, judging by the names of
// functions that it calls or passes on, and by the user's functions that it calls.
func (x *Index) disregardsOrder(n ast.Node) bool {
	sorts := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		sorts = sorts || ok && ordersWord.MatchString(id.Name) && x.isFunc(id)
		return !sorts
	})
	return sorts || slices.ContainsFunc(x.In(n, Call), x.sortsInside)
}

// sortsInside reports whether the user's function that an operation calls sorts.
func (x *Index) sortsInside(call *Op) bool {
	return slices.ContainsFunc(x.Inside(call, 2, Write), func(o *Op) bool {
		return sorts(o.How) && o.How != "slices.Reverse"
	})
}

// An Entry says how an expression comes into its function.
type Entry struct {
	Line   int  // of the first statement that makes it there, no earlier than asked for; or its own, if that is earlier
	Sorted bool // something on the way, or in between, sorts it, or may
	Given  bool // it is a parameter: the function does not decide it
}

// Entry follows an expression back within its function, through assignments and the loops that
// gather it, to the first call or range over a map, but not beyond the line from.
func (x *Index) Entry(e ast.Expr, from int) Entry {
	s := &entry{x: x, fn: x.FuncAround(e), at: e, Entry: Entry{Line: x.Line(e), Sorted: x.disregardsOrder(e)},
		seen: make(map[types.Object]bool)}
	objs := s.roots(e)
	if _, call := ast.Unparen(e).(*ast.CallExpr); call || s.fn == nil {
		objs = nil
	}
	s.Given = len(objs) == 1 && x.isParam(objs[0]) && isVariable(e)
	for len(objs) > 0 {
		line, next, all := s.made(objs, from)
		if line == 0 {
			break
		}
		if s.Line, objs = min(s.Line, line), next; !all {
			break
		}
	}
	return s.Entry
}

type entry struct {
	Entry
	x    *Index
	fn   ast.Node
	at   ast.Expr
	seen map[types.Object]bool
}

// roots returns the local variable that an expression starts from, unless it was followed
// already.
func (s *entry) roots(e ast.Expr) []types.Object {
	path, _, _ := (&walker{x: s.x, f: s.x.fileOf(e)}).path(e)
	if len(path) == 0 || s.seen[path[0]] || Global(path[0]) || isField(path[0]) {
		return nil
	}
	s.seen[path[0]] = true
	return path[:1]
}

// made returns the first line, at or after from, that makes some variables, the variables that
// this uses, and whether nothing else makes them.
func (s *entry) made(objs []types.Object, from int) (line int, next []types.Object, all bool) {
	all = true
	for _, obj := range objs {
		s.Sorted = s.Sorted || s.sorted(obj)
		for _, w := range s.writes(obj) {
			n := s.statement(w, obj)
			s.Sorted = s.Sorted || s.x.disregardsOrder(n)
			at := s.x.Line(n)
			if at < from {
				all = false
				continue
			}
			if line == 0 || at < line {
				line = at
			}
			next = append(next, s.from(w, n)...)
		}
	}
	return line, next, all
}

// writes returns the operations that fill a variable before the expression. A declaration that
// leaves it empty counts only if there is nothing else.
func (s *entry) writes(obj types.Object) (list []*Op) {
	var empty []*Op
	for _, w := range s.x.In(s.fn, Init, Write) {
		switch {
		case len(w.Path) == 0 || w.Path[0] != obj || w.Node.Pos() >= s.at.Pos() || s.x.FuncAround(w.Node) != s.fn:
		case w.Kind == Init && !gives(w):
			empty = append(empty, w)
		default:
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return empty
	}
	return list
}

// gives reports whether a variable can hold something after a write.
func gives(w *Op) bool {
	if _, ranged := w.Node.(*ast.RangeStmt); ranged || len(w.From) != 1 {
		return ranged || len(w.From) > 1
	}
	lit, ok := ast.Unparen(w.From[0]).(*ast.CompositeLit)
	id, name := ast.Unparen(w.From[0]).(*ast.Ident)
	return !isMake(w.From[0]) && !(ok && len(lit.Elts) == 0) && !(name && id.Name == "nil")
}

// statement returns the outermost loop around a write that the variable outlives, or else the
// write itself.
func (s *entry) statement(w *Op, obj types.Object) ast.Node {
	n := w.Node
	for _, p := range s.x.path(w.file, w.Node.Pos()) {
		switch p.(type) {
		case *ast.RangeStmt, *ast.ForStmt:
			if !(p.Pos() <= obj.Pos() && obj.Pos() < p.End()) && p.End() <= s.at.Pos() {
				n = p
			}
		}
	}
	return n
}

// from returns the variables that a statement makes another one from: the operand of a range over
// anything but a map, or what is copied.
func (s *entry) from(w *Op, n ast.Node) []types.Object {
	if r, ok := n.(*ast.RangeStmt); ok {
		if _, isMap := typeOf(w.file, r.X).(*types.Map); isMap {
			return nil
		}
		if _, call := ast.Unparen(r.X).(*ast.CallExpr); call {
			return nil
		}
		return s.roots(r.X)
	}
	if len(w.From) != 1 {
		return nil
	}
	if _, call := ast.Unparen(w.From[0]).(*ast.CallExpr); call {
		return nil
	}
	if !isSlice(typeOf(w.file, w.From[0])) {
		return nil
	}
	return s.roots(w.From[0])
}

// sorted reports whether the function may sort a variable before the expression: it passes it to
// something that sorts, or calls a sorting method of it or a user's function that sorts.
func (s *entry) sorted(obj types.Object) bool {
	for _, o := range s.x.In(s.fn, Call) {
		if o.Node.Pos() >= s.at.Pos() || !strings.Contains(strings.ToLower(o.How), "sort") && !s.x.sortsInside(o) {
			continue
		}
		if slices.ContainsFunc(s.x.In(o.Node, Read), func(r *Op) bool { return len(r.Path) > 0 && r.Path[0] == obj }) {
			return true
		}
	}
	return false
}

// isParam reports whether a variable is a parameter of a function, or of a literal.
func (x *Index) isParam(obj types.Object) bool {
	if _, is := x.params[obj]; is {
		return true
	}
	f := x.fileAt(obj.Pos())
	if f == nil {
		return false
	}
	for _, n := range x.path(f, obj.Pos()) {
		if lit, ok := n.(*ast.FuncLit); ok && obj.Pos() < lit.Body.Lbrace {
			return true
		}
	}
	return false
}

var (
	promiseWord = regexp.MustCompile(
		`(?i)\b(sort(s|ed)?|ordered|in order|alphabetical(ly)?|lexicographical(ly)?|ascending|descending|deterministic(ally)?)\b`)
	denialWord = regexp.MustCompile(
		`(?i)\b(no|not|any|random|arbitrary|undefined|unspecified|without|don't|doesn't|isn't|aren't)\b`)
	orderedName = regexp.MustCompile(`(Sort|Ordered)|^(sort|ordered)`)
)

// PromisesOrder reports whether the function around a line says, by its name or in its
// documentation, that its result is ordered.
func (x *Index) PromisesOrder(path string, line int) bool {
	f, _, target := x.around(path, line)
	if f == nil {
		return false
	}
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || target < fn.Pos() || fn.End() <= target {
			continue
		}
		doc := strings.ReplaceAll(strings.Join(strings.Fields(fn.Doc.Text()), " "), "in order to", "")
		return orderedName.MatchString(fn.Name.Name) || promiseWord.MatchString(doc) && !denialWord.MatchString(doc)
	}
	return false
}
