package diagnose

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var experimentRule = Rule{
	Name: "experiment",
	Doc: `What experiments have shown to make the test fail in this way: the two events whose
order decides, where a goroutine was held, where holding makes it pass, the statement that
starts the goroutine if holding it from its beginning suffices, or the blocks whose random
choices decide. A deadline artefact comes last.`,
	find: experiments,
}

// maxWindow is how many lines a window may have and still say where to look.
const maxWindow = 10

func experiments(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i := range s.Test.Verdicts {
		v := &s.Test.Verdicts[i]
		if !s.brings(v) {
			continue
		}
		e := finding.Evidence{Class: v.Class, Link: finding.Decides}
		if v.Artefact != "" || v.Class < finding.Proved && v.Smallest == 0 && !v.Ordered() {
			e.Class = finding.Hint // it was not found out what of it matters
		}
		e.Table.FailTaken, e.Table.PassTaken = v.With.Failed, v.With.Of-v.With.Failed
		e.Table.FailNot, e.Table.PassNot = v.Plain.Failed, v.Plain.Of-v.Plain.Failed
		e.P = e.Table.Fisher()
		list = append(list, s.places(v, e)...)
	}
	return list
}

// places returns the places that a verdict names. Where holding a goroutine from its
// first event on suffices, nothing that it does matters but that it is late: what comes
// too early is where holding cures, or what starts the goroutine, which nothing waits
// for. Else the window is first.
func (s *scene) places(v *finding.Verdict, e finding.Evidence) (list []finding.Suspect) {
	r := finding.Reason{Kind: finding.ReasonExperiment, Verdict: v}
	if v.Signature != s.Failure.Signature { // the runs that count failed at that check, in whatever words
		r.Other = s.rel(s.Failure.Frame)
	}
	spans := windows(v)
	for i, span := range spans {
		x := r
		if v.At.File == "" && v.Smallest > 0 && len(spans) > 1 && !(v.FromBeginning && i == 0) || !holds(span, v) {
			x.Kind = finding.ReasonWindow
		}
		list = append(list, at(span, e, x))
	}
	if !v.Held() {
		return list
	}
	cure := r
	cure.Kind = finding.ReasonCure
	var other []finding.Suspect
	if v.Cures() {
		for _, c := range v.Cure {
			other = append(other, at(trace.Span{File: c.File, Start: c.Start, End: max(c.Start, c.End)}, e, cure))
		}
	}
	if !v.FromBeginning {
		return append(list, other...)
	}
	if v.Started.File != "" {
		start := r
		start.Kind = finding.ReasonHeldStart
		other = append(other, at(line(s.rel(v.Started)), e, start))
	}
	return append(other, list...)
}

// holds reports whether lines of a window have the place that was held in them; where none
// was, as of choices, all do. Of a verdict that does not say which it was only the beginning
// of a goroutine is known.
func holds(span trace.Span, v *finding.Verdict) bool {
	at := v.At
	return at.File == "" || at.File == span.File && span.Start <= at.Start && at.Start <= max(span.Start, span.End)
}

// brings reports whether a verdict is about the failure at hand.
func (s *scene) brings(v *finding.Verdict) bool {
	return v.Signature != "" && v.Signature == s.Failure.Signature || v.Place != "" && v.Place == place(s.Failure.Frame)
}

// place names a line as signatures do: without its directory.
func place(f trace.Frame) string {
	return fmt.Sprintf("%s:%d", path.Base(filepath.ToSlash(f.File)), f.Line)
}

// windows returns the lines to name: the whole window if it is short, else its ends;
// of draws each block.
func windows(v *finding.Verdict) []trace.Span {
	var list []trace.Span
	for _, w := range v.Window {
		list = append(list, trace.Span{File: w.File, Start: w.Start, End: max(w.Start, w.End)})
	}
	if v.Smallest == 0 || len(list) != 2 {
		return list
	}
	first, last := list[0], list[1]
	if first.File == last.File && first.Start <= last.End && last.End-first.Start < maxWindow {
		return []trace.Span{{File: first.File, Start: first.Start, End: last.End}}
	}
	if a := v.At; a.File != "" { // where it was held comes first, be it an end or between them
		held := trace.Span{File: a.File, Start: a.Start, End: max(a.Start, a.End)}
		return append([]trace.Span{held}, slices.DeleteFunc(list, func(s trace.Span) bool { return s == held })...)
	}
	return list
}
