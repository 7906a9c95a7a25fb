package source

import (
	"go/ast"
	"slices"
)

// OtherBranch reports whether an operation is in another branch of its function than a line of a
// file: in the other part of an if, or in another case of a switch or select. A run that comes to
// the line has not come past the operation in the same pass.
func (x *Index) OtherBranch(path string, line int, o *Op) bool {
	f, fn, target := x.around(path, line)
	if fn == nil || x.FuncAround(o.Node) != fn {
		return false
	}
	mine, theirs := x.path(f, target), x.path(f, o.Node.Pos())
	i := slices.IndexFunc(theirs, func(n ast.Node) bool { return slices.Contains(mine, n) })
	if i <= 0 {
		return false
	}
	k := slices.Index(mine, theirs[i])
	if k <= 0 {
		return false
	}
	a, b := mine[k-1], theirs[i-1]
	if s, ok := theirs[i].(*ast.IfStmt); ok {
		return s.Else != nil && (a == ast.Node(s.Body) && b == ast.Node(s.Else) || a == ast.Node(s.Else) && b == ast.Node(s.Body))
	}
	return isClause(a) && isClause(b)
}

func isClause(n ast.Node) bool {
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}
