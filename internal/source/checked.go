package source

import "go/ast"

// Checks returns the line of the condition of the innermost if statement whose body contains a
// line of a file, within its function: what was checked before a test was failed there. It
// returns 0 if there is none, if something else decides too, or if the line is that of the condition itself.
func (x *Index) Checks(path string, line int) int {
	call := x.CallAt(path, line)
	if call == nil {
		return 0
	}
	around := x.Around(call)
	if len(around) == 0 {
		return 0
	}
	s, ok := around[0].Stmt.(*ast.IfStmt)
	if !ok || x.Line(s.Cond) == line || call.Node.Pos() < s.Body.Pos() || s.Body.End() < call.Node.End() {
		return 0
	}
	return x.Line(s.Cond)
}
