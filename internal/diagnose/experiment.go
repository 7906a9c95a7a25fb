package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var experimentRule = Rule{
	Name: "experiment",
	Doc: `What experiments show to make the test fail: a law, a held goroutine, or random
choices. The first place of a law is where a lock or a wait is missing. A sleep that
stands where the test should wait comes before a hold.`,
	find: experiments,
}

// doneTo returns the kind of the act at the places of a verdict.
func doneTo(v *finding.Verdict) kind {
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
		if v.Class() < finding.Proved && (v.Anywhere() || v.Proof.Smallest == 0 && !v.Ordered()) {
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

// places returns the places that a verdict names: none where locks that wait for each other tell it all; of a law, where
// the edge is missing that would order its steps; else a sleep in the place of a wait, and where something was done.
func (s *scene) places(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	if h := s.Failure.Hang; h != nil && len(h.LockOrder) > 0 && v.Proof.Held() {
		return nil
	}
	var sleeps, acts []finding.Suspect
	for _, span := range windows(v) {
		acts = append(acts, at(span, e, reason{kind: doneTo(v)}))
	}
	if v.Proof.Law.Kind == proof.LawTimers && len(v.Proof.At) == 2 {
		first, second := s.timer(&v.Proof.At[0]), s.timer(&v.Proof.At[1])
		return shownBy(v, at(first, e, reason{whyTimers, frameOf(second)}), at(second, e, reason{whyTimers, frameOf(first)}))
	}
	if f, b := v.Proof.Events(); f != nil && v.Proof.Law.Kind != "" {
		l := &ruling{s, v, f, b}
		early := l.inTest(e, reason{whyBetween, frameOf(b.Shown)})
		return shownBy(v, slices.Concat(l.missing(e), early, s.starts(e, l.started(f)), acts)...)
	}
	if !v.Proof.Held() {
		return shownBy(v, acts...)
	}
	if w := v.Proof.Law.After; w != nil {
		for _, o := range s.Source.Deadlines(w.Block) {
			acts = append([]finding.Suspect{at(s.lineOf(o), e, limited{reason{whyLimit, frameOf(w.Shown)}, o.Value})}, acts...)
		}
	}
	for _, o := range s.sleeps(v) {
		sleeps = append(sleeps, at(s.lineOf(o), e, reason{kind: whySleeps}))
	}
	return shownBy(v, slices.Concat(sleeps, acts, s.starts(e, s.rel(v.Started())))...)
}

// timer returns where the time of a timer is written, or where it is set.
func (s *scene) timer(p *proof.Place) trace.Span {
	if o := s.Source.Deadlines(p.Block); len(o) == 1 {
		return s.lineOf(o[0])
	}
	return spanOf(p.Shown)
}

// starts returns the go statement of a goroutine as a place, if it has one.
func (s *scene) starts(e finding.Evidence, stmt trace.Frame) []finding.Suspect {
	if stmt.File == "" {
		return nil
	}
	return []finding.Suspect{at(line(stmt), e, reason{kind: whyStarts})}
}

// sleeps returns the sleep after which a goroutine failed that did not wait for the one that was held, and those where
// holding another one lets the test pass: they might as well be longer.
func (s *scene) sleeps(v *finding.Verdict) (list []*source.Op) {
	if v.Started().File != "" && s.failed() != nil && !s.sameStart(s.failed().d.Class, v.Started()) {
		if o := s.sleepBefore(s.frames(s.failed().d.Path, true)); o != nil {
			list = append(list, o)
		}
	}
	if !v.Cures() {
		return list
	}
	for _, c := range v.Cure() {
		for _, o := range s.Source.Lines(c.File, c.Start, max(c.Start, c.End), source.Wait) {
			if o.Sleeps() && !s.Source.Polls(o.Block) {
				list = append(list, o)
			}
		}
	}
	return list
}

// sameStart reports whether a place has the last of the go statements that lead to the goroutines of a class.
func (s *scene) sameStart(class []trace.Frame, started trace.Frame) bool {
	return len(class) > 0 && s.rel(class[len(class)-1]) == s.rel(started)
}

// frames returns where the functions of a call path stand, the innermost first: at the
// first line of its block, or the last one, and where each was called.
func (s *scene) frames(path []divergence.Call, last bool) (list []trace.Frame) {
	steps := s.Source.Callers(path, false)
	for i, step := range slices.Backward(steps) {
		if i == len(steps)-1 {
			at := s.frame(step.Block)
			if last {
				at = s.end(step.Block)
			}
			list = append(list, at)
		}
		if step.From.Line > 0 {
			list = append(list, step.From)
		}
	}
	return list
}

// sleepBefore returns the sleep that is the last wait, by the source, on the way to where a
// stack stands; nil if the last one is something else.
func (s *scene) sleepBefore(frames []trace.Frame) *source.Op {
	for _, f := range frames {
		waits := slices.DeleteFunc(s.Source.Before(f.File, f.Line, source.Wait), (*source.Op).Locks)
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

// windows returns the lines to name: the whole window if it is short, else its ends; of draws each block.
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
