package source

import (
	"go/ast"
	"go/token"
	"slices"
)

// A Decision is where control goes different ways: at the head of an if, for, range, switch or
// select.
type Decision struct {
	Stmt  ast.Stmt
	Looks []ast.Expr // what is evaluated there: the condition or tag, and what is assigned for it
}

// Decision returns the statement that decides where control goes from a block: the one whose head ends
// the block, or the loop around it that continues after it. It is nil if nothing decides, or a
// call does that may not return.
func (x *Index) Decision(b int) *Decision {
	stmt := x.stmts[b]
	if stmt == nil {
		f, s := x.place(b)
		if f == nil {
			return nil
		}
		next := following(x.path(f, s.to-1))
		if len(next) > 0 {
			stmt, _ = next[0].(ast.Stmt)
		}
		switch stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
		default:
			return nil
		}
		if !slices.Contains(x.path(f, s.to-1), ast.Node(stmt)) {
			return nil // it comes next, with its own block
		}
	}
	return &Decision{stmt, looks(stmt)}
}

// looks returns the expressions that the head of a statement evaluates to decide.
func looks(s ast.Stmt) (list []ast.Expr) {
	add := func(init ast.Stmt, exprs ...ast.Expr) {
		if a, ok := init.(*ast.AssignStmt); ok {
			list = append(list, a.Rhs...)
		}
		for _, e := range exprs {
			if e != nil {
				list = append(list, e)
			}
		}
	}
	switch s := s.(type) {
	case *ast.IfStmt:
		add(s.Init, s.Cond)
	case *ast.ForStmt:
		add(nil, s.Cond)
	case *ast.RangeStmt:
		add(nil, s.X)
	case *ast.SwitchStmt:
		add(s.Init, s.Tag)
		for _, c := range s.Body.List {
			add(nil, c.(*ast.CaseClause).List...)
		}
	case *ast.TypeSwitchStmt:
		add(s.Init)
		ast.Inspect(s.Assign, func(n ast.Node) bool {
			a, ok := n.(*ast.TypeAssertExpr)
			if ok && a.Type == nil {
				add(nil, a.X)
			}
			return !ok
		})
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			switch op := commOf(c.(*ast.CommClause)).(type) {
			case *ast.SendStmt:
				add(nil, op.Chan)
			case ast.Expr:
				add(nil, op)
			}
		}
	}
	return list
}

// following returns the nodes that may run after the end of a list of nodes around a place, the next first:
// the statement after it; if it is the last one in a loop, the loop and what follows that; and
// the function if it ends there.
func following(path []ast.Node) (next []ast.Node) {
	continues := false // to the loop around
	for i := 0; i+1 < len(path); i++ {
		switch s := path[i].(type) {
		case *ast.ReturnStmt:
			return nil
		case *ast.BranchStmt:
			if continues = s.Tok == token.CONTINUE && s.Label == nil; !continues {
				return nil
			}
		case *ast.ForStmt, *ast.RangeStmt:
			continues = false
		}
		switch parent := path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if s := nextStmt(parent, path[i]); s != nil && !continues {
				return append(next, s)
			}
		case *ast.ForStmt:
			if path[i] == parent.Body {
				next = append(next, parent)
			}
		case *ast.RangeStmt:
			if path[i] == parent.Body {
				next = append(next, parent)
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return append(next, parent)
		}
	}
	return next
}

// nextStmt returns the statement after n in a list, or nil if n is the last. The next case does
// not follow one.
func nextStmt(list, n ast.Node) ast.Node {
	var stmts []ast.Stmt
	switch l := list.(type) {
	case *ast.BlockStmt:
		stmts = l.List
	case *ast.CaseClause:
		stmts = l.Body
	case *ast.CommClause:
		stmts = l.Body
	}
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return nil
	}
	for i, s := range stmts {
		if ast.Node(s) == n && i+1 < len(stmts) {
			return stmts[i+1]
		}
	}
	return nil
}

// Polls reports whether a block is in a loop that is left when something becomes true: an if in
// it returns or breaks, or its condition has a call.
func (x *Index) Polls(b int) bool {
	f, s := x.place(b)
	if f == nil {
		return false
	}
	for _, n := range x.path(f, s.from) {
		switch n := n.(type) {
		case *ast.ForStmt:
			if leaves(n.Body) || n.Cond != nil && len(x.In(n.Cond, Call)) > 0 {
				return true
			}
		case *ast.RangeStmt:
			if leaves(n.Body) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether the body of a loop has an if of its own that ends it.
func leaves(body *ast.BlockStmt) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		cond, ok := s.(*ast.IfStmt)
		if !ok || len(cond.Body.List) == 0 {
			return false
		}
		switch last := cond.Body.List[len(cond.Body.List)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			return last.Tok == token.BREAK
		}
		return false
	})
}

// Around returns the statements that decide whether an operation runs, within its function, the innermost
// first.
func (x *Index) Around(o *Op) (list []*Decision) {
	path := x.path(o.file, o.Node.Pos())
	for i, n := range path {
		switch s := n.(type) {
		case *ast.IfStmt:
			if i > 0 && path[i-1] != ast.Node(s.Cond) && path[i-1] != ast.Node(s.Init) {
				list = append(list, &Decision{s, looks(s)})
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if i > 0 {
				if _, inBody := path[i-1].(*ast.BlockStmt); inBody {
					list = append(list, &Decision{n.(ast.Stmt), looks(n.(ast.Stmt))})
				}
			}
		}
	}
	return list
}
