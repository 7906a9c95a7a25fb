package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// Where values come from: the order that a map has, the clock, and code that writes to its arguments.
const (
	mapOrder   = "map order"
	theClock   = "the clock"
	writeOrder = "the order of writes"
)

var drawRule = Rule{
	Name: "draw",
	Doc: `A value that enters from outside: a key in map order, a random number, a clock
reading, something received. It predicts the outcome, or what decides is computed
from it. Received values and clock readings are named only if what decides is
computed from them.`,
	find:  draws,
	kinds: []*kind{whyDraw, whyDrawVaries},
}

// A value that enters from outside, and predicts the outcome; or from which the deciding condition may be computed.
var (
	whyDraw = &kind{
		name: "draw", claim: finding.Claim{Try: finding.TryChoices, Surfaces: true},
		mark: say.WhyMayDepend,
	}
	whyDrawVaries = &kind{name: "draw-varies", claim: whyDraw.claim, why: say.WhyMayDepend, mark: say.WhyMayDepend}
)

// An entry is a reason about where a value enters.
type entry struct {
	reason
	source string // that it comes from: "map order"
}

func (r entry) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Category = drawnFrom(r.source)
	return c
}

func (r entry) Why(finding.Coder) say.Sentence {
	switch {
	case r.source == writeOrder:
		return say.WhyWrites.With()
	case !r.why.None():
		return r.why.With()
	case r.source == mapOrder:
		return say.L("map order differs by outcome").With()
	case r.source == theClock:
		return say.WhyClock.With()
	case drawnFrom(r.source) == "randomness":
		return say.L("random number differs by outcome").With()
	}
	return say.WhyValue.With()
}

func (r entry) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w, at := r.words(nil), s.Span
	cause := say.Rand.With(say.Fails, c.Drawn(at))
	switch {
	case r.source == mapOrder:
		iterates, sorted := finding.Iterates(c, at, say.Fails)
		cause, w.Mark, w.Fix = iterates, say.MarkMap.With(), []say.Sentence{sorted, say.FixCompare.With()}
	case r.source == theClock:
		w.Mark, w.Fix = say.MarkClock.With(), []say.Sentence{say.FixClock.With(), say.FixOnce.With()}
	case drawnFrom(r.source) == "randomness":
		w.Mark, w.Fix = say.MarkRand.With(), []say.Sentence{say.FixRange.With(c.Drawn(at)), say.FixSeed.With()}
	}
	if !s.Surfaces() && r.source != "the order of tests" { // else it tells nothing of a cause
		w.Cause = []say.Sentence{cause}
	}
	return w
}

func draws(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i := range s.Failure.Data {
		d := &s.Failure.Data[i]
		link, ok := s.drawn(d)
		if d.Kind == finding.DataTest || !ok {
			continue
		}
		e := finding.Evidence{Class: finding.Hint, Chance: d.Chance(), Link: link}
		r := entry{reason{kind: whyDrawVaries}, d.Source}
		if d.Sure() {
			r.kind = whyDraw
			e.Class, e.Table, e.P = finding.Associated, d.Found.Table, d.Found.P
		}
		if link == finding.Decides && s.checked(d) {
			e.Class = finding.Symptom
		}
		list = append(list, at(line(s.rel(d.At)), e, r))
	}
	return list
}

// checked reports whether d is the very value that the failed check compares. That it differs is
// then what the check reports, not a cause.
func (s *scene) checked(d *finding.DataDivergence) bool {
	st := s.failed()
	return d.Made() && d.Operand != "" && st != nil && s.surfaces(st.d)
}

// drawn returns the link of a value that enters from outside with the deciding condition,
// and whether it may be a cause: not if the condition is not computed from it, as far as
// can be seen, and events of the run have a say in it.
func (s *scene) drawn(d *finding.DataDivergence) (link finding.Link, ok bool) {
	link = s.linkAt(d.At)
	if d.Operand != "" {
		link = max(link, finding.Feeds)
	}
	return link, link >= finding.Feeds || d.Sure() && d.Chance()
}

// Told returns the part of a failure's data to be told of: a value that goes with the
// outcome and is no cause is left out, since it is a consequence, or goes along.
func Told(in Input) (list []finding.DataDivergence) {
	s := newScene(in)
	for i := range in.Failure.Data {
		d := &in.Failure.Data[i]
		if _, ok := s.drawn(d); ok || d.Kind != finding.DataValue {
			list = append(list, *d)
		}
	}
	return list
}

// drawnFrom returns the category of the source of a value.
func drawnFrom(source string) string {
	switch source {
	case mapOrder:
		return "unordered-collections"
	case "math/rand", "math/rand/v2", "crypto/rand":
		return "randomness"
	case theClock:
		return "time"
	case "the order of tests":
		return "test-order"
	case "a directory", "a file's size", "a file's time":
		return "io"
	case "a network address":
		return "network"
	case "the environment", "the host name", "the working directory", "the process id":
		return "environment"
	}
	return ""
}
