package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var factRule = Rule{
	Name: "fact",
	Doc: `What recorded runs did differently by outcome. That is a phase of the clock, a draw, an order
of two events, or a time. The p-value is corrected for all that was looked at. Nothing in a run
can have caused what it draws. Orders and times go along with many causes, so what a rule
knows from the source comes before them.`,
	find: facts,
	kinds: []*kind{whyFact, whyFactChoice, whyFactTime, whyFactRead, whyFactDir, whyFactPort, whyFactGC,
		whyFactNoGC, whyFactOutside},
}

// A draw, a choice or a time that was another one in failing runs. Experiments know the fact itself, so they need no
// hint.
var (
	whyFact       = &kind{name: "fact", claim: finding.Claim{Try: finding.TryNothing}, mark: say.MarkChoice}
	whyFactChoice = &kind{name: "fact-choice", claim: whyFact.claim, why: say.WhyChoice}
	whyFactTime   = &kind{name: "fact-time", claim: whyFact.claim, why: say.WhyDiffers}
)

// The system answered otherwise, or did something else, in failing runs. A fact is worded like the act that makes it
// so.
var (
	whyFactRead = answer("fact-read", "network", freedom.Most(0, 1).Says())
	whyFactDir  = answer("fact-dir", "io", freedom.Entries(0, 0).Says())
	whyFactPort = answer("fact-port", "network", freedom.Ports(0, freedom.PortTaken).Says())
	whyFactGC   = answer("fact-gc", "", freedom.Collector(freedom.GCOften).Says())
	whyFactNoGC = answer("fact-no-gc", "",
		say.Setting{Cause: freedom.Collector(freedom.GCOff).Says().Cause, Fix: freedom.Collector(freedom.GCOff).Says().Fix})
	whyFactOutside = &kind{name: "fact-outside", claim: whyFact.claim, why: say.WhySetting}
)

// answer is the kind of a fact about an answer of the system.
func answer(name, category string, s say.Setting) *kind {
	claim := finding.Claim{Try: finding.TryNothing, Category: category}
	k := &kind{name: name, claim: claim, why: say.WhySetting, mark: s.Mark}
	k.cause = []said{func(*values) say.Sentence { return s.Cause(say.Fails, say.Set{}) }}
	for _, fix := range s.Fix {
		k.fix = append(k.fix, of(fix))
	}
	return k
}

// facts returns the places of likely facts. Facts about earlier tests are for the rule that looks for their changes. An
// order or a time that the source does not link with the deciding condition is left to experiments: it may be one of
// hundreds that no run tells apart, and one picked from these by nothing misleads.
func facts(s *scene) (list []finding.Suspect) {
	for i := range s.Failure.Facts {
		f := &s.Failure.Facts[i]
		if !f.Likely || f.Behind || f.Test != "" || len(f.At) == 0 {
			continue
		}
		e := finding.Evidence{Class: finding.Associated, Chance: f.Chance, Link: s.linkOf(f.At[0]),
			Table: f.Table, P: f.P}
		if !f.Chance && e.Link < finding.Feeds {
			continue
		}
		span := trace.Span{File: f.At[0].File, Start: f.At[0].Start, End: f.At[0].End}
		list = append(list, at(span, e, factReason(f)))
	}
	return list
}

// factReason returns the reason for a fact: for an order, that a goroutine comes too early or too late.
func factReason(f *finding.Fact) finding.Reason {
	r := reason{kind: whyFact}
	switch f.Freedom {
	case "map":
		return entry{r, mapOrder}
	case "rand":
		return entry{r, "math/rand"}
	case "crypto/rand":
		return entry{r, f.Freedom}
	case "clock":
		return entry{r, theClock}
	case "select":
		r.kind = whyFactChoice
	case "stall":
		r.kind = whyFactTime
	case "read", "dir", "limits", "gc":
		r.kind = answered(f)
	case "order":
		if r.kind = whyEarly; f.Late {
			r.kind = whyLate
		}
		r.other = trace.Frame{File: f.At[1].File, Line: f.At[1].Start}
	}
	return r
}

// answered returns the kind of a fact about an answer of the system. A greater read, another port and the same port
// twice have no sentence.
func answered(f *finding.Fact) *kind {
	switch {
	case f.Freedom == "read" && !f.More:
		return whyFactRead
	case f.Freedom == "dir":
		return whyFactDir
	case f.Freedom == "limits" && f.Measure == "refused" && f.More:
		return whyFactPort
	case f.Freedom == "gc" && f.More:
		return whyFactGC
	case f.Freedom == "gc":
		return whyFactNoGC
	}
	return whyFactOutside
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
