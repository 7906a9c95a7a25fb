package diagnose

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var orderRule = Rule{
	Name: "order",
	Doc: `Another goroutine was late or early when the goroutine that failed reached the
divergence. Named are what it had not done, its go statement, and a sleep that
should be a wait. It rests on when goroutines waited. Runs whose order cannot be
told count for neither side.`,
	find: orders,
}

func orders(s *scene) []finding.Suspect {
	if s.a == nil {
		return nil
	}
	var list []finding.Suspect
	for i := range s.a.Orders {
		o := &s.a.Orders[i]
		if o.Divergence == len(s.steps)-1 && !o.GivenLess { // else neither is the one that failed
			list = append(list, s.order(o)...)
		}
	}
	return list
}

// order returns the places that an order has to do with, the one to change first
// first: where the goroutine that failed waits for a time, the step of the other one,
// and where that is started.
func (s *scene) order(o *divergence.Order) []finding.Suspect {
	st := s.steps[o.Divergence]
	m, link, span := s.nearest(st, o)
	e := finding.Counted(m.Table)
	e.Link, e.Step = link, o.Divergence
	last, _ := st.d.LastCommon.Block()
	r := reason{whyLate, s.end(last)}
	switch d := s.Source.Decision(last); {
	case !o.Late:
		r.kind = whyEarly
	case d != nil && isSelect(d.Stmt): // it is waited for in a select, which took another case
		r.kind = whyEndsWait
		if o.Divergence > 0 { // it did not come because of an earlier difference
			e.Class = finding.Symptom
		}
	}
	var list []finding.Suspect
	done := frameOf(span)
	if b := s.timedWait(o); o.Late && b != 0 {
		first := e
		first.Explains = []trace.Frame{done}
		list = append(list, at(s.waitSpan(b), first, reason{whySleeps, done}))
	}
	list = append(list, at(span, e, r))
	if n := len(o.Class); n > 0 {
		e.Link = min(e.Link, finding.Feeds)
		list = append(list, at(line(s.rel(o.Class[n-1])), e, reason{whyStarts, done}))
	}
	return list
}

// nearest returns, of the blocks that the other goroutine had or had not run, the
// one with the change closest to the deciding condition, and the lines of that.
func (s *scene) nearest(st *step, o *divergence.Order) (m divergence.Missed, link finding.Link, span trace.Span) {
	m = divergence.Missed{Block: o.Block, First: o.Event, Table: o.Table}
	link, span = s.link(st, o.Block, source.Write, source.Release)
	for _, x := range o.Missing {
		if l, at := s.link(st, x.Block, source.Write, source.Release); l > link || x.Block == m.Block {
			m, link, span = x, l, at
		}
	}
	return m, link, span
}

// Nearest returns, of the blocks that the other goroutine of an order had or had not
// run, the one with the change closest to the deciding condition.
func Nearest(in Input, o *divergence.Order) divergence.Missed {
	s := newScene(in)
	m, _, _ := s.nearest(s.steps[o.Divergence], o)
	return m
}

func isSelect(n ast.Node) bool {
	_, ok := n.(*ast.SelectStmt)
	return ok
}

// timedWait returns the block in which the goroutine that failed slept before it came
// to the divergence, if that is the test's own; 0 otherwise. A sleep in another
// goroutine stands for work.
func (s *scene) timedWait(o *divergence.Order) int {
	if g := o.Fail.Anchor; g == nil || !g.Root {
		return 0
	}
	return s.slept(o.Waited)
}

// slept returns the block with the last wait, locks left aside, if that is for a time;
// 0 if it is for something else, or only from one look at something to the next.
func (s *scene) slept(waited []int) int {
	for _, b := range waited {
		waits := s.Source.Block(b, source.Wait)
		switch {
		case slices.ContainsFunc(waits, func(o *source.Op) bool { return o.Sleeps() }):
			if s.Source.Polls(b) {
				return 0
			}
			return b
		case len(waits) == 0 || slices.ContainsFunc(waits, func(o *source.Op) bool { return !o.Locks() }):
			return 0
		}
	}
	return 0
}

// waitSpan returns the lines of the last wait in a block.
func (s *scene) waitSpan(b int) trace.Span {
	span, _ := s.Sites.Pos(b)
	for _, o := range s.Source.Block(b, source.Wait) {
		n := s.Source.Line(o.Node)
		span.Start, span.End = n, n
	}
	return span
}
