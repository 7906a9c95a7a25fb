package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/say"
)

var drawRule = Rule{
	Name: "draw",
	Doc: `A value that enters from outside: the order of a map, a random number, a clock
reading, something received. It predicts the outcome, or what decides is computed
from it. Received values and clock readings are named only if what decides is
computed from them.`,
	find: draws,
}

// An entry is a reason about where a value enters.
type entry struct {
	reason
	says     say.Choice // zero of a source that is no freedom
	category string
	sure     bool // it predicts the outcome
}

func (r entry) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Category = r.category
	return c
}

func (r entry) Why(c finding.Coder) say.Sentence {
	switch {
	case !r.sure:
		return r.reason.Why(c)
	case r.says.Why.None():
		return say.WhyValue.With()
	}
	return r.says.Why.With()
}

func (r entry) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w, at := r.words(nil), finding.Chosen(c, s.Span)
	cause := say.Rand.With(say.Fails, at.Drawn)
	if r.says.Cause != nil {
		cause, w.Mark, w.Fix = r.says.Cause(say.Fails, at), r.says.Mark.With(), r.says.Fix(at)
	}
	if !s.Surfaces() { // else it tells nothing of a cause
		w.Cause = []say.Sentence{cause}
	}
	return w
}

func draws(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i := range s.Failure.Data {
		d := &s.Failure.Data[i]
		link, ok := s.drawn(d)
		if !ok {
			continue
		}
		e := finding.Evidence{Class: finding.Hint, Chance: d.Chance(), Link: link}
		if d.Sure() {
			e.Class, e.Table, e.P = finding.Associated, d.Found.Table, d.Found.P
		}
		if link == finding.Decides && s.checked(d) {
			e.Class = finding.Symptom
		}
		list = append(list, at(line(s.rel(d.At)), e, enters(d)))
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

// origins are the freedoms that are where values come from, or like that.
var origins = map[string]string{
	"map order": "map", "math/rand": "rand", "math/rand/v2": "rand", "crypto/rand": "rand", "the clock": "clock",
	"a directory": "dir", "a file's size": "dir", "a file's time": "dir",
	"a network address": "read", "the environment": "limits", "the host name": "limits", "the working directory": "limits",
	"the process id": "limits",
}

// enters returns the reason for a value.
func enters(d *finding.DataDivergence) entry {
	f := freedom.Of(origins[d.Source])
	return entry{reason{kind: whyDraw}, f.Choice, f.Category, d.Sure()}
}
