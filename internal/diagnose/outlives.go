package diagnose

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// What only this rule says.
const (
	panicEndedCause say.Template = "Panics because the test has ended."
	endsTestMark    say.Label    = "the test does not wait"
	endFix          say.Template = "Wait for this goroutine before the test ends."
)

var outlivesRule = Rule{
	Name: "outlives",
	Doc: `A goroutine that still runs after its test has completed, and then fails, logs or
panics. Named are what ends its wait too early, the sleep after which it ends, and
its go statement. A wait behind a function value or an interface is not seen.`,
	find:  outlives,
	kinds: []*kind{whyOutlives, whyOutlivesEnd, whyOutlivesSleep, whyOutlivesSignal},
}

// What starts a goroutine that was still running when its test had completed, which the other place starts; or where
// the test ends without having waited for it, sleeps before it ends, or has its wait end too early.
var (
	ended       = []said{{panicEndedCause, ""}}
	whyOutlives = &kind{
		name: "outlives", why: say.WhyOutlives,
		cause: ended, mark: endsTestMark, fix: []said{{endFix, ""}},
	}
	whyOutlivesEnd = &kind{
		name: "outlives-end", why: say.WhyOutlives,
		cause: ended, mark: endsTestMark, other: say.MarkStartsGo, fix: whyOutlives.fix,
	}
	whyOutlivesSleep = &kind{
		name: "outlives-sleep", why: say.WhySleeps,
		cause: ended, mark: endsTestMark, other: say.MarkStartsGo, fix: whyOutlives.fix,
	}
	whyOutlivesSignal = &kind{
		name: "outlives-signal", why: say.WhySignal,
		cause: ended, mark: endsTestMark, fix: []said{{say.FixSignalLast, ""}},
	}
)

// completed is what package testing says of a goroutine that outlives its test.
var completed = regexp.MustCompile(`(?:Fail|Log) in goroutine after (\S+) has completed`)

func outlives(s *scene) []finding.Suspect {
	test, st := s.outlivedTest(), s.failed()
	if test == "" || st == nil || len(st.d.Class) == 0 {
		return nil
	}
	e := finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}
	by := st.d.Class[len(st.d.Class)-1]
	started := s.rel(by)
	list := []finding.Suspect{at(line(started), e, reason{whyOutlives, started})}
	if l := s.unfinished(by, s.frames(st.d.Path, false)); l != nil && testOf(by.Func) == trace.TopTest(test) {
		why := map[lackKind]*kind{lacksEnd: whyOutlivesEnd, lacksSleep: whyOutlivesSleep,
			lacksSignal: whyOutlivesSignal}[l.kind]
		list = append(list, at(l.span, e, reason{why, started}))
		if l.kind != lacksEnd { // there is a statement that comes too early
			slices.Reverse(list)
		}
	}
	return list
}

// outlivedTest returns the test that had completed when a goroutine that it had started failed, logged or ended
// the process; "" if the failure is another one.
func (s *scene) outlivedTest() string {
	if s.Failure.Late {
		return s.Test.Name
	}
	if said := completed.FindStringSubmatch(s.Failure.Message); said != nil {
		return said[1]
	}
	return ""
}

// testOf returns the top-level test whose function it is, or that a function literal stands in; "" if it is
// of none.
func testOf(fn string) string {
	name := fn[strings.LastIndex(fn, "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, ".func")
	if !strings.HasPrefix(name, "Test") {
		return ""
	}
	return name
}

// A lack is what the function of a test lacks to wait for a goroutine that it starts.
type lack struct {
	kind lackKind
	span trace.Span
	wait *source.Op // that is ended too early; nil for others
}

type lackKind int

const (
	lacksEnd    lackKind = iota // it ends without a wait
	lacksSleep                  // the same, after a sleep
	lacksSignal                 // the wait ends too early
)

// unfinished returns what the function that starts a goroutine lacks to have waited for it in its end, if the
// functions of that stood somewhere (late) after it; nil if nothing is seen to be lacking.
func (s *scene) unfinished(by trace.Frame, late []trace.Frame) *lack {
	started := s.racePlace(by)
	start, _ := s.Source.Started(started.File, started.Line)
	fn := s.Source.FuncAt(started.File, started.Line)
	if start == nil || fn == nil {
		return nil
	}
	waits := s.waitsUntilEnd(fn, start)
	m := s.meet(late, waits)
	switch {
	case m.signal != nil:
		return &lack{lacksSignal, s.lineOf(m.signal), m.wait}
	case m.awaited:
		return nil
	}
	if n := len(waits); n > 0 && waits[n-1].How == "time.Sleep" && s.Source.FuncAround(waits[n-1].Node) == fn &&
		!s.Source.Polls(waits[n-1].Block) {
		return &lack{kind: lacksSleep, span: s.lineOf(waits[n-1])}
	}
	first, last := s.Source.End(fn)
	return &lack{kind: lacksEnd, span: trace.Span{File: started.File, Start: first, End: last}}
}

// waitsUntilEnd returns what a function waits for from the statement on that starts a goroutine until it
// has ended, also in what it calls, locks left aside.
func (s *scene) waitsUntilEnd(fn ast.Node, start *source.Op) (waits []*source.Op) {
	for _, o := range s.Source.Passed(fn, source.Wait, source.Call) {
		switch {
		case s.Source.Over(o, start):
		case o.Kind == source.Wait:
			waits = append(waits, o)
		default:
			waits = append(waits, s.Source.Inside(o, maxSteps, source.Wait)...)
		}
	}
	return slices.DeleteFunc(waits, locks)
}

// outlived returns what the function of a test lacks to wait for the goroutine of one side of a race whose
// other side is in another test's own goroutine: that one ran later, and the goroutine ran on. Tests
// that run in parallel are left aside.
func (s *scene) outlived(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if a.Lost || other.Lost || a.Started.File == "" || other.Started.File != "" {
			continue
		}
		calls := append([]trace.Frame{other.At}, other.Calls...)
		mine, theirs := testOf(a.Started.Func), testOf(calls[len(calls)-1].Func)
		if mine == "" || theirs == "" || mine == theirs || s.parallel(s.racePlace(a.Started)) {
			continue
		}
		l := s.unfinished(a.Started, s.stack(a))
		if l == nil {
			continue
		}
		var why finding.Reason = raced{reason: reason{whyRaceOutlives, s.racePlace(other.At)}, access: other.Kind}
		if l.kind == lacksSignal {
			why = signal{reason{whyRaceSignal, frameOf(s.lineOf(l.wait))}, s.racePlace(a.At)}
		}
		if l.kind == lacksEnd && !s.tells(a) {
			list = append(list, s.startOf(a, e))
		}
		list = append(list, at(l.span, e, why))
	}
	return list
}

// parallel reports whether the top-level function around a place makes its test run beside others.
func (s *scene) parallel(at trace.Frame) bool {
	file := s.Source.File(at.File)
	if file == nil {
		return true
	}
	for _, d := range file.Tree.Decls {
		if s.Source.Line(d) > at.Line || at.Line > s.Source.Fset.PositionFor(d.End(), false).Line {
			continue
		}
		return slices.ContainsFunc(s.Source.In(d, source.Call), func(o *source.Op) bool {
			return strings.HasSuffix(o.How, ".Parallel")
		})
	}
	return true
}
