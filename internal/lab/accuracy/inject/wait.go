package inject

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// waits reports whether a statement only waits for another goroutine.
func (s *source) waits(st ast.Stmt) bool {
	if _, name := s.called(st); name == "(*sync.WaitGroup).Wait" || name == "(*golang.org/x/sync/errgroup.Group).Wait" {
		return true
	}
	if e, ok := st.(*ast.ExprStmt); ok {
		u, ok := ast.Unparen(e.X).(*ast.UnaryExpr)
		return ok && u.Op == token.ARROW
	}
	return false
}

func waitDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if s.waits(l.stmts[i]) {
			edits = append(edits, s.drop(l, i))
		}
	})
	return edits
}

func waitSlept(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if n := l.stmts[i]; s.waits(n) {
			us := []int{50, 500, 2000}[s.pick(s.offset(n.Pos()), 3)]
			edits = append(edits, s.replace(n, fmt.Sprintf("injecttime.Sleep(%d * injecttime.Microsecond)", us),
				"time"))
		}
	})
	return edits
}

// shorter makes an edit that divides a constant duration by one of the given
// numbers, if it is at least a millisecond.
func (s *source) shorter(e ast.Expr, by ...int) []Edit {
	if d, ok := s.duration(e); !ok || d < 1e6 {
		return nil
	}
	return []Edit{s.replace(e, fmt.Sprintf("(%s) / %d", s.code(e), by[s.pick(s.offset(e.Pos()), len(by))]))}
}

func sleepShrunk(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		if name == "time.Sleep" {
			edits = append(edits, s.shorter(c.Args[0], 10, 100)...)
		}
	})
	return edits
}

func callGo(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if c, name := s.called(l.stmts[i]); c != nil && s.own(name) && !s.takesT(c) {
			edits = append(edits, s.replace(l.stmts[i], "go "+s.code(c)))
		}
	})
	return edits
}

// takesT reports whether a testing.T is passed to a call, which may then fail the test from
// another goroutine. That is a different mistake.
func (s *source) takesT(c *ast.CallExpr) bool {
	for _, a := range c.Args {
		if t := s.info.TypeOf(a); t != nil && strings.HasPrefix(types.TypeString(t, nil), "*testing.") {
			return true
		}
	}
	return false
}

func deadlineShrunk(s *source) (edits []Edit) {
	add := func(e ast.Expr) { edits = append(edits, s.shorter(e, 10, 100, 1000)...) }
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if tv := s.info.Types[n.Fun]; tv.IsType() || s.callee(n) == "time.Sleep" {
				return true
			}
			for _, a := range n.Args {
				add(a)
			}
		case *ast.KeyValueExpr:
			add(n.Value)
		case *ast.ValueSpec:
			for _, v := range n.Values {
				add(v)
			}
		}
		return true
	})
	return edits
}

func clockTruncated(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		if name == "time.Now" {
			grain := []string{"1_000_000", "10_000_000", "100_000_000", "1_000_000_000"}[s.pick(s.offset(c.Pos()), 4)]
			edits = append(edits, s.replace(c, s.code(c)+".Truncate("+grain+")"))
		}
	})
	return edits
}
