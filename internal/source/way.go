package source

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A Way says how control left a condition.
type Way uint8

const (
	Unknown Way = iota
	True
	False
)

// Way returns the value of the condition of the if or for that ends block b, if next is the very
// next block that ran. It is unknown if both ways may lead there.
func (x *Index) Way(b, next int) Way {
	stmt := x.stmts[b]
	f, _ := x.place(b)
	_, to := x.place(next)
	if f == nil || stmt == nil || to.block == 0 {
		return Unknown
	}
	l := landing{span: to, here: x.sites.Blocks[b].Func == x.sites.Blocks[next].Func, loop: x.sites.Blocks[next].Kind == trace.BlockLoop}
	after := x.after(f, stmt)
	var then *ast.BlockStmt
	switch s := stmt.(type) {
	case *ast.IfStmt:
		then = s.Body
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			if l.in(e) {
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
	switch {
	case l.in(then):
		return True
	case slices.ContainsFunc(after, l.at):
		return False
	}
	return Unknown
}

// after returns what runs after a statement.
func (x *Index) after(f *File, stmt ast.Stmt) []ast.Node {
	path := x.path(f, stmtPos(stmt))
	if i := slices.Index(path, ast.Node(stmt)); i >= 0 {
		return following(path[i:])
	}
	return nil
}

// A landing is the block in which a run continues after a condition.
type landing struct {
	span
	here bool // in the function of the condition
	loop bool // it begins an iteration
}

// in reports whether it is the first block of a body.
func (l landing) in(body *ast.BlockStmt) bool { return l.here && begins(l.span, body) }

// at reports whether it is the beginning of what runs after a condition: a statement, the next
// iteration of a loop, or the caller.
func (l landing) at(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.FuncDecl:
		if !l.here {
			return true
		}
	case *ast.ForStmt:
		if l.loop && l.in(n.Body) {
			return true
		}
	case *ast.RangeStmt:
		if l.loop && l.in(n.Body) {
			return true
		}
	}
	s, ok := n.(ast.Stmt)
	return ok && l.here && l.from == stmtPos(s)
}

// stmtPos returns where a block that begins with a statement begins: after its labels, except
// those of loops.
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
