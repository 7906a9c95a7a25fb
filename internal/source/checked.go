package source

import "go/ast"

// Checks returns the line of the condition of the innermost if statement whose body contains a
// line of a file, within its function: what was checked before a test was failed there. It
// returns 0 if there is none, or if the line is that of the condition itself.
func (x *Index) Checks(path string, line int) int {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return 0
	}
	nodes := x.path(f, target)
	for i, n := range nodes {
		switch s := n.(type) {
		case *ast.IfStmt:
			at := x.Line(s.Cond)
			if i == 0 || nodes[i-1] != ast.Node(s.Body) || at == line {
				return 0
			}
			return at
		case *ast.FuncLit, *ast.FuncDecl, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt,
			*ast.TypeSwitchStmt, *ast.SelectStmt:
			return 0 // something else decides, or decides too
		}
	}
	return 0
}
