package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A Decision is where control goes different ways: at the head of an if, for,
// range, switch or select.
type Decision struct {
	Stmt  ast.Stmt
	Looks []ast.Expr // what is evaluated there: condition or tag, and what is set for it
}

// Decision returns what decides where control goes from a block: the statement
// whose head ends it, or the loop around it that goes round after it. It is nil
// if nothing decides, or a call does that may not come back.
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
			return nil // it comes next, with a block of its own
		}
	}
	return &Decision{stmt, looks(stmt)}
}

// looks returns what the head of a statement evaluates to decide.
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

// following returns what may be run after the end of a list of nodes around a
// place, the next first: the statement after it; if it is the last one in a
// loop, the loop, and what follows that; and a function if it is its end.
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

// nextStmt returns the statement after n in a list, nil if n is the last. The
// next case does not follow one.
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
	if _, to = x.place(next); f == nil || to.block == 0 {
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

// Polls reports whether a block is in a loop that is left when something has
// come true: an if in it returns or breaks, or it has a condition with a call.
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

// Around returns the conditions under which an operation is run, within its
// function, the innermost first.
func (x *Index) Around(o *Op) (list []ast.Expr) {
	path := x.path(o.file, o.Node.Pos())
	for i, n := range path {
		switch s := n.(type) {
		case *ast.IfStmt:
			if i > 0 && path[i-1] != ast.Node(s.Cond) && path[i-1] != ast.Node(s.Init) {
				list = append(list, looks(s)...)
			}
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if i > 0 {
				if _, inBody := path[i-1].(*ast.BlockStmt); inBody {
					list = append(list, looks(n.(ast.Stmt))...)
				}
			}
		}
	}
	return list
}

// Operands returns what an expression compares or combines: x and y of
// x == y && !f(y), and f(y) with its arguments. What cannot differ is left out.
func (x *Index) Operands(e ast.Expr) (list []ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case nil:
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return x.Operands(e.X)
		}
		list = append(list, e)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.EQL, token.NEQ, token.LAND, token.LOR, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return append(x.Operands(e.X), x.Operands(e.Y)...)
		}
		list = append(list, e)
	case *ast.TypeAssertExpr:
		return x.Operands(e.X)
	case *ast.CallExpr:
		list = append(list, e)
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && x.isValue(sel.X) {
			list = append(list, sel.X)
		}
		for _, a := range e.Args {
			if x.isValue(a) {
				list = append(list, a)
			}
		}
	default:
		if x.isValue(e) {
			list = append(list, e)
		}
	}
	return list
}

// isValue reports whether an expression is a value that may differ: not a
// constant, a literal or a package, nor a *testing.T or a context.
func (x *Index) isValue(e ast.Expr) bool {
	f := x.fileOf(e)
	if _, lit := e.(*ast.FuncLit); f == nil || lit {
		return false
	}
	if _, lit := e.(*ast.BasicLit); lit {
		return false
	}
	if id, ok := e.(*ast.Ident); ok {
		if _, isVar := f.Info.Uses[id].(*types.Var); !isVar {
			return false
		}
	}
	t := f.Info.Types[e]
	if t.Type == nil {
		return true
	}
	return t.IsValue() && t.Value == nil && !isTesting(t.Type) || t.Type == types.Typ[types.Invalid]
}

func isTesting(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "testing" || n.Obj().Pkg().Path() == "context")
}

// Check returns what a check in a line of a file looks at: the operands of the
// outermost call that begins there, and of the if around a t.Error or t.Fatal.
func (x *Index) Check(path string, line int) (list []ast.Expr) {
	f := x.files[path]
	if f == nil {
		return nil
	}
	var call *Op
	for _, o := range f.ops {
		if o.Kind == Call && x.Line(o.Node) == line && (call == nil || o.Node.End() > call.Node.End() && o.Node.Pos() <= call.Node.Pos()) {
			call = o
		}
	}
	if call == nil {
		return nil
	}
	list = x.Operands(call.Node.(*ast.CallExpr))[1:]
	if sel, ok := call.Node.(*ast.CallExpr).Fun.(*ast.SelectorExpr); !ok || x.isValue(sel.X) {
		return list
	}
	if around := x.Around(call); len(around) > 0 {
		for _, e := range around[:1] {
			list = append(list, x.Operands(e)...)
		}
	}
	return list
}
