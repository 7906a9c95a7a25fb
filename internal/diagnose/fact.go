package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
)

var factRule = Rule{
	Name: "fact",
	Doc: `What recorded runs did differently by outcome. That is a phase of the clock, an order
of two events, or a time. The p-value is corrected for all that was looked at. Nothing in a run
can have caused when it started. Orders and times go along with many causes, so what a rule
knows from the source comes before them.`,
	find: facts,
}

// facts returns the places of likely facts. An order or a time that the source does not link with the deciding
// condition is left to experiments: it may be one of hundreds that no run tells apart, and one picked from these by
// nothing misleads.
func facts(s *scene) (list []finding.Suspect) {
	for i := range s.Failure.Facts {
		f := &s.Failure.Facts[i]
		if !f.Likely || f.Behind || len(f.At) == 0 {
			continue
		}
		e := finding.Evidence{Class: finding.Associated, Chance: f.Chance, Link: s.linkOf(f.At[0]),
			Table: f.Table, P: f.P}
		if !f.Chance && e.Link < finding.Feeds {
			continue
		}
		list = append(list, at(spanOf(f.At[0]), e, factReason(f)))
	}
	return list
}

// factReason returns the reason for a fact: for an order, that a goroutine comes too early or too late.
func factReason(f *finding.Fact) finding.Reason {
	of := freedom.Of(f.Freedom)
	switch {
	case of.Choice.Cause != nil:
		return entry{reason{kind: whyFact}, of.Choice, of.Category, true}
	case len(f.At) == 1:
		return reason{kind: whyFact}
	}
	other := frameOf(f.At[1])
	if f.Late {
		return reason{whyLate, other}
	}
	return reason{whyEarly, other}
}

// standing is the first key by which hypotheses are sorted. It is their class, but a fact that a run may have brought
// about itself stands among the hints: an order that goes with the outcome may be one of hundreds that no run tells
// apart, and a hint that the source links with the deciding condition is one of few.
func standing(h *finding.Suspect) int {
	const perClass = 3
	switch {
	case h.Class == finding.Hint && h.Link >= finding.Feeds:
		return perClass*int(finding.Hint) + 2
	case h.Rule == "fact" && !h.Chance:
		return perClass*int(finding.Hint) + 1
	}
	return perClass * int(h.Class)
}
