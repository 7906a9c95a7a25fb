package source

import (
	"go/ast"
	"go/constant"
	"slices"
)

// This file is about groups of goroutines that a sync.WaitGroup waits for: what adds to one, and
// for which goroutine.

// Started returns the user's function, a declaration or a literal, that a go statement in a line
// of a file runs; nil if there is none, or if there are several.
func (x *Index) Started(path string, line int) (start *Op, fn ast.Node) {
	starts := x.Lines(path, line, line, Go)
	if len(starts) != 1 {
		return nil, nil
	}
	return starts[0], x.runs(starts[0])
}

// runs returns the user's function that a go statement runs.
func (x *Index) runs(start *Op) ast.Node {
	if d := x.funcOf(start.Obj()); d != nil {
		return d
	}
	if call, ok := start.Node.(*ast.CallExpr); ok {
		if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}

// Adds returns the calls of Add, for the group of a wait, whose argument is not negative.
func (x *Index) Adds(wait *Op) (list []*Op) {
	if wait.How != "sync.WaitGroup.Wait" || wait.Obj() == nil {
		return nil
	}
	for _, obj := range x.standsFor(wait.Obj()) {
		for _, o := range x.Of(obj, Write) {
			if o.How == "sync.WaitGroup.Add" && !x.Apart(wait, o) && !x.negative(o.From) && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	slices.SortStableFunc(list, byPos)
	return list
}

func (x *Index) negative(from []ast.Expr) bool {
	if len(from) != 1 {
		return false
	}
	v := x.fileOf(from[0]).Info.Types[from[0]].Value
	return v != nil && constant.Sign(v) < 0
}

// Own reports whether a function does an operation itself: where it is or, deferred, at its end.
func (x *Index) Own(o *Op, fn ast.Node) bool {
	in := x.FuncAround(o.Node)
	return in != nil && (in == fn || o.Deferred && x.FuncAround(in) == fn)
}

// Encloses reports whether a node contains an operation.
func Encloses(n ast.Node, o *Op) bool { return n.Pos() <= o.Node.Pos() && o.Node.End() <= n.End() }

// AddedFor returns the go statement right after an Add(1), which is meant for the goroutine that
// it starts, and the function that it runs; nil if there is none.
func (x *Index) AddedFor(add *Op) (start *Op, fn ast.Node) {
	if len(add.From) != 1 {
		return nil, nil
	}
	if n := add.file.Info.Types[add.From[0]].Value; n == nil || n.ExactString() != "1" {
		return nil, nil
	}
	for _, p := range x.path(add.file, add.Node.Pos()) {
		list := stmts(p)
		i := slices.IndexFunc(list, func(s ast.Stmt) bool { return s.Pos() == add.Node.Pos() })
		if i < 0 || i+1 == len(list) {
			continue
		}
		next, ok := list[i+1].(*ast.GoStmt)
		if !ok {
			return nil, nil
		}
		for _, o := range x.In(next, Go) {
			if o.Node == ast.Node(next.Call) {
				return o, x.runs(o)
			}
		}
	}
	return nil, nil
}

// RunBy returns the go statement that runs a function literal, or nil.
func (x *Index) RunBy(fn ast.Node) *Op {
	lit, ok := fn.(*ast.FuncLit)
	f := x.fileOf(fn)
	if !ok || f == nil {
		return nil
	}
	for _, o := range x.In(f.Tree, Go) {
		if x.runs(o) == ast.Node(lit) {
			return o
		}
	}
	return nil
}
