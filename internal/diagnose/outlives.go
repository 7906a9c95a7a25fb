package diagnose

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var outlivesRule = Rule{
	Name: "outlives",
	Doc: `A goroutine that was still running when its test had completed, and failed or logged after
that, for which package testing ends the process: its message says so. Where the function that starts it is that of
the test, comes first what the source lacks there: what ends its wait before the goroutine has
come to what it failed with, the sleep after which it ends, or its end, if no wait is seen for the goroutine; a wait that
the source hides, in a function value or behind an interface, is not seen. The statement that
starts it comes next.`,
	find: outlives,
}

// completed is what package testing says of a goroutine that outlives its test.
var completed = regexp.MustCompile(`(?:Fail|Log) in goroutine after (\S+) has completed`)

func outlives(s *scene) []finding.Suspect {
	said, st := completed.FindStringSubmatch(s.Failure.Message), s.failed()
	if said == nil || st == nil || len(st.d.Class) == 0 {
		return nil
	}
	e := finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}
	by := st.d.Class[len(st.d.Class)-1]
	started := s.rel(by)
	r := finding.Reason{Code: said[1], Other: started}
	var list []finding.Suspect
	start, _ := s.Source.Started(started.File, started.Line)
	if fn := s.Source.FuncAt(started.File, started.Line); start != nil && fn != nil && ofTest(by.Func, said[1]) {
		list = s.unfinished(fn, start, s.frames(st.d.Path, false), e, r)
	}
	r.Kind = finding.ReasonOutlives
	return append(list, at(line(started), e, r))
}

// ofTest reports whether a function is that of a top-level test, or stands in it.
func ofTest(fn, test string) bool {
	name := fn[strings.LastIndex(fn, "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, ".func")
	return name == trace.TopTest(test)
}

// unfinished returns what the function of a test lacks to wait for a goroutine that it starts, whose
// functions stood somewhere when it had completed.
func (s *scene) unfinished(fn ast.Node, start *source.Op, late []trace.Frame, e finding.Evidence, r finding.Reason) []finding.Suspect {
	var waits []*source.Op
	for _, o := range s.Source.Passed(fn, source.Wait, source.Call) {
		switch {
		case s.Source.Over(o, start):
		case o.Kind == source.Wait:
			waits = append(waits, o)
		default:
			waits = append(waits, s.Source.Inside(o, maxSteps, source.Wait)...)
		}
	}
	waits = slices.DeleteFunc(waits, locks)
	m := s.meet(late, waits)
	switch {
	case m.signal != nil:
		r.Kind, r.Then = finding.ReasonOutlivesSignal, frameOf(s.lineOf(m.wait))
		return []finding.Suspect{at(s.lineOf(m.signal), e, r)}
	case m.awaited:
		return nil
	}
	if n := len(waits); n > 0 && waits[n-1].How == "time.Sleep" && s.Source.FuncAround(waits[n-1].Node) == fn && !s.Source.Polls(waits[n-1].Block) {
		r.Kind = finding.ReasonOutlivesSleep
		return []finding.Suspect{at(s.lineOf(waits[n-1]), e, r)}
	}
	r.Kind = finding.ReasonOutlivesEnd
	span := trace.Span{File: s.fileOf(start)}
	span.Start, span.End = s.Source.End(fn)
	return []finding.Suspect{at(span, e, r)}
}
