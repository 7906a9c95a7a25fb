package diagnose

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var orderRule = Rule{
	Name: "order",
	Doc: `Another goroutine was late or early when the goroutine that failed reached the
divergence. Named are what it had not done, its go statement, and a sleep that
should be a wait. It rests on when goroutines waited. Runs whose order cannot be
told count for neither side.`,
	find:  orders,
	kinds: []*kind{whyLate, whyEarly, whyLateAgain, whyEarlyAgain, whyAwaited, whyGo, whyGoEarly, whyTimedWait},
}

// A step that another goroutine had not done, or had, when the run came to the other place; or a wait for a time, and
// not for the step. Counts of runs in which it was late or early stand beside all of them, so each says something that
// is true of these runs and not of the others.
var (
	whyLate = &kind{
		name: "late", why: say.WhyLate,
		cause: says(say.Order, fails, other, here), mark: say.MarkFirst, other: say.MarkEarly,
		fix: says(say.FixWait, here, other),
	}
	whyEarly = &kind{
		name: "early", why: say.L("had already run"),
		cause: says(say.Order, fails, here, other), mark: say.MarkEarly, other: say.MarkFirst,
		fix: says(say.FixWait, other, here),
	}
	// It had run before, in runs of both outcomes.
	whyLateAgain  = whyLate.because("late-again", say.L("had not run again yet"))
	whyEarlyAgain = whyEarly.because("early-again", say.L("had already run again"))
	// It is waited for in a select, which took another case.
	whyAwaited = &kind{
		name: "awaited", why: say.WhyLate,
		cause: says(say.HangEnds, here), mark: say.MarkEnds, other: say.MarkWaits, fix: mustEnd,
	}
	whyGo        = &kind{name: "go", why: say.BarLate}
	whyGoEarly   = &kind{name: "go-early", why: say.MarkEarly}
	whyTimedWait = &kind{
		name: "timed-wait", why: say.WhySignal, claim: finding.Claim{Category: "async-wait"},
		cause: says(say.T("{Fails} when {code} ends before {code} runs."), fails, here, other),
		mark:  say.MarkEarly, other: say.MarkFirst, fix: awaitIt,
	}
)

// awaitIt is for all that sleeps where it should wait.
var awaitIt = says(say.T("Wait for the condition instead of sleeping at {code}. A longer sleep is no fix."), here)

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
	r, starts := reason{whyLate, s.end(last)}, whyGo
	switch d := s.Source.Decision(last); {
	case !o.Late:
		if r.kind, starts = whyEarly, whyGoEarly; m.Nth > 1 {
			r.kind = whyEarlyAgain
		}
	case d != nil && isSelect(d.Stmt):
		r.kind = whyAwaited
		if o.Divergence > 0 { // it did not come because of an earlier difference
			e.Class = finding.Symptom
		}
	case m.Nth > 1:
		r.kind = whyLateAgain
	}
	var list []finding.Suspect
	done := frameOf(span)
	if b := s.timedWait(o); o.Late && b != 0 {
		first := e
		first.Explains = []trace.Frame{done}
		list = append(list, at(s.waitSpan(b), first, reason{whyTimedWait, done}))
	}
	list = append(list, at(span, e, r))
	if n := len(o.Class); n > 0 {
		e.Link = min(e.Link, finding.Feeds)
		list = append(list, at(line(s.rel(o.Class[n-1])), e, reason{starts, done}))
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
