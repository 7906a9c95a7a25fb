package diagnose

import (
	"go/ast"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

var selectRule = Rule{
	Name: "select",
	Doc: `A select where runs diverge and few of them waited. If several cases are ready, Go
takes one at random. A select with a default looks only once, at what is ready by
then.`,
	find: selects,
}

func selects(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i, st := range s.steps {
		if h, ok := s.selectAt(st.d); ok {
			h.Step = i
			if s.surfaces(st.d) { // a check that looks whether something is there
				h.Class = finding.Symptom
			}
			list = append(list, h)
		}
	}
	return list
}

// selectAt returns the hypothesis about the select at which runs diverge.
func (s *scene) selectAt(d *divergence.Divergence) (h finding.Suspect, ok bool) {
	last, ok := d.LastCommon.Block()
	fail, failOK := d.FailNext.Block()
	pass, passOK := d.PassNext.Block()
	if !ok || !failOK || !passOK {
		return h, false
	}
	x := s.Source.Decision(last)
	if x == nil {
		return h, false
	}
	sel, ok := x.Stmt.(*ast.SelectStmt)
	failed, passed := s.Source.Clause(last, fail), s.Source.Clause(last, pass)
	if !ok || failed == nil || passed == nil || failed == passed {
		return h, false
	}
	why := whySelect
	if syntax.HasDefault(sel) {
		why = whySelectOnce
	} else if 10*(d.Waited.FailTaken+d.Waited.PassTaken) >= d.Waited.Total() {
		return h, false // they waited: the first case to be ready decided
	}
	file := s.frame(fail).File
	r := reason{why, trace.Frame{File: file, Line: s.Source.Line(failed)}}
	span := trace.Span{File: file, Start: s.Source.Line(sel), End: s.Source.Line(failed)}
	return at(span, finding.Evidence{Class: finding.Associated, Link: finding.Decides, Table: d.Table, P: d.P}, r), true
}
