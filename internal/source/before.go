package source

import (
	"go/ast"
	"go/token"
)

// Before returns the operations that the function around a line comes past on some way there. It leaves out what the
// function defers or calls.
func (x *Index) Before(path string, line int, kinds ...Kind) (list []*Op) {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return nil
	}
	around := x.path(f, target)
	for _, o := range x.In(fn, kinds...) {
		if o.Node.Pos() >= target || o.Deferred || x.FuncAround(o.Node) != fn {
			continue
		}
		if x.onTheWay(f, o.Node, around) {
			list = append(list, o)
		}
	}
	return list
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
