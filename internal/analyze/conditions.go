package analyze

import (
	"go/ast"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// conditions returns the conditions of the if statements at which the divergences of
// an analysis are, by block.
func conditions(x *source.Index, a *divergence.Analysis) map[int]finding.Condition {
	if a == nil {
		return nil
	}
	list := make(map[int]finding.Condition)
	for _, d := range a.Chain {
		b, _ := d.LastCommon.Block()
		decision := x.Decision(b)
		if decision == nil {
			continue
		}
		s, ok := decision.Stmt.(*ast.IfStmt)
		if !ok {
			continue
		}
		c, known := list[b]
		if !known {
			c = finding.Condition{Code: x.Text(s.Cond), Ways: make(map[int]bool)}
			list[b] = c
		}
		for _, e := range []trace.Event{d.PassNext, d.FailNext} {
			if next, ok := e.Block(); ok && x.Way(b, next) != source.Unknown {
				c.Ways[next] = x.Way(b, next) == source.True
			}
		}
	}
	return list
}
