package source

import "go/ast"

// Clause returns the case, of the switch or select that ends block b, that contains block next,
// or nil if none does.
func (x *Index) Clause(b, next int) ast.Stmt {
	var body *ast.BlockStmt
	switch s := x.stmts[b].(type) {
	case *ast.SwitchStmt:
		body = s.Body
	case *ast.TypeSwitchStmt:
		body = s.Body
	case *ast.SelectStmt:
		body = s.Body
	}
	f, to := x.place(next)
	if body == nil || f == nil {
		return nil
	}
	for _, c := range body.List {
		if c.Pos() <= to.from && to.from <= c.End() {
			return c
		}
	}
	return nil
}
