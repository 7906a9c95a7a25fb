package values

import (
	"go/ast"

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
