package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A Locks says which locks a line runs under, according to the text of its function.
type Locks struct {
	Held []*Op // the operations that took them, in the order of the text
	// Unsure are locks that may be held: they are taken, or released, on only some ways to the
	// line.
	Unsure []types.Object

	within []ast.Node // for each of Unsure, the list of statements that takes it; nil if that is another one
}

// Locked returns the locks that the function around a line of a file has taken on the way to it
// and not released. Callers may hold others. ok is false if nothing is known about the line.
func (x *Index) Locked(path string, line int) (l Locks, ok bool) {
	f := x.files[path]
	if f == nil {
		return l, false
	}
	target := x.startOf(f, line)
	if !target.IsValid() {
		return l, false
	}
	around := x.path(f, target)
	fn := around[len(around)-1]
	if BodyOf(fn) == nil {
		return l, false
	}
	for _, o := range x.In(fn, Wait, Release, Call) {
		switch {
		case o.Node.Pos() >= target || o.Deferred || o.Obj() == nil || x.FuncAround(o.Node) != fn:
		case o.Kind != Call && (o.Locks() || o.Unlocks()):
			w, in := x.onTheWay(f, o.Node, around)
			l.step(o, w, in)
		case o.Kind == Call:
			for _, obj := range x.leftLocked(o) {
				l.unsure(obj, nil)
			}
		}
	}
	return l, true
}

// startOf returns the position of the first operation of a line or, without any, of its text: the
// brace at the end of a function, from where deferred functions are called.
func (x *Index) startOf(f *File, line int) token.Pos {
	i := slices.IndexFunc(f.ops, func(o *Op) bool { return x.Line(o.Node) == line && o.Kind != Defer })
	if i >= 0 {
		return f.ops[i].Node.Pos()
	}
	tf := x.Fset.File(f.Tree.FileStart)
	if line < 1 || line > tf.LineCount() {
		return token.NoPos
	}
	from := tf.LineStart(line)
	for at := tf.Offset(from); at < len(f.Src) && (f.Src[at] == ' ' || f.Src[at] == '\t'); at++ {
		from++
	}
	return from
}

// leftLocked returns the locks that a user's function takes, or releases, for its caller.
func (x *Index) leftLocked(call *Op) (list []types.Object) {
	d := x.funcOf(call.Obj())
	if d == nil {
		return nil
	}
	var taken, released []types.Object
	for _, o := range x.In(d, Wait, Release) {
		if o.Locks() {
			taken = append(taken, o.Obj())
		} else if o.Unlocks() {
			released = append(released, o.Obj())
		}
	}
	for _, obj := range append(taken, released...) {
		if slices.Contains(taken, obj) != slices.Contains(released, obj) {
			list = append(list, obj)
		}
	}
	return list
}

// step notes that a lock is taken or released before the line: always, or on some ways to it.
func (l *Locks) step(o *Op, w passing, in ast.Node) {
	obj := o.Obj()
	switch {
	case w == never:
	case w == maybe && o.Locks():
		l.unsure(obj, in)
	case w == maybe:
		if i := slices.Index(l.Unsure, obj); i >= 0 && l.within[i] == in {
			l.Unsure, l.within = slices.Delete(l.Unsure, i, i+1), slices.Delete(l.within, i, i+1)
			return // taken and released there
		}
		l.release(obj)
		l.unsure(obj, nil)
	case o.Locks():
		l.Held = append(l.Held, o)
	default:
		l.release(obj)
	}
}

func (l *Locks) unsure(obj types.Object, in ast.Node) {
	l.Unsure, l.within = append(l.Unsure, obj), append(l.within, in)
}

func (l *Locks) release(obj types.Object) {
	l.Held = slices.DeleteFunc(l.Held, func(h *Op) bool { return h.Obj() == obj })
}

// passing says whether control comes past an operation on its way to a later line.
type passing int

const (
	always passing = iota
	maybe
	never // it leaves the function, or the loop, from there
)

// onTheWay decides that for a node by the statements around the line, the innermost first. It
// also returns the one whose list of statements contains the node.
func (x *Index) onTheWay(f *File, n ast.Node, around []ast.Node) (passing, ast.Node) {
	for _, p := range x.path(f, n.Pos()) {
		list := stmts(p)
		switch {
		case list == nil:
		case slices.Contains(around, p):
			return always, p
		case goesAway(list):
			return never, p
		default:
			return maybe, p
		}
	}
	return maybe, nil
}

// stmts returns the statements of a block or a case, or nil for other nodes.
func stmts(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// goesAway reports whether control never reaches the end of a list of statements.
func goesAway(list []ast.Stmt) bool {
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// IsError reports whether a variable is an error. Errors are compared with, not changed.
func IsError(obj types.Object) bool {
	return obj.Type() != nil && types.Identical(obj.Type(), types.Universe.Lookup("error").Type())
}
