package listing

import (
	"go/ast"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Ranges returns the loops with range that begin on a line.
func (s *Sources) Ranges(path string, line int) (list []*ast.RangeStmt) {
	file := s.parse(path)
	if file == nil {
		return nil
	}
	for loop := range syntax.Nodes[*ast.RangeStmt](file.Tree) {
		if at, _ := file.Lines(loop); at == line {
			list = append(list, loop)
		}
	}
	return list
}

// Drawn is the text of the one call that draws a random number in some lines, with its line; "" if there are several.
func (s *Sources) Drawn(path string, start, end int) (text string, line int) {
	file := s.parse(path)
	if file == nil {
		return "", 0
	}
	if calls := file.Rands(start, end); len(calls) == 1 {
		text, _ = s.ExprText(path, calls[0])
		line, _ = file.Lines(calls[0])
	}
	return text, line
}

// ExprText is an expression on one line as the source has it.
func (s *Sources) ExprText(path string, x ast.Expr) (string, bool) {
	file := s.parse(path)
	if file == nil {
		return "", false
	}
	text := file.Text(x)
	return text, !strings.Contains(text, "\n")
}

// InLoop reports whether a line is in a loop, or its head, within its function.
func (s *Sources) InLoop(path string, line int) (in bool) {
	file := s.parse(path)
	if file == nil {
		return false
	}
	ast.Inspect(file.Tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if from, to := file.Lines(n); line < from || to < line {
			return false
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			in = true
		case *ast.FuncLit:
			in = false
		}
		return true
	})
	return in
}
