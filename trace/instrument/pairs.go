package instrument

import (
	"go/ast"
	"go/token"
)

// A block that calls nothing before it branches shares a probe with each of its
// branches: one test for room and one update of the position, of which each waits
// for the last one, in place of two. The trace is the same.

// A pairing is how the event of a block is written.
type pairing int

const (
	single pairing = iota // by a probe of its own
	marked                // by a probe of its own, which leaves the position to the branches
	held                  // by the probes of the branches
)

// A half is the first event of a pair, which the probe of the second one ends.
type half struct {
	block int
	how   pairing
}

// pairing returns how the event of a block is written, and where the probes stand
// that write it, or the position, with their own. next is what follows the block
// in its list.
func (r *rewriter) pairing(block, next []item) (pairing, []token.Pos) {
	if !r.mayBeQuiet() || r.leaf {
		return single, nil
	}
	last := len(block) - 1
	at := branches(block[last].stmt, next)
	switch {
	case len(at) == 0:
		return single, nil
	case r.isCalculation(block[:last], block[last].stmt):
		return held, at
	case !r.local && r.isQuietUntil(block[:last], block[last].stmt):
		return marked, at
	}
	return single, nil
}

// branches returns where the probes stand that control comes to after s, if it
// certainly comes to one of them, and to each from nowhere else.
func branches(s ast.Stmt, next []item) []token.Pos {
	switch s := s.(type) {
	case *ast.IfStmt:
		return ifBranches(s, next)
	case *ast.SwitchStmt:
		return caseBranches(s.Body)
	case *ast.TypeSwitchStmt:
		return caseBranches(s.Body)
	}
	return nil
}

func ifBranches(s *ast.IfStmt, next []item) []token.Pos {
	if startsWithLabel(s.Body.List) {
		return nil
	}
	then := s.Body.Lbrace + 1
	switch e := s.Else.(type) {
	case *ast.IfStmt:
		return []token.Pos{then, e.Pos()}
	case *ast.BlockStmt:
		if startsWithLabel(e.List) {
			return nil
		}
		return []token.Pos{then, e.Lbrace + 1}
	}
	if len(next) == 0 || next[0].labeled || !leaves(s.Body.List) {
		return nil
	}
	return []token.Pos{then, next[0].at}
}

func caseBranches(body *ast.BlockStmt) []token.Pos {
	var at []token.Pos
	always := false
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		if fallsThrough(c.Body) || startsWithLabel(c.Body) {
			return nil
		}
		always = always || c.List == nil
		at = append(at, c.Colon+1)
	}
	if !always {
		return nil
	}
	return at
}

func startsWithLabel(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[0].(*ast.LabeledStmt)
	return ok
}

func fallsThrough(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	b, ok := list[len(list)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// leaves reports whether control does not go on after a list of statements, as
// its last one tells.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	}
	return false
}

// isQuietUntil reports whether statements, and what the last one does before it
// branches, are quiet.
func (r *rewriter) isQuietUntil(before []item, last ast.Stmt) bool {
	for _, it := range before {
		if !r.isQuiet(it.stmt) {
			return false
		}
	}
	switch s := last.(type) {
	case *ast.IfStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && r.isQuiet(s.Cond)
	case *ast.SwitchStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && (s.Tag == nil || r.isQuiet(s.Tag)) && r.allCases(s, r.isQuietExpr)
	case *ast.TypeSwitchStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && r.isQuiet(s.Assign)
	}
	return false
}

func (r *rewriter) isQuietExpr(x ast.Expr) bool { return r.isQuiet(x) }

// isCalculation reports whether statements, and what the last one does before it
// branches, neither panic nor allocate, which could mean to wait for the
// collector, whatever the types of their variables are.
func (r *rewriter) isCalculation(before []item, last ast.Stmt) bool {
	for _, it := range before {
		if !r.isPureStmt(it.stmt) {
			return false
		}
	}
	switch s := last.(type) {
	case *ast.IfStmt:
		return (s.Init == nil || r.isPureStmt(s.Init)) && r.isPure(s.Cond)
	case *ast.SwitchStmt:
		if s.Init != nil && !r.isPureStmt(s.Init) {
			return false
		}
		if s.Tag == nil {
			return r.allCases(s, r.isPure)
		}
		return r.isPure(s.Tag) && r.allCases(s, isLiteral)
	}
	return false
}

// allCases reports whether ok holds for the expressions of all cases.
func (r *rewriter) allCases(s *ast.SwitchStmt, ok func(ast.Expr) bool) bool {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if !ok(x) {
				return false
			}
		}
	}
	return true
}

// isPureStmt reports whether a statement is an assignment of a number to a
// variable, and no more than that.
func (r *rewriter) isPureStmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.IncDecStmt:
		return isVariable(s.X)
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || !isVariable(s.Lhs[0]) || !r.isPure(s.Rhs[0]) {
			return false
		}
		switch s.Tok {
		case token.ASSIGN: // to an interface it allocates
			return r.isOperand(s.Lhs[0].(*ast.Ident).Name, s.Rhs[0])
		case token.SUB_ASSIGN, token.MUL_ASSIGN, token.AND_ASSIGN, token.OR_ASSIGN, token.XOR_ASSIGN, token.AND_NOT_ASSIGN:
			return true
		case token.ADD_ASSIGN:
			return r.isNumber(s.Rhs[0])
		}
	}
	return false
}

// isPure reports whether an expression neither panics nor allocates. A nil
// pointer, a comparison of interfaces, a sum of strings and most conversions may.
func (r *rewriter) isPure(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.isPure(x.X)
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return x.Op != token.ARROW && x.Op != token.AND && r.isPure(x.X)
	case *ast.BinaryExpr:
		return r.isPure(x.X) && r.isPure(x.Y) && r.isPureOperator(x)
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && pureCalls[id.Name] && r.isBuiltin(id) && len(x.Args) == 1 && r.isPure(x.Args[0])
	}
	return false
}

// pureCalls are conversions between numbers, and len and cap.
var pureCalls = map[string]bool{
	"len": true, "cap": true, "byte": true, "float32": true, "float64": true, "int": true,
	"int8": true, "int16": true, "int32": true, "int64": true, "rune": true, "uint": true, "uint8": true,
	"uint16": true, "uint32": true, "uint64": true, "uintptr": true,
}

func (r *rewriter) isPureOperator(x *ast.BinaryExpr) bool {
	switch x.Op {
	case token.EQL, token.NEQ:
		return isLiteral(x.X) || isLiteral(x.Y) || r.isNumber(x.X) || r.isNumber(x.Y)
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return true
	case token.ADD:
		return r.isNumber(x)
	case token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT:
		return true
	case token.SHL, token.SHR, token.QUO, token.REM:
		return isNumeral(x.Y) // and not zero, or the compiler would say so
	}
	return false
}

// isNumber reports whether the syntax tells that x is a number.
func (r *rewriter) isNumber(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return x.Kind != token.STRING
	case *ast.CallExpr:
		return r.isPure(x)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT, token.QUO, token.REM:
			return true
		case token.SHL, token.SHR:
			return r.isNumber(x.X)
		case token.ADD:
			return r.isNumber(x.X) || r.isNumber(x.Y)
		}
	}
	return false
}

// isOperand reports whether a variable is an operand of x, which then is a number
// of the variable's type.
func (r *rewriter) isOperand(name string, x ast.Expr) bool {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || !r.isNumber(b) {
		return false
	}
	for _, operand := range []ast.Expr{b.X, b.Y} {
		id, ok := ast.Unparen(operand).(*ast.Ident)
		if ok && id.Name == name || r.isOperand(name, operand) {
			return b.Op != token.SHL && b.Op != token.SHR || operand == b.X
		}
	}
	return false
}

// isVariable reports whether x is a variable of a name, so that an assignment to
// it can't panic.
func isVariable(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name != "_"
}

// isLiteral reports whether x is written out, or nil: then a comparison with it
// can't panic.
func isLiteral(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Name == "nil" || x.Name == "true" || x.Name == "false"
	case *ast.UnaryExpr:
		return x.Op == token.SUB && isLiteral(x.X)
	}
	return false
}

// isNumeral reports whether x is an integer that is written out.
func isNumeral(x ast.Expr) bool {
	lit, ok := ast.Unparen(x).(*ast.BasicLit)
	return ok && (lit.Kind == token.INT || lit.Kind == token.CHAR)
}
