package report

import "go/ast"

// behindLoop reports whether b stands in the function of a and behind the innermost
// loop around a: who comes there has left the loop.
func (s *sources) behindLoop(a, b *place) bool {
	if a == nil || b == nil || a.File != b.File || a.Func != b.Func || a.Func < 0 {
		return false
	}
	fset, tree := s.parse(a.File)
	if tree == nil {
		return false
	}
	end := 0 // the last line of the loop
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := fset.PositionFor(n.Pos(), false).Line, fset.PositionFor(n.End(), false).Line
		if a.End < from || to < a.End {
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
	return end > 0 && b.Start > end
}
