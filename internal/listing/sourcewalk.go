package listing

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// waiting has the operands that a goroutine may wait for in a piece of a function.
type waiting struct {
	Selects bool // the last line has a select statement, which waits
	Waits   bool // some line waits: for a channel, a WaitGroup, a condition, a time
}

// WaitsBetween returns the operands of waits from one line to another, where no lock can be held. What
// functions in it do is their own.
func (s *Sources) WaitsBetween(path string, from, to int) (w waiting) {
	file := s.parse(path)
	if file == nil {
		return w
	}
	ast.Inspect(file.Tree, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		line, end := file.Lines(n)
		if _, ok := n.(*ast.FuncLit); ok && line >= from && end <= to {
			return false
		}
		if line < from || line > to {
			return true
		}
		switch n := n.(type) {
		case *ast.SelectStmt:
			if !syntax.HasDefault(n) {
				w.Waits, w.Selects = true, w.Selects || line == to
			}
			return false // what it waits for is its cases
		case *ast.SendStmt:
			w.Waits = true
		case *ast.UnaryExpr:
			w.Waits = w.Waits || n.Op == token.ARROW
		case *ast.CallExpr:
			w.Waits = w.Waits || waitingCall(n)
		}
		return true
	})
	return w
}

// waitingCall reports whether a call is one that waits by its name: x.Wait() or time.Sleep(d).
func waitingCall(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name == "Wait" && len(c.Args) == 0 || ok && x.Name == "time" && sel.Sel.Name == "Sleep"
}

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
