package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A ruling is a law with its steps: the test fails if f comes before b or, where the law has a step before that,
// between the two.
type ruling struct {
	*scene
	v    *finding.Verdict
	f, b *proof.Place
}

// missing returns where the edge is missing that would order the steps.
func (l *ruling) missing(e finding.Evidence) []finding.Suspect {
	f, b := frameOf(l.f.Shown), frameOf(l.b.Shown)
	a, o := l.v.Proof.Law.After, l.slept()
	late, early := l.started(l.b), l.started(l.f)
	through, shared := l.Source.Through(cmp.Or(a, &proof.Place{}).Block, l.b.Block, l.f.Block)
	switch {
	case through == "file" && (a.Hit > 1 || !l.parent()): // else who starts that waits for it: it is new
		return l.apart(a, e, whyHalfWritten)
	case through == "connection":
		return []finding.Suspect{at(line(f), e, reason{whyHalfRead, b})}
	case o != nil && (a == nil || l.parent()):
		return []finding.Suspect{at(l.lineOf(o), e, reason{whySleeps, b})}
	case a != nil && a.Shown == l.b.Shown:
		return []finding.Suspect{at(line(b), e, reason{whyAtOnce, f})}
	case a != nil && l.signal(a) != nil:
		list := l.apart(a, e, whySignals)
		list[0].Span = l.lineOf(l.signal(a))
		return list
	case a != nil && (shared || !l.parent()):
		return l.apart(a, e, whyApart)
	case late.File != "" && late == early:
		return []finding.Suspect{at(line(l.outermost(l.b)), e, reason{whyAlike, late})}
	case late.File != "" && l.parent():
		return append(l.awaits(late, e), at(line(late), e, reason{whyUnawaited, f}))
	case late.File != "":
		return []finding.Suspect{at(line(late), e, reason{whyUnawaited, f})}
	case early.File != "": // it comes too early for the test's own
		return []finding.Suspect{at(line(early), e, reason{whyOrder, b})}
	}
	return nil
}

// apart returns the lines that must not be apart: from the first step to the second one in the innermost function that
// does both.
func (l *ruling) apart(a *proof.Place, e finding.Evidence, why kind) []finding.Suspect {
	from, to := l.stack(a), l.stack(l.b)
	for _, x := range from {
		i := l.sameFunc(to, x)
		if i < 0 {
			continue
		}
		span := trace.Span{File: x.File, Start: min(x.Line, to[i].Line), End: max(x.Line, to[i].Line)}
		return []finding.Suspect{at(span, e, reason{why, to[i]})}
	}
	return []finding.Suspect{at(spanOf(a.Shown), e, reason{why, frameOf(l.b.Shown)})}
}

// signal returns the operation at a step that lets another goroutine go on, nil if none does. To unlock does not say that
// something is done.
func (l *ruling) signal(p *proof.Place) *source.Op {
	for _, o := range l.Source.Block(p.Block, source.Release) {
		ends := func(w *source.Op) bool { return slices.Contains(l.Source.Enders(w), o) }
		if !o.Deferred && !o.Unlocks() && o.Obj() != nil && slices.ContainsFunc(l.Source.Of(o.Obj(), source.Wait), ends) {
			return o
		}
	}
	return nil
}

// slept returns the sleep that f comes after, and that stands in the place of a wait for b; nil if there is none. One
// before b's goroutine was started is not for that.
func (l *ruling) slept() *source.Op {
	o, start := l.sleepBefore(l.stack(l.f)), l.started(l.b)
	if o == nil || l.lineOf(o).Start < start.Line &&
		l.Source.FuncAround(o.Node) == l.Source.FuncAt(start.File, start.Line) {
		return nil
	}
	return o
}

// parent reports whether f's goroutine has started that of b, or one that did.
func (l *ruling) parent() bool {
	f, b := l.f.Goroutine, l.b.Goroutine
	return f != nil && b != nil && len(f.Chain) < len(b.Chain) && slices.Equal(f.Chain, b.Chain[:len(f.Chain)])
}

// awaits returns where a goroutine should wait for the one that it has started: before f, in the function that started
// it, or in the test.
func (l *ruling) awaits(started trace.Frame, e finding.Evidence) []finding.Suspect {
	frames, why := l.stack(l.f), reason{whyAwaits, started}
	if i := l.sameFunc(frames, started); i >= 0 {
		return []finding.Suspect{at(line(frames[i]), e, why)}
	}
	return l.inTest(e, why)
}

// inTest returns where the test comes to f, if it does so by calls.
func (l *ruling) inTest(e finding.Evidence, why reason) []finding.Suspect {
	frames := l.stack(l.f)
	i := slices.IndexFunc(frames, func(f trace.Frame) bool { return strings.HasSuffix(f.File, "_test.go") })
	if i < 0 {
		return nil
	}
	return []finding.Suspect{at(line(frames[i]), e, why)}
}

// sameFunc returns the number of the first of some frames in the function that another one stands in, -1 if none is.
func (l *ruling) sameFunc(frames []trace.Frame, f trace.Frame) int {
	in := l.Source.FuncAt(f.File, f.Line)
	return slices.IndexFunc(frames, func(x trace.Frame) bool { return in != nil && l.Source.FuncAt(x.File, x.Line) == in })
}

// stack returns where the functions of a goroutine stand at a step, the innermost first.
func (l *ruling) stack(p *proof.Place) []trace.Frame {
	if frames := l.frames(p.Path, false); len(frames) > 0 {
		return frames
	}
	return []trace.Frame{frameOf(p.Shown)}
}

// outermost returns where the goroutine's own function stands at a step.
func (l *ruling) outermost(p *proof.Place) trace.Frame {
	frames := l.stack(p)
	return frames[len(frames)-1]
}

// started returns the go statement that started the goroutine of a step, zero if it is the test's own.
func (l *ruling) started(p *proof.Place) trace.Frame {
	at, _ := p.Goroutine.Go()
	if at.File == "" {
		return trace.Frame{}
	}
	return l.rel(at)
}
