package report

import (
	"go/ast"
	"go/token"
)

// waiting is what a goroutine may wait for in a piece of a function.
type waiting struct {
	selects bool // the last line has a select statement, which waits
	waits   bool // some line waits: for a channel, a WaitGroup, a condition, a time
}

// waitsBetween returns what is waited for from one line to another, where no lock can be held. What
// functions in it do is their own.
func (s *sources) waitsBetween(path string, from, to int) (w waiting) {
	set, file := s.parse(path)
	if file == nil {
		return w
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		line := set.Position(n.Pos()).Line
		if lit, ok := n.(*ast.FuncLit); ok && line >= from && set.Position(lit.End()).Line <= to {
			return false
		}
		if line < from || line > to {
			return true
		}
		switch n := n.(type) {
		case *ast.SelectStmt:
			if mayWait(n) {
				w.waits, w.selects = true, w.selects || line == to
			}
			return false // what it waits for is its cases
		case *ast.SendStmt:
			w.waits = true
		case *ast.UnaryExpr:
			w.waits = w.waits || n.Op == token.ARROW
		case *ast.CallExpr:
			w.waits = w.waits || waitingCall(n)
		}
		return true
	})
	return w
}

// mayWait reports whether a select has no default.
func mayWait(s *ast.SelectStmt) bool {
	for _, c := range s.Body.List {
		if c.(*ast.CommClause).Comm == nil {
			return false
		}
	}
	return true
}

// waitingCall reports whether a call is one that waits by its name: x.Wait() or time.Sleep(d).
func waitingCall(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return sel.Sel.Name == "Wait" && len(c.Args) == 0 || ok && x.Name == "time" && sel.Sel.Name == "Sleep"
}

// late is the advice for a goroutine that comes to a wait late, nil if it waits for nothing in what
// would be one step: what else gets ready meanwhile no lock keeps from it.
func (f *fixer) late(no prose) []prose {
	from, to := f.d.Window[0], f.d.Window[len(f.d.Window)-1]
	if f.d.Cures() {
		from = f.d.Cure[0]
	}
	w := f.v.src.waitsBetween(from.File, from.Start, max(to.Start, to.End))
	switch {
	case w.selects:
		return []prose{
			say("If it comes to ").add(f.last).text(" late, more of its cases may be ready, and of these Go takes any: let each of them lead to what is wanted when others are ready too. No lock keeps a case from getting ready."),
			say("If one must not be passed over, look for it before, with a select of its own that has a default."), no,
		}
	case w.waits:
		return f.unshown(no)
	}
	return nil
}
