package listing

import "go/ast"

// InLoop reports whether a line is in a loop, or its head, within its function.
func (s *Sources) InLoop(file string, line int) bool {
	return line > 0 && s.loopEnd(file, line) > 0
}

// loopEnd returns the last line of the innermost loop around a line, within its function; 0 if
// there is none.
func (s *Sources) loopEnd(file string, line int) (end int) {
	fset, tree := s.parse(file)
	if tree == nil {
		return 0
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := fset.PositionFor(n.Pos(), false).Line, fset.PositionFor(n.End(), false).Line
		if line < from || to < line {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			end = to
		case *ast.FuncLit:
			end = 0
		}
		return true
	})
	return end
}
