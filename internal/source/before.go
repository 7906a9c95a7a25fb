package source

import (
	"go/ast"
	"go/token"
	"slices"
)

// Before returns the operations that the function around a line comes past on its way there: on
// every way if sure, else on some way. It leaves out what the function defers or calls.
func (x *Index) Before(path string, line int, sure bool, kinds ...Kind) (list []*Op) {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return nil
	}
	around := x.path(f, target)
	for _, o := range x.In(fn, kinds...) {
		if o.Node.Pos() >= target || o.Deferred || x.FuncAround(o.Node) != fn {
			continue
		}
		if w, _ := x.onTheWay(f, o.Node, around); w == always || w == maybe && !sure {
			list = append(list, o)
		}
	}
	return list
}

// After returns the operations that the function around a line may come past from there on: all
// except those that only come before, and those that it defers. If sure, it leaves out operations
// that depend on a condition of their own.
func (x *Index) After(path string, line int, sure bool, kinds ...Kind) (list []*Op) {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return nil
	}
	around := x.path(f, target)
	for _, o := range x.In(fn, kinds...) {
		own := x.FuncAround(o.Node) == fn
		comes := o.Deferred && (own || x.deferredBy(o, fn)) ||
			own && (o.Node.Pos() >= target || loopsAround(o.Node, around))
		if comes && !(sure && x.conditional(f, o.Node, around)) {
			list = append(list, o)
		}
	}
	return list
}

// conditional reports whether there is a condition around n that is not in around, up to the
// first node that is.
func (x *Index) conditional(f *File, n ast.Node, around []ast.Node) bool {
	for _, p := range x.path(f, n.Pos()) {
		if slices.Contains(around, p) {
			return false
		}
		switch p.(type) {
		case *ast.IfStmt, *ast.CaseClause:
			return true
		}
	}
	return false
}

// Inside returns the operations of the user's function that an operation calls, and of the
// functions that it calls in turn, deep levels down.
func (x *Index) Inside(call *Op, deep int, kinds ...Kind) (list []*Op) {
	d := x.funcOf(call.Obj())
	if d == nil || deep == 0 {
		return nil
	}
	list = x.In(d, kinds...)
	for _, o := range x.In(d, Call) {
		list = append(list, x.Inside(o, deep-1, kinds...)...)
	}
	return list
}

// FuncAt returns the function that contains a line of a file, a declaration or a literal; nil if
// there is none.
func (x *Index) FuncAt(path string, line int) ast.Node {
	_, fn, _ := x.around(path, line)
	return fn
}

// DeclAt returns the function whose declaration begins at a line of a file, or nil.
func (x *Index) DeclAt(path string, line int) *ast.FuncDecl {
	f := x.files[path]
	if f == nil {
		return nil
	}
	for _, d := range f.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && x.Line(fn) == line {
			return fn
		}
	}
	return nil
}

func (x *Index) around(path string, line int) (f *File, fn ast.Node, target token.Pos) {
	if f = x.files[path]; f == nil {
		return nil, nil, 0
	}
	if target = x.startOf(f, line); !target.IsValid() {
		return f, nil, 0
	}
	nodes := x.path(f, target)
	if fn = nodes[len(nodes)-1]; BodyOf(fn) == nil {
		return f, nil, 0
	}
	return f, fn, target
}

// deferredBy reports whether an operation is in a literal directly inside a function.
func (x *Index) deferredBy(o *Op, fn ast.Node) bool {
	lit := x.FuncAround(o.Node)
	return lit != nil && lit != fn && x.FuncAround(lit) == fn
}

// Over reports whether an operation of a function has ended for good when another one of that
// function begins: it comes before it in the source, and no loop contains both.
func (x *Index) Over(o, next *Op) bool {
	fn := x.FuncAround(o.Node)
	f := x.fileAt(next.Node.Pos())
	return f != nil && fn != nil && fn == x.FuncAround(next.Node) && !o.Deferred && o.Node.End() <= next.Node.Pos() &&
		!loopsAround(o.Node, x.path(f, next.Node.Pos()))
}

// loopsAround reports whether there is a loop around n, up to the first node in around. Then n
// may come later in another iteration.
func loopsAround(n ast.Node, around []ast.Node) bool {
	for _, p := range around {
		switch p.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if p.Pos() <= n.Pos() && n.End() <= p.End() {
				return true
			}
		}
	}
	return false
}

// LineAfter returns the first line of the statement after the one that contains line. It uses the
// innermost list of statements that also contains line look, further down. It returns 0 if no
// statement follows before that.
func (x *Index) LineAfter(path string, line, look int) int {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return 0
	}
	for _, p := range x.path(f, target) {
		list := stmts(p)
		i := slices.IndexFunc(list, func(s ast.Stmt) bool { return s.Pos() <= target && target < s.End() })
		if i < 0 || x.lineOf(p.End()) < look || x.lineOf(list[i].End()) >= look {
			continue
		}
		if i+1 < len(list) && x.Line(list[i+1]) <= look {
			return x.Line(list[i+1])
		}
		return 0
	}
	return 0
}

func (x *Index) lineOf(p token.Pos) int { return x.Fset.PositionFor(p, false).Line }
