package source

import (
	"go/ast"
	"go/token"

	"github.com/fdebug/fdebug/trace"
)

// A Way says how control left a condition.
type Way uint8

const (
	Unknown Way = iota
	True
	False
)

// Way returns what the condition of the if or for that ends block b was, if
// next is the very next block that was run. It says nothing where either way
// may lead there.
func (x *Index) Way(b, next int) Way {
	stmt, to := x.stmts[b], span{}
	f, _ := x.place(b)
	if _, to = x.place(next); f == nil || stmt == nil || to.block == 0 {
		return Unknown
	}
	same := x.sites.Blocks[b].Func == x.sites.Blocks[next].Func
	then, after := (*ast.BlockStmt)(nil), []ast.Node(nil)
	path := x.path(f, stmtPos(stmt))
	for i, n := range path {
		if n == ast.Node(stmt) {
			after = following(path[i:])
		}
	}
	switch s := stmt.(type) {
	case *ast.IfStmt:
		then = s.Body
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			if begins(to, e) && same {
				return False
			}
			after = nil
		case *ast.IfStmt:
			after = []ast.Node{e}
		}
	case *ast.ForStmt:
		then = s.Body
	default:
		return Unknown
	}
	if begins(to, then) && same {
		return True
	}
	for _, n := range after {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			if !same {
				return False // back in the caller
			}
		case *ast.ForStmt:
			if same && x.sites.Blocks[next].Kind == trace.BlockLoop && begins(to, n.Body) {
				return False
			}
		case *ast.RangeStmt:
			if same && x.sites.Blocks[next].Kind == trace.BlockLoop && begins(to, n.Body) {
				return False
			}
		}
		if s, ok := n.(ast.Stmt); ok && same && to.from == stmtPos(s) {
			return False
		}
	}
	return Unknown
}

// stmtPos returns where a block that begins with a statement begins: after its
// labels, but for those of loops.
func stmtPos(s ast.Stmt) token.Pos {
	if s == nil {
		return token.NoPos
	}
	if l, ok := s.(*ast.LabeledStmt); ok {
		switch l.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		default:
			return stmtPos(l.Stmt)
		}
	}
	return s.Pos()
}

// begins reports whether a block is the first of a body.
func begins(s span, body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return s.from >= body.Lbrace && s.from <= body.Rbrace
	}
	return s.from == stmtPos(body.List[0])
}

// Clause returns the case of the switch or select that ends block b in which
// block next stands, nil if it is in none.
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
