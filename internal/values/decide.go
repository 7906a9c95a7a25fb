package values

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// decision adds the operands of what decided a divergence: the condition that
// follows the last common block. If that block is in a function that returned
// before the runs parted, the condition is where it was called from, and what
// it returned counts too.
func (c *chooser) decision(d *divergence.Divergence) {
	last, ok := d.LastCommon.Block()
	if !ok || !c.in.Sites.Has(last) {
		return
	}
	at := c.returnedTo(d, last)
	if at != last {
		c.returned(last, d.LastCommon)
	}
	f, fn := c.function(at)
	if f == nil {
		return
	}
	b := c.in.Sites.Blocks[at]
	for _, x := range conditions(f, fn, b) {
		c.operands(f, fn, x, d.LastCommon)
	}
}

// returnedTo returns the block at whose end the runs parted: the last common
// one, or the one from which its function was called.
func (c *chooser) returnedTo(d *divergence.Divergence, last int) int {
	fn := -1
	for _, e := range []trace.Event{d.PassNext, d.FailNext} {
		if b, ok := e.Block(); ok && c.in.Sites.Has(b) && c.in.Sites.Blocks[b].Kind != trace.BlockEntry {
			fn = c.in.Sites.Blocks[b].Func
		}
	}
	if fn < 0 || fn == c.in.Sites.Blocks[last].Func {
		return last
	}
	for i := len(d.Path) - 1; i >= 0; i-- {
		if d.Path[i].Func == fn && c.in.Sites.Has(d.Path[i].Block) {
			return d.Path[i].Block
		}
	}
	return last
}

// function returns the file of a block, and the body of its function.
func (c *chooser) function(block int) (*file, ast.Node) {
	sites := c.in.Sites
	fn := sites.Funcs[sites.Blocks[block].Func]
	f := c.prog.files[sites.Files[fn.File].Path]
	if f == nil {
		return nil, nil
	}
	b := sites.Blocks[block]
	var found ast.Node
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if body := bodyOf(n); body != nil && f.covers(n, b) {
			found = n // the innermost comes last
		}
		return true
	})
	return f, found
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}

// covers reports whether a block begins within n.
func (f *file) covers(n ast.Node, b trace.Block) bool {
	from, to := f.fset.PositionFor(n.Pos(), false), f.fset.PositionFor(n.End(), false)
	return !before(b.StartLine, b.StartCol, from) && before(b.StartLine, b.StartCol, to)
}

func before(line, col int, p token.Position) bool {
	return line < p.Line || line == p.Line && col < p.Column
}

// conditions returns what is evaluated at the end of a block and decides where
// control goes: of the statement whose head ends the block, or of the innermost
// loop around a block that goes round.
func conditions(f *file, fn ast.Node, b trace.Block) []ast.Node {
	var head, loop []ast.Node
	ast.Inspect(fn, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != fn {
			return false
		}
		list, body := headOf(n)
		if body == nil {
			return true
		}
		if _, isLoop := n.(*ast.ForStmt); isLoop && f.covers(body, b) {
			loop = list
		}
		end := f.fset.PositionFor(body.Lbrace, false)
		if f.covers(n, b) || within(f, n, b) {
			if end.Line == b.EndLine && end.Column == b.EndCol || headWithin(f, n, body, b) {
				head = list
			}
		}
		return true
	})
	if head != nil {
		return head
	}
	return loop
}

// within reports whether a statement begins in a block.
func within(f *file, n ast.Node, b trace.Block) bool {
	p := f.fset.PositionFor(n.Pos(), false)
	return !before(p.Line, p.Column, token.Position{Line: b.StartLine, Column: b.StartCol}) &&
		before(p.Line, p.Column, token.Position{Line: b.EndLine, Column: b.EndCol})
}

// headWithin reports whether a block ends in the head of a statement, because
// of a function literal there.
func headWithin(f *file, n ast.Node, body *ast.BlockStmt, b trace.Block) bool {
	from, to := f.fset.PositionFor(n.Pos(), false), f.fset.PositionFor(body.Lbrace, false)
	return !before(b.EndLine, b.EndCol, from) && !before(to.Line, to.Column, token.Position{Line: b.EndLine, Column: b.EndCol})
}

// headOf returns what the head of a statement evaluates to decide, and its body.
func headOf(n ast.Node) ([]ast.Node, *ast.BlockStmt) {
	switch n := n.(type) {
	case *ast.IfStmt:
		return present(n.Init, n.Cond), n.Body
	case *ast.ForStmt:
		return present(nil, n.Cond), n.Body
	case *ast.SwitchStmt:
		list := present(n.Init, n.Tag)
		for _, s := range n.Body.List {
			if cc, ok := s.(*ast.CaseClause); ok && n.Tag == nil {
				for _, x := range cc.List {
					list = append(list, x)
				}
			}
		}
		return list, n.Body
	case *ast.TypeSwitchStmt:
		return []ast.Node{n.Assign}, n.Body
	case *ast.RangeStmt:
		return []ast.Node{n.X}, n.Body
	}
	return nil, nil
}

func present(init ast.Stmt, x ast.Expr) []ast.Node {
	list := []ast.Node{}
	if init != nil {
		list = append(list, init)
	}
	if x != nil {
		list = append(list, x)
	}
	return list
}

// operands adds the operands in a node of a condition.
func (c *chooser) operands(f *file, fn ast.Node, n ast.Node, decides trace.Event) {
	switch n := n.(type) {
	case *ast.AssignStmt: // if got, err := f(x); ...
		for _, x := range n.Rhs {
			if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
				c.arguments(f, fn, call, decides)
			}
		}
	case *ast.ExprStmt:
		c.operands(f, fn, n.X, decides)
	case *ast.ParenExpr:
		c.operands(f, fn, n.X, decides)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.operands(f, fn, n.X, decides)
			return
		}
		c.operand(f, fn, n, decides)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ:
			if f.isNil(n.X) || f.isNil(n.Y) {
				c.compared(f, fn, n.X, decides)
				c.compared(f, fn, n.Y, decides)
				return
			}
			c.operands(f, fn, n.X, decides)
			c.operands(f, fn, n.Y, decides)
			return
		case token.LAND, token.LOR, token.LSS, token.LEQ, token.GTR, token.GEQ:
			c.operands(f, fn, n.X, decides)
			c.operands(f, fn, n.Y, decides)
			return
		}
		c.operand(f, fn, n, decides)
	case *ast.TypeAssertExpr:
		c.operand(f, fn, n.X, decides)
	case *ast.CallExpr:
		c.operand(f, fn, n, decides)
		c.arguments(f, fn, n, decides)
	case ast.Expr:
		c.operand(f, fn, n, decides)
	}
}

func (f *file) isNil(x ast.Expr) bool { return f.info.Types[x].IsNil() }

// compared adds an operand that is compared with nil.
func (c *chooser) compared(f *file, fn ast.Node, x ast.Expr, decides trace.Event) {
	x = ast.Unparen(x)
	c.decides(f, fn, x, divergence.ValueOperand, decides, true)
	if call, ok := x.(*ast.CallExpr); ok {
		c.arguments(f, fn, call, decides)
	}
}

func (c *chooser) operand(f *file, fn ast.Node, x ast.Expr, decides trace.Event) {
	c.decides(f, fn, x, divergence.ValueOperand, decides, false)
}

// decides adds what decides; whole is as in origins.
func (c *chooser) decides(f *file, fn ast.Node, x ast.Expr, kind divergence.ValueKind, decides trace.Event, whole bool) {
	c.wrap(f, x, divergence.ValueSite{Kind: kind, Decides: decides, From: c.origins(f, fn, x, whole), Reads: c.reads(f, fn, x), Handed: c.handed(f, x)})
}

// arguments adds what a call in a condition looks at: its arguments, and the
// receiver of a method.
func (c *chooser) arguments(f *file, fn ast.Node, call *ast.CallExpr, decides trace.Event) {
	if v, ok := f.info.Types[call.Fun]; ok && v.IsType() {
		return
	}
	callee := f.callee(call)
	followed := callee != nil && c.prog.funcs[callee.Origin().FullName()] != nil
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.simpleReceiver(sel) {
		c.decides(f, fn, sel.X, divergence.ValueArgument, decides, followed)
	}
	for _, x := range call.Args {
		if !isTesting(f.info.TypeOf(x)) {
			c.decides(f, fn, x, divergence.ValueArgument, decides, false)
		}
	}
}

// simpleReceiver reports whether a method is called on a value: of a variable
// whose address the call takes, a copy would be something else.
func (f *file) simpleReceiver(sel *ast.SelectorExpr) bool {
	s := f.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	fn, ok := s.Obj().(*types.Func)
	if !ok {
		return false
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	_, pointer := recv.Type().Underlying().(*types.Pointer)
	_, have := s.Recv().Underlying().(*types.Pointer)
	return !isTesting(s.Recv()) && (!pointer || have)
}

// returned adds the operands of the return statement that ends a block.
func (c *chooser) returned(block int, decides trace.Event) {
	f, fn := c.function(block)
	if f == nil || fn == nil {
		return
	}
	b := c.in.Sites.Blocks[block]
	ast.Inspect(fn, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != fn {
			return false
		}
		if ret, ok := n.(*ast.ReturnStmt); ok && (within(f, ret, b)) {
			for _, x := range ret.Results {
				c.operands(f, fn, x, decides)
			}
		}
		return true
	})
}

// isTesting reports whether t is *testing.T or the like, or a context.
func isTesting(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	return n.Obj().Pkg().Path() == "testing" || n.Obj().Pkg().Path() == "context"
}
