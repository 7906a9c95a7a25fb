package diagnose

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var unwaitedRule = Rule{
	Name: "unwaited",
	Doc: `A goroutine that reports its end by a WaitGroup or a channel that nothing waits
for. The wait is missing, or a sleep stands in its place. It is a mechanism if
what decides reads what the goroutine writes. Otherwise it is a hint.`,
	find:  unwaited,
	kinds: []*kind{whyUnwaited, whyUnwaitedSleep},
}

// Nothing waits for the goroutine that the other place starts, or a sleep stands instead.
var (
	missesIt         = finding.Claim{Category: "async-wait", NoWait: finding.InTest}
	whyUnwaited      = &kind{name: "unwaited", claim: missesIt, why: say.WhyOutlives, fix: []said{{say.FixWaitGo, "o"}}}
	whyUnwaitedSleep = &kind{name: "unwaited-sleep", claim: missesIt, why: say.WhySleeps, fix: awaitIt}
)

func unwaited(s *scene) (list []finding.Suspect) {
	for _, m := range s.missing() {
		e := finding.Evidence{Class: finding.Hint, Link: finding.Mentions}
		if s.feeds(m.fn) {
			e.Class, e.Link, e.Explains = finding.Mechanism, finding.Decides, s.racesOf(m.start)
		}
		list = append(list, at(m.span, e, m.reason()))
	}
	return list
}

// A missingWait is where a wait is missing for a goroutine that is started before on the way to a failure.
type missingWait struct {
	start trace.Frame
	fn    ast.Node   // what the goroutine runs
	span  trace.Span // after the start, up to where the failure comes from; or a sleep between
	slept bool
}

func (m *missingWait) reason() reason {
	if m.slept {
		return reason{whyUnwaitedSleep, m.start}
	}
	return reason{whyUnwaited, m.start}
}

// missing returns the waits that are missing on the way to the failure, the latest first.
func (s *scene) missing() (list []missingWait) {
	for _, f := range s.failing() {
		for _, g := range slices.Backward(s.Source.Before(f.File, f.Line, false, source.Go)) {
			start := frameOf(s.lineOf(g))
			one, fn := s.Source.Started(start.File, start.Line)
			if one != g || start.Line >= f.Line {
				continue
			}
			if tell := s.Source.Untaken(g); tell != nil {
				m := missingWait{start: start, fn: fn}
				m.span, m.slept = s.gap(start, f)
				if first, last := s.Source.InScope(tell.Obj(), g); first > 0 && last < m.span.Start {
					m.span, m.slept = trace.Span{File: f.File, Start: max(first, last-maxWindow+1), End: last}, false
				}
				list = append(list, m)
			}
		}
	}
	return list
}

// failing returns where the functions stand of the goroutine that failed, and the go statements that led to it, or
// the failed check alone.
func (s *scene) failing() []trace.Frame {
	if st := s.failed(); st != nil {
		if list := s.frames(st.d.Path, true); len(list) > 0 {
			for _, start := range slices.Backward(st.d.Class) {
				list = append(list, s.rel(start))
			}
			return list
		}
	}
	if f := s.rel(s.Failure.Frame); f.File != "" {
		return []trace.Frame{f}
	}
	return nil
}

// gap returns the lines between a go statement and a place further down in its function, the last of them if there are
// many; if the function sleeps there, the last sleep.
func (s *scene) gap(start, to trace.Frame) (span trace.Span, slept bool) {
	for _, o := range slices.Backward(s.Source.Before(to.File, to.Line, false, source.Wait)) {
		if s.Source.Line(o.Node) > start.Line && o.How == "time.Sleep" && !s.Source.Polls(o.Block) {
			return s.lineOf(o), true
		}
	}
	span = line(to)
	if first := s.Source.LineAfter(start.File, start.Line, to.Line); first > 0 {
		span.Start = max(first, to.Line-maxWindow+1)
	}
	return span, false
}

// feeds reports whether a function, or what it calls, writes what is read where runs diverge, or by the failed
// check.
func (s *scene) feeds(fn ast.Node) bool {
	writes := s.Source.In(fn, source.Write)
	for _, c := range s.Source.In(fn, source.Call) {
		writes = append(writes, s.Source.Inside(c, maxSteps, source.Write)...)
	}
	var reads []*source.Op
	if f := s.rel(s.Failure.Frame); f.File != "" {
		for _, x := range s.Source.Check(f.File, f.Line) {
			reads = append(reads, s.Source.In(x, source.Read)...)
		}
	}
	return slices.ContainsFunc(writes, func(w *source.Op) bool {
		for _, st := range s.steps {
			if st.links[w] >= finding.Feeds {
				return true
			}
		}
		return w.Obj() != nil && slices.ContainsFunc(reads, func(r *source.Op) bool { return r.Obj() == w.Obj() })
	})
}

// missingFor returns the wait that is missing for the goroutine that an experiment has held.
func (s *scene) missingFor(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	if v.Started().File == "" {
		return nil
	}
	for _, m := range s.missing() {
		if m.start == s.rel(v.Started()) {
			return []finding.Suspect{at(m.span, e, m.reason())}
		}
	}
	return nil
}
