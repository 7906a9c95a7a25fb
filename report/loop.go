package report

import "go/ast"

// behindLoop reports whether b stands in the function of a and behind the innermost
// loop around a: who comes there has left the loop.
func (s *sources) behindLoop(a, b *place) bool {
	if a == nil || b == nil || a.File != b.File || a.Func != b.Func || a.Func < 0 {
		return false
	}
	end := s.loopEnd(a.File, a.End)
	return end > 0 && b.Start > end
}

// inLoop reports whether a line is in a loop, or its head, within its function.
func (s *sources) inLoop(file string, line int) bool {
	return line > 0 && s.loopEnd(file, line) > 0
}

// loopEnd returns the last line of the innermost loop around a line, within its function; 0 if
// there is none.
func (s *sources) loopEnd(file string, line int) (end int) {
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
