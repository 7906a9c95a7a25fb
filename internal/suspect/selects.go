package suspect

import (
	"fmt"
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// selects takes in a select at which runs parted though few waited there. One
// with a default looks only once, and what it finds depends on how far others have
// come. Without a default, of cases that are ready at once one is taken by chance.
func (f *finder) selects() {
	for i, d := range f.Analysis.Chain {
		s := f.selectAt(d)
		if s == nil || f.explained(i) {
			continue
		}
		waited := d.Waited.FailTaken + d.Waited.PassTaken
		score, why := 0.87, fmt.Sprintf("of the cases of this select that are ready at once, one is taken by chance; %d of %d runs waited here, and it took", waited, d.Waited.Total())
		switch {
		case s.looksOnce:
			score, why = 0.855, "this select does not wait: what it finds ready depends on how far other goroutines have come. It took"
		case s.hasDefault || 10*waited >= d.Waited.Total():
			continue
		}
		if d.Table.FailTaken < d.Table.PassTaken {
			score -= 0.03 // it takes something else to fail
		}
		f.add(finding.Suspect{File: s.file, Start: s.line, End: max(s.failLine, s.passLine), Score: score - 0.005*float64(i),
			Why: fmt.Sprintf("%s the case at line %d %s", why, s.failLine, ofRuns(d.Table))})
	}
}

// A chosen is a select in which runs took different cases.
type chosen struct {
	file               string
	line               int  // of the select
	failLine, passLine int  // of the cases that failing and passing runs took
	hasDefault         bool // among its cases
	looksOnce          bool // runs of one outcome took the default, and no loop around it looks again
}

// selectAt returns the select at which a divergence lies, nil if it is at none.
func (f *finder) selectAt(d *divergence.Divergence) *chosen {
	fail, ok := d.FailNext.Block()
	pass, known := d.PassNext.Block()
	p := f.src.parse(fail)
	if !ok || !known || p == nil || !f.src.sameFunction(fail, pass) {
		return nil
	}
	var found *chosen
	loops := 0 // around it, of its function
	ast.Inspect(p.ast, func(n ast.Node) bool {
		if n == nil || !p.around(n, f.Sites.Blocks[fail]) {
			return n == p.ast
		}
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			loops++
		case *ast.FuncLit:
			loops = 0
		case *ast.SelectStmt:
			failCase, passCase := p.caseOf(n, f.Sites.Blocks[fail]), p.caseOf(n, f.Sites.Blocks[pass])
			if failCase == nil || passCase == nil || failCase == passCase {
				return true
			}
			found = &chosen{
				file: f.file(fail), line: p.line(n.Pos()),
				failLine: p.line(failCase.Pos()), passLine: p.line(passCase.Pos()),
				hasDefault: hasDefault(n), looksOnce: loops == 0 && (failCase.Comm == nil || passCase.Comm == nil),
			}
		}
		return true
	})
	return found
}

// caseOf returns the case of a select that a block begins in, nil if it is in none.
func (p *parsed) caseOf(s *ast.SelectStmt, b trace.Block) *ast.CommClause {
	for _, stmt := range s.Body.List {
		if c, ok := stmt.(*ast.CommClause); ok && p.around(c, b) {
			return c
		}
	}
	return nil
}

func hasDefault(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(stmt ast.Stmt) bool {
		c, ok := stmt.(*ast.CommClause)
		return ok && c.Comm == nil
	})
}
