package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var experimentRule = Rule{
	Name: "experiment",
	Doc: `What experiments show to make the test fail: a held goroutine, an order of two
events, or random choices. What the source lacks comes before that, if it is
found. It may be a wait, or an event too early.`,
	find: experiments,
	kinds: []*kind{
		whyHeld, whyOrder, whySetting, whyChosen, whyWindow, whyHeldStart, whyCure, whyHeldToo, whySignal, whyLook,
		whySleepHeld, whySleepBefore,
		whyReading,
	},
}

// The act at a place; the start of the goroutine that it was done to; the place where another one comes too early for
// it, and the reason for that.
var (
	isShown   = finding.Claim{Try: finding.TryNothing}
	noWait    = finding.Claim{Try: finding.TryNothing, NoWait: true}
	sleptFor  = finding.Claim{Try: finding.TryNothing, NoWait: true, Category: "async-wait"}
	tooEarly  = finding.Claim{Try: finding.TryNothing, Early: true}
	sleptHere = finding.Claim{Try: finding.TryNothing, NoWait: true, Early: true}

	whyHeld    = &kind{name: "experiment", claim: isShown, why: say.L("fails if delayed here")}
	whyOrder   = &kind{name: "experiment", claim: isShown, why: say.L("its order with another event decides")}
	whySetting = &kind{name: "experiment", claim: isShown, why: say.WhySetting}
	whyChosen  = &kind{name: "experiment", claim: isShown, why: say.L("fixed choice fails")}
	whyWindow  = &kind{name: "window", claim: isShown, why: say.L("an end of the failing window")}

	whyHeldStart = &kind{name: "held-start", claim: isShown, why: say.L("starts the goroutine that is delayed")}
	whyCure      = &kind{name: "cure", claim: isShown, why: say.WhyPasses}
	whyHeldToo   = &kind{name: "held-too", claim: isShown, why: say.MarkEarly}
	whySignal    = &kind{name: "signal", claim: noWait, why: say.WhySignal}
	// The other place starts the one that was held.
	whyLook = &kind{
		name: "look", claim: tooEarly, why: say.WhyNoWait,
		fix: says(say.FixWaitStart, other, here),
	}
	whySleepHeld   = &kind{name: "sleep-held", claim: sleptHere, why: say.WhySleeps, fix: awaitIt}
	whySleepBefore = &kind{name: "sleep-before", claim: sleptFor, why: say.WhySleeps, fix: awaitIt}
	whyReading     = &kind{name: "reading", claim: isShown, why: say.WhyClock}
)

// doneTo returns the kind of the act at the places of a verdict.
func doneTo(v *finding.Verdict) *kind {
	switch {
	case v.Ordered():
		return whyOrder
	case v.Proof.Held():
		return whyHeld
	case len(v.Proof.Plan.Set()) > 0:
		return whySetting
	}
	return whyChosen
}

// maxWindow is how many lines a window may have and still say where to look.
const maxWindow = 10

func experiments(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i := range s.Test.Verdicts {
		v := &s.Test.Verdicts[i]
		if !v.About(s.Failure) || v.Outlived(s.Failure) {
			continue
		}
		e := shown(v)
		e.Link = finding.Decides
		if v.Class() < finding.Proved && (v.Unshown() || v.Proof.Smallest == 0 && !v.Ordered()) {
			e.Class = finding.Hint // it was not found out which part of it matters
		}
		list = append(list, s.places(v, e)...)
	}
	return list
}

// shown returns the evidence of a verdict.
func shown(v *finding.Verdict) finding.Evidence {
	e := finding.Evidence{Class: v.Class()}
	e.Table.FailTaken, e.Table.PassTaken = v.Proof.Confirmed.With.Failed,
		v.Proof.Confirmed.With.Of-v.Proof.Confirmed.With.Failed
	e.Table.FailNot, e.Table.PassNot = v.Proof.Confirmed.Plain.Failed,
		v.Proof.Confirmed.Plain.Of-v.Proof.Confirmed.Plain.Failed
	e.P = e.Table.Fisher()
	return e
}

// places returns the places that a verdict names. Where holding a goroutine from its first
// event on suffices, only its lateness matters: then the code that comes too early is first,
// where another hold cures, or the start of the goroutine, which nothing waits for. Else the
// window is first, unless the other goroutine is seen to go on too early: see
// [scene.partner].
func (s *scene) places(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	list := windowPlaces(v, e)
	if !v.Proof.Held() {
		return shownBy(v, list...)
	}
	return shownBy(v, slices.Concat(readingPlace(v, e), s.sleptBefore(v, e), s.heldPlaces(v, e, list),
		s.earlyStart(v, e))...)
}

// readingPlace returns where the clock is read, if the readings there alone tell for how long a goroutine was held.
func readingPlace(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	if v.Proof.Reading.File == "" {
		return nil
	}
	return []finding.Suspect{at(spanOf(v.Proof.Reading), e, reason{kind: whyReading})}
}

// heldPlaces returns the places of a verdict about a goroutine that was held within some
// of them, the one most surely to be mended first.
func (s *scene) heldPlaces(v *finding.Verdict, e finding.Evidence, list []finding.Suspect) []finding.Suspect {
	cure, start := curePlaces(v, e), s.startPlace(v, e)
	p := s.partner(v)
	if p == nil && !v.Cures() && s.Failure.Frame.File == "" {
		return slices.Concat(start, list) // an example has no check: its output is compared at its end
	}
	if p == nil || p.signal == nil && p.awaited {
		list = s.sinceBefore(list, v)
	}
	switch {
	case p != nil && p.signal != nil:
		r := signal{reason: reason{whySignal, frameOf(s.lineOf(p.wait))}}
		return slices.Concat([]finding.Suspect{at(s.lineOf(p.signal), e, r)}, list, cure)
	case p != nil && !p.awaited && (p.tells || p.slept): // a sleep stands where the wait is missing
		return slices.Concat(s.looks(v, p, e), cure, start, list)
	case p != nil && !p.awaited && !v.Proof.FromStart && len(v.Path()) > 1:
		// held at its start, before a call, it passes
		return slices.Concat(list[:1], start, s.looks(v, p, e), cure, list[1:])
	case p != nil && !p.awaited:
		return slices.Concat(start, s.looks(v, p, e), cure, list)
	case !v.Proof.FromStart:
		return append(list, cure...)
	case !v.Cures() && !v.AtBeginning(): // code that comes too early makes it fail only beside the place of the hold
		return slices.Concat(list[:1], start, cure, list[1:])
	}
	return slices.Concat(cure, start, list)
}

// windowPlaces returns where a goroutine was held or a choice made, and ends of the window
// where it was not.
func windowPlaces(v *finding.Verdict, e finding.Evidence) (list []finding.Suspect) {
	spans := windows(v)
	for i, span := range spans {
		x := doneTo(v)
		if v.At().File == "" && v.Proof.Smallest > 0 && len(spans) > 1 && len(v.Holds()) == 0 &&
			!(v.Proof.FromStart && i == 0) || !holds(span, v) {
			x = whyWindow
		}
		list = append(list, at(span, e, reason{kind: x}))
	}
	return list
}

// curePlaces returns where holding a goroutine makes the failure vanish, in the place of the one that was held or
// beside it.
func curePlaces(v *finding.Verdict, e finding.Evidence) (list []finding.Suspect) {
	spans, why := v.Cure(), whyCure
	switch {
	case v.Early() != nil:
		spans, why = []finding.Span{v.Early().At}, whyHeldToo
	case !v.Cures():
		return nil
	}
	for _, c := range spans {
		list = append(list, at(spanOf(c), e, reason{kind: why}))
	}
	return list
}

// startPlace returns the statement that starts the goroutine that is held.
func (s *scene) startPlace(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	if v.Started().File == "" {
		return nil
	}
	return []finding.Suspect{at(line(s.rel(v.Started())), e, reason{kind: whyHeldStart})}
}

// earlyStart returns the statement that starts the goroutine that comes too early, where two goroutines run the same
// line and their order decides: that line shows for neither where to mend it.
func (s *scene) earlyStart(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	events := v.Events()
	if !v.Ordered() || v.Alike() || len(events) != 2 || v.Window()[0] != v.Window()[1] || events[0].Started.File == "" {
		return nil
	}
	return []finding.Suspect{at(line(s.rel(events[0].Started)), e, reason{kind: whyHeldStart})}
}

// sinceBefore has the first place of a window begin with the step of the goroutine right
// before: held before that step it passes, so that the step must not be apart from the
// next one, be it a read or a check. Setting a variable to a constant is neither.
func (s *scene) sinceBefore(list []finding.Suspect, v *finding.Verdict) []finding.Suspect {
	b := v.Proof.Prior
	if len(list) == 0 || len(v.Window()) == 0 || v.Proof.FromStart {
		return list
	}
	x := &list[0]
	if x.File == b.File && x.Start == v.Window()[0].Start && 0 < b.Start && b.Start <= x.Start && b.End <= x.End &&
		x.End-b.Start < maxWindow {
		x.Start = b.Start
		if does := s.Source.Lines(b.File, b.Start, max(b.Start, b.End), source.Read, source.Write, source.Wait,
			source.Release, source.Call, source.Go, source.Draw); len(does) > 0 {
			x.Start = s.Source.Line(does[0].Node)
		}
	}
	return list
}

// looks returns where the other goroutine goes on too early, nil if that is where holding
// it makes the failure vanish, which is named anyway.
func (s *scene) looks(v *finding.Verdict, p *partner, e finding.Evidence) []finding.Suspect {
	started, span := s.rel(v.Started()), line(p.look)
	why := whyLook
	switch {
	case p.slept:
		why = whySleepHeld
	case !p.cured:
		if g := s.goesOn(started, p.frames); g != nil && !g.slept && p.ended.File == "" {
			span = g.span
		}
	case p.look == p.frames[0]:
		g := s.goesOn(started, p.frames)
		if g == nil || g.slept || g.span.Start == g.span.End || len(s.waitsAt(p.look)) > 0 {
			return nil
		}
		span = g.span
	case p.early:
		why = whyHeldToo
	default:
		why = whyCure
	}
	return []finding.Suspect{at(span, e, reason{why, started})}
}

// sleptBefore returns the sleep after which a goroutine comes to where holding it lets the
// test pass, or to one of two events whose order decides: it might as well sleep longer.
func (s *scene) sleptBefore(v *finding.Verdict, e finding.Evidence) (list []finding.Suspect) {
	stacks := [][]trace.Frame{nil}
	if v.Cures() {
		stacks[0] = s.frames(v.CurePath(), true)
	}
	if v.Ordered() {
		stacks = nil
		for _, span := range windows(v) {
			stacks = append(stacks, s.stackAt(frameOf(span)))
		}
	}
	for _, frames := range stacks {
		if o := s.sleepBefore(frames); o != nil {
			list = append(list, at(s.lineOf(o), e, reason{kind: whySleepBefore}))
		}
	}
	return append(list, s.sleptAt(v, e)...)
}

// sleptAt returns the sleep at which holding a goroutine lets the test pass: held there it sleeps for longer.
func (s *scene) sleptAt(v *finding.Verdict, e finding.Evidence) (list []finding.Suspect) {
	if !v.Cures() {
		return nil
	}
	for _, c := range v.Cure() {
		for _, o := range s.Source.Lines(c.File, c.Start, max(c.Start, c.End), source.Wait) {
			if o.Sleeps() && !s.Source.Polls(o.Block) {
				list = append(list, at(s.lineOf(o), e, reason{kind: whySleepBefore}))
			}
		}
	}
	return list
}

// stackAt returns where the functions of the goroutine that failed stand, from a place on, if that
// was on its way; else the place alone.
func (s *scene) stackAt(f trace.Frame) []trace.Frame {
	in := s.Source.FuncAt(f.File, f.Line)
	if s.failed() == nil || in == nil {
		return []trace.Frame{f}
	}
	path := s.frames(s.failed().d.Path, true)
	depth := slices.IndexFunc(path, func(o trace.Frame) bool { return s.Source.FuncAt(o.File, o.Line) == in })
	if depth < 0 {
		return []trace.Frame{f}
	}
	return append([]trace.Frame{f}, path[depth+1:]...)
}

// sleepBefore returns the sleep that is the last wait, by the source, on the way to where a
// stack stands; nil if the last one is something else.
func (s *scene) sleepBefore(frames []trace.Frame) *source.Op {
	for _, f := range frames {
		waits := slices.DeleteFunc(s.Source.Before(f.File, f.Line, false, source.Wait), (*source.Op).Locks)
		if n := len(waits); n > 0 {
			if w := waits[n-1]; w.Sleeps() && !s.Source.Polls(w.Block) {
				return w
			}
			return nil
		}
	}
	return nil
}

// spanOf returns lines of a verdict.
func spanOf(s finding.Span) trace.Span {
	return trace.Span{File: s.File, Start: s.Start, End: max(s.Start, s.End)}
}

// frameOf returns the first of some lines as a place.
func frameOf(span trace.Span) trace.Frame { return trace.Frame{File: span.File, Line: span.Start} }

// holds reports whether lines of a window have the place that was held in them; where none
// was, as of choices, all do. Of a verdict that does not say which it was only the beginning
// of a goroutine is known.
func holds(span trace.Span, v *finding.Verdict) bool {
	at := v.At()
	return at.File == "" || at.File == span.File && span.Start <= at.Start && at.Start <= max(span.Start, span.End)
}

// windows returns the lines to name: the whole window if it is short, else its ends;
// of draws each block.
func windows(v *finding.Verdict) []trace.Span {
	var list []trace.Span
	for _, w := range v.Window() {
		list = append(list, spanOf(w))
	}
	if v.Proof.Smallest == 0 || len(list) != 2 || len(v.Holds()) > 0 {
		return list
	}
	first, last := list[0], list[1]
	if first.File == last.File && first.Start <= last.End && last.End-first.Start < maxWindow {
		return []trace.Span{{File: first.File, Start: first.Start, End: last.End}}
	}
	if a := v.At(); a.File != "" { // where it was held comes first, be it an end or between them
		held := spanOf(a)
		return append([]trace.Span{held}, slices.DeleteFunc(list, func(s trace.Span) bool { return s == held })...)
	}
	return list
}
