package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Gathered returns the list that the loop over a map at a line appends to, and the line at which
// the function uses it next, if nothing there may sort it: then the list is in the order of the
// map. It returns "" if there is no such list, or several.
func (x *Index) Gathered(path string, line int) (name string, used int) {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return "", 0
	}
	var loop *ast.RangeStmt
	for _, n := range x.path(f, target) {
		if r, ok := n.(*ast.RangeStmt); ok && x.Line(r) == line {
			loop = r
		}
	}
	if loop == nil {
		return "", 0
	}
	if _, isMap := typeOf(f, loop.X).(*types.Map); !isMap {
		return "", 0
	}
	var list types.Object
	for _, w := range x.In(loop.Body, Write) {
		if len(w.Path) != 1 || !isList(w.Path[0]) || !appends(w) || w.Path[0].Pos() >= loop.Pos() ||
			Global(w.Path[0]) || w.Path[0] == list {
			continue
		}
		if list != nil {
			return "", 0
		}
		list = w.Path[0]
	}
	if list == nil || x.sortedAfter(fn, loop, list) {
		return "", 0
	}
	for _, r := range x.In(fn, Read) {
		if len(r.Path) > 0 && r.Path[0] == list && r.Node.Pos() > loop.End() && (used == 0 || x.Line(r.Node) < used) {
			name, used = list.Name(), x.Line(r.Node)
		}
	}
	return name, used
}

// isList reports whether a variable is a slice. For a map, append is to one of its elements.
func isList(obj types.Object) bool {
	_, is := obj.Type().Underlying().(*types.Slice)
	return is
}

// appends reports whether a write assigns the result of append.
func appends(w *Op) bool {
	if len(w.From) != 1 {
		return false
	}
	call, ok := ast.Unparen(w.From[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "append"
}

// sortedAfter reports whether a function may sort a variable after a loop.
func (x *Index) sortedAfter(fn ast.Node, loop *ast.RangeStmt, obj types.Object) bool {
	for _, o := range x.In(fn, Call) {
		if o.Node.Pos() < loop.End() || !strings.Contains(strings.ToLower(o.How), "sort") && !x.sortsInside(o) {
			continue
		}
		for _, r := range x.In(o.Node, Read) {
			if len(r.Path) > 0 && r.Path[0] == obj {
				return true
			}
		}
	}
	return false
}

// sortsInside reports whether the user's function that an operation calls sorts.
func (x *Index) sortsInside(call *Op) bool {
	return slices.ContainsFunc(x.Inside(call, 2, Write), func(o *Op) bool {
		return sorts(o.How) && o.How != "slices.Reverse"
	})
}
