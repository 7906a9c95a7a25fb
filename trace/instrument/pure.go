package instrument

import (
	"go/ast"
	"go/token"
)

// Code is pure if it only computes: it neither panics nor allocates, whatever the types of its
// variables, about which the syntax says little. If the block's event is written after pure code
// instead of before it, nothing is lost.

func (r *rewriter) isPureNode(n ast.Node) bool {
	if x, ok := n.(ast.Expr); ok {
		return r.isPure(x)
	}
	s, ok := n.(ast.Stmt)
	return ok && r.isPureStmt(s)
}

// isPureStmt reports whether a statement only assigns a number to a variable.
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
		case token.ASSIGN: // an assignment to an interface allocates
			return r.isOperand(s.Lhs[0].(*ast.Ident).Name, s.Rhs[0])
		case token.SUB_ASSIGN, token.MUL_ASSIGN, token.AND_ASSIGN, token.OR_ASSIGN, token.XOR_ASSIGN,
			token.AND_NOT_ASSIGN:
			return true
		case token.ADD_ASSIGN:
			return r.isNumber(s.Rhs[0])
		}
	}
	return false
}

// isPure reports whether an expression neither panics nor allocates. Nil pointers, comparisons of
// interfaces, sums of strings and most conversions may do so.
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
		return isNumeral(x.Y) // and not zero, or the compiler would reject it
	}
	return false
}

// isNumber reports whether x is a number according to the syntax.
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

// isOperand reports whether a variable is an operand of x, which is then a number of the
// variable's type.
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

// isVariable reports whether x is a variable, so that an assignment to it can't panic.
func isVariable(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name != "_"
}

// isLiteral reports whether x is a literal or nil, so that a comparison with it can't panic.
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

// isNumeral reports whether x is an integer literal.
func isNumeral(x ast.Expr) bool {
	lit, ok := ast.Unparen(x).(*ast.BasicLit)
	return ok && (lit.Kind == token.INT || lit.Kind == token.CHAR)
}
