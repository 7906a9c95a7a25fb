package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// Locked returns the operations that took the locks that the function around a line of a file may hold there, in the
// order of the text. Callers may hold others.
func (x *Index) Locked(path string, line int) (held []*Op) {
	for _, o := range x.Before(path, line, Wait, Release) {
		switch {
		case o.Locks():
			held = append(held, o)
		case o.Unlocks():
			held = slices.DeleteFunc(held, func(h *Op) bool { return h.Obj() == o.Obj() })
		}
	}
	return held
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

// onTheWay reports whether control may come past a node on its way to a later place, with these nodes around it: not
// if it leaves the function, or the loop, from there.
func (x *Index) onTheWay(f *File, n ast.Node, around []ast.Node) bool {
	for _, p := range x.path(f, n.Pos()) {
		if list := stmts(p); list != nil {
			return slices.Contains(around, p) || !goesAway(list)
		}
	}
	return true
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
