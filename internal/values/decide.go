package values

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// decision adds the operands of what decided a divergence: the condition that follows the last
// common block. If that block is in a function that returned before the runs diverged, the
// condition is in its caller, and what it returned counts too.
func (c *chooser) decision(d *divergence.Divergence) {
	last, ok := d.LastCommon.Block()
	if !ok || !c.in.Sites.Has(last) {
		return
	}
	at := c.returnedTo(d, last)
	if at != last {
		c.returned(last, d.LastCommon)
	}
	head := c.prog.Decision(at)
	if head == nil {
		return
	}
	if f := c.prog.file(head.Stmt); f != nil {
		c.looks(f, head, d.LastCommon)
	}
}

// returnedTo returns the block at whose end the runs diverged: the last common one, or the one
// from which its function was called.
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

// looks adds the operands of what decides. If a call's result gets a name, as in if got := f(x);
// got != want, the arguments of the call are recorded instead of the call, because the name is
// recorded.
func (c *chooser) looks(f *file, d *source.Decision, decides trace.Event) {
	var init ast.Stmt
	switch s := d.Stmt.(type) {
	case *ast.SelectStmt:
		return // its cases must not be changed
	case *ast.IfStmt:
		init = s.Init
	case *ast.SwitchStmt:
		init = s.Init
	case *ast.TypeSwitchStmt:
		init = s.Init
	}
	for _, x := range d.Looks {
		if init == nil || x.Pos() >= init.End() {
			c.operands(f, x, decides)
		} else if call, ok := ast.Unparen(x).(*ast.CallExpr); ok {
			c.arguments(f, call, decides)
		}
	}
}

// operands adds the operands in a condition.
func (c *chooser) operands(f *file, x ast.Expr, decides trace.Event) {
	switch n := x.(type) {
	case *ast.ParenExpr:
		c.operands(f, n.X, decides)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			c.operands(f, n.X, decides)
			return
		}
		c.operand(f, n, decides)
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ:
			if f.isNil(n.X) || f.isNil(n.Y) {
				c.compared(f, n.X, decides)
				c.compared(f, n.Y, decides)
				return
			}
			c.operands(f, n.X, decides)
			c.operands(f, n.Y, decides)
			return
		case token.LAND, token.LOR, token.LSS, token.LEQ, token.GTR, token.GEQ:
			c.operands(f, n.X, decides)
			c.operands(f, n.Y, decides)
			return
		}
		c.operand(f, n, decides)
	case *ast.TypeAssertExpr:
		c.operand(f, n.X, decides)
	case *ast.CallExpr:
		c.operand(f, n, decides)
		c.arguments(f, n, decides)
	default:
		c.operand(f, n, decides)
	}
}

func (f *file) isNil(x ast.Expr) bool { return f.Info.Types[x].IsNil() }

// compared adds an operand that is compared with nil.
func (c *chooser) compared(f *file, x ast.Expr, decides trace.Event) {
	x = ast.Unparen(x)
	c.operand(f, x, decides)
	if call, ok := x.(*ast.CallExpr); ok {
		c.arguments(f, call, decides)
	}
}

func (c *chooser) operand(f *file, x ast.Expr, decides trace.Event) {
	c.decides(f, x, divergence.ValueOperand, decides)
}

// decides adds an operand that decides.
func (c *chooser) decides(f *file, x ast.Expr, kind divergence.ValueKind, decides trace.Event) {
	c.wrap(f, x, divergence.ValueSite{Kind: kind, Decides: decides})
}

// arguments adds what a call in a condition looks at: its arguments, and the receiver of a
// method.
func (c *chooser) arguments(f *file, call *ast.CallExpr, decides trace.Event) {
	if v, ok := f.Info.Types[call.Fun]; ok && v.IsType() {
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && f.simpleReceiver(sel) {
		c.decides(f, sel.X, divergence.ValueArgument, decides)
	}
	for _, x := range call.Args {
		if !source.IsTesting(f.Info.TypeOf(x)) {
			c.decides(f, x, divergence.ValueArgument, decides)
		}
	}
}

// simpleReceiver reports whether a method is called on a value. If the call takes the address of
// a variable, a copy would be a different one.
func (f *file) simpleReceiver(sel *ast.SelectorExpr) bool {
	s := f.Info.Selections[sel]
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
	return !source.IsTesting(s.Recv()) && (!pointer || have)
}

// returned adds the operands of the return statement that ends a block, whose caller then decides how to go on. decides
// is the event that they are recorded for.
func (c *chooser) returned(block int, decides trace.Event) {
	for _, o := range c.prog.Block(block, source.Return) {
		f := c.prog.file(o.Node)
		for _, x := range o.From {
			if f != nil {
				c.operands(f, x, decides)
			}
		}
	}
}
