package values

import (
	"go/ast"
	"go/types"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// check adds what the check in the first of the frames with user code looked at: the condition around its call, and the
// arguments of the call, because an assertion helper fails without a branch in that code. A message may print different
// values alike, such as a nil slice and an empty one.
func (c *chooser) check(frames []trace.Frame, decides trace.Event) {
	for _, fr := range frames {
		rel, ok := c.in.Sites.Rel(fr.File)
		if !ok || c.prog.files[rel] == nil {
			continue
		}
		if o := c.prog.CallAt(rel, fr.Line); o != nil {
			f, call := c.prog.files[rel], o.Node.(*ast.CallExpr)
			c.arguments(f, call, decides)
			c.conditionsAround(f, o, decides)
		}
		return
	}
}

// panicked adds the values through which a statement that panicked accessed memory, and the
// indexes that it used: pointers, slices and maps, in its line.
func (c *chooser) panicked(d *divergence.Divergence, frame trace.Frame) {
	rel, ok := c.in.Sites.Rel(frame.File)
	if !ok || c.prog.files[rel] == nil {
		return
	}
	f := c.prog.files[rel]
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		if n == nil || f.line(n.Pos()) > frame.Line || f.line(n.End()) < frame.Line {
			return false
		}
		if x, ok := n.(ast.Expr); ok && constant(f, x) {
			return false // len(p.array)
		}
		var through ast.Expr
		switch n := n.(type) {
		case *ast.SelectorExpr:
			through = n.X
		case *ast.StarExpr:
			through = n.X
		case *ast.IndexExpr:
			through = n.X
			c.operandIn(f, n.Index, frame.Line, d.LastCommon)
		}
		if through != nil && refers(f.Info.TypeOf(through)) {
			c.operandIn(f, through, frame.Line, d.LastCommon)
		}
		return true
	})
}

// operandIn adds an operand that begins in a line of a function.
func (c *chooser) operandIn(f *file, x ast.Expr, line int, decides trace.Event) {
	if c.prog.FuncAround(x) != nil && f.line(x.Pos()) == line && !source.IsTesting(f.Info.TypeOf(x)) {
		c.operand(f, x, decides)
	}
}

// refers reports whether a value of a type can be nil or too short. What it refers to can be
// assigned to through a copy of it.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// conditionsAround adds the operands of the condition for a call of a method of package testing:
// if got != want { t.Errorf(...) }.
func (c *chooser) conditionsAround(f *file, call *source.Op, decides trace.Event) {
	sel, ok := ast.Unparen(call.Node.(*ast.CallExpr).Fun).(*ast.SelectorExpr)
	if !ok || !source.IsTesting(f.Info.TypeOf(sel.X)) {
		return
	}
	for _, d := range c.prog.Around(call) {
		if s, ok := d.Stmt.(*ast.IfStmt); ok && s.Body.Pos() <= call.Node.Pos() && call.Node.End() <= s.Body.End() {
			c.looks(f, d, decides)
			return
		}
	}
}
