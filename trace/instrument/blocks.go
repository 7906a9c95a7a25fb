package instrument

import (
	"go/ast"
	"go/token"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// An item is a statement of a list, with the position of a probe before it: before the statement,
// or after its labels.
type item struct {
	stmt       ast.Stmt
	at         token.Pos
	start, end token.Pos // what it covers as part of a block
	labeled    bool      // a goto may lead here, so it begins a block
}

// items strips the labels of statements that are not loops, switches or selects: L: stmt becomes
// L: probe; stmt. A loop keeps its label, so a goto to it shows only in the loop's body.
func items(list []ast.Stmt) []item {
	out := make([]item, 0, len(list))
	for _, s := range list {
		it := item{stmt: s, at: s.Pos(), start: s.Pos(), end: boundary(s)}
		for {
			l, ok := it.stmt.(*ast.LabeledStmt)
			if !ok || isLabelTarget(l.Stmt) {
				break
			}
			it = item{stmt: l.Stmt, at: l.Colon + 1, start: l.Stmt.Pos(), end: boundary(l.Stmt), labeled: true}
			if _, ok := l.Stmt.(*ast.EmptyStmt); ok { // it has no place of its own
				it.start, it.end = l.Pos(), l.Colon+1
			}
		}
		out = append(out, it)
	}
	return out
}

// isLabelTarget reports whether break or continue can name the label of s.
func isLabelTarget(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	case *ast.LabeledStmt:
		return isLabelTarget(s.Stmt)
	}
	return false
}

// list puts a probe at the start of each basic block of a statement list. The first probe is at
// position at. Its block covers the source from there, or up to end if the list is empty.
func (r *rewriter) list(stmts []ast.Stmt, kind trace.BlockKind, at, end token.Pos) {
	if len(stmts) == 0 {
		r.probe(at, half{block: r.block(kind, at, end, 0)})
		return
	}
	list := items(stmts)
	for i := 0; i < len(list); {
		if i > 0 || list[i].labeled {
			at = list[i].at
		}
		if i > 0 && list[i].labeled {
			kind = trace.BlockNext
		}
		n := r.blockLen(list[i:])
		how, branches := r.pairing(list[i:i+n], list[i+n:])
		block := r.block(kind, list[i].start, list[i+n-1].end, n)
		r.probe(at, half{block, how}, branches...)
		kind = r.nextKind(list[i+n-1].stmt)
		i += n
	}
	for _, it := range list {
		r.stmt(it.stmt)
	}
}

// blockLen returns how many statements at the head of list form one block.
func (r *rewriter) blockLen(list []item) int {
	for i, it := range list {
		if i > 0 && it.labeled {
			return i
		}
		if r.endsBlock(it.stmt) {
			return i + 1
		}
	}
	return len(list)
}

// endsBlock reports whether control may not reach the statement after s even though s has begun,
// or may reach it in more than one way. A block also ends at a function literal, whose lines do
// not run with those around it, and at a go statement, after which the starting goroutine can be
// held.
func (r *rewriter) endsBlock(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt,
		*ast.TypeSwitchStmt, *ast.SelectStmt, *ast.LabeledStmt, *ast.BranchStmt, *ast.ReturnStmt:
		return true
	case *ast.GoStmt:
		return true
	case *ast.DeferStmt:
		return hasLiteral(s) || r.operandsMayLeave(s.Call)
	}
	return hasLiteral(s) || r.mayLeave(s)
}

func hasLiteral(n ast.Node) bool {
	for range syntax.Nodes[*ast.FuncLit](n) {
		return true
	}
	return false
}

// operandsMayLeave is mayLeave for the operands of a go or defer statement, whose call itself is
// not made now.
func (r *rewriter) operandsMayLeave(c *ast.CallExpr) bool {
	if _, ok := c.Fun.(*ast.FuncLit); !ok && r.mayLeave(c.Fun) {
		return true
	}
	for _, a := range c.Args {
		if r.mayLeave(a) {
			return true
		}
	}
	return false
}

// nextKind returns the kind of the block after s.
func (r *rewriter) nextKind(s ast.Stmt) trace.BlockKind {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt,
		*ast.TypeSwitchStmt, *ast.SelectStmt, *ast.LabeledStmt:
		return trace.BlockNext
	case *ast.GoStmt:
		return callKind(r.operandsMayLeave(s.Call))
	case *ast.DeferStmt:
		return callKind(r.operandsMayLeave(s.Call))
	}
	return callKind(r.mayLeave(s))
}

func callKind(call bool) trace.BlockKind {
	if call {
		return trace.BlockCall
	}
	return trace.BlockNext
}

// mayLeave reports whether n contains a call or a channel operation outside function literals. A
// call can panic, end the goroutine or never return; a channel operation can block forever.
func (r *rewriter) mayLeave(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !r.isPlainCall(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SendStmt:
			found = true
		}
		return !found
	})
	return found
}

// isPlainCall reports whether c is a conversion, or a call of a builtin that returns, as far as
// the syntax tells.
func (r *rewriter) isPlainCall(c *ast.CallExpr) bool {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return syntax.Predeclared(f.Name, "close", "panic") && !r.names.shadowed[f.Name]
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	}
	return false
}

// boundary returns where the block that ends with s ends in the source. It includes the header of
// a control statement, but neither its body nor that of a function literal.
func boundary(s ast.Stmt) token.Pos {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return s.Lbrace + 1
	case *ast.IfStmt:
		return cut(s.Body.Lbrace, s.Init, s.Cond)
	case *ast.ForStmt:
		return cut(s.Body.Lbrace, s.Init, s.Cond, s.Post)
	case *ast.RangeStmt:
		return cut(s.Body.Lbrace, s.X)
	case *ast.SwitchStmt:
		return cut(s.Body.Lbrace, s.Init, s.Tag)
	case *ast.TypeSwitchStmt:
		return cut(s.Body.Lbrace, s.Init, s.Assign)
	case *ast.SelectStmt:
		return s.Body.Lbrace
	case *ast.LabeledStmt:
		return boundary(s.Stmt)
	}
	return cut(s.End(), s)
}

// cut returns end, or the start of the body of the first function literal in the nodes if there
// is one.
func cut(end token.Pos, nodes ...ast.Node) token.Pos {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			l, ok := n.(*ast.FuncLit)
			if ok {
				end = min(end, l.Body.Lbrace)
			}
			return !ok
		})
	}
	return end
}
