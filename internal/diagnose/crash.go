package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// What only this rule says.
const (
	panicClosedCause say.Template = "Panics because {code} is closed here first."
	panicStateCause  say.Template = "Panics because of the state of {code}."
	panicMapCause    say.Template = "Crashes because two goroutines use this map."
	exitHereCause    say.Template = "The process ends here."
	closesMark       say.Label    = "runs first"
	panicsMark       say.Label    = "panics here"
	closesWhy        say.Label    = "closes what is still used"
	unlockedWhy      say.Label    = "unlocks it first"
	concurrentWhy    say.Label    = "runs while another goroutine uses it"
	setLateWhy       say.Label    = "sets the value too late"
	exitWhy          say.Label    = "ends the process"
	callsWhy         say.Label    = "calls the function that does it"
)

var crashRule = Rule{
	Name: "crash",
	Doc: `The other statement that a panic or a fatal error needs. It closed the channel,
wrote the map, or called Done or Unlock too often. Or it called Add too late, set
what was nil, or ended the process. It is a mechanism if no other statement can
have done so. Otherwise runs are counted in which it ran before.`,
	find:  crashes,
	kinds: []*kind{whyCrash, whyCrashCall},
}

// Another statement that has to do with the failure at the other place; and where the function is called that it is in.
var (
	whyCrash     = &kind{name: "crash", why: closesWhy, other: panicsMark}
	whyCrashCall = &kind{name: "crash-call", why: callsWhy}
)

// A contributor is a reason about a party of a crash.
type contributor struct {
	reason
	crash finding.CrashKind
	party *finding.Party
}

// crashWhy say what a party does, where it does not close something.
var crashWhy = map[finding.CrashKind]say.Label{
	finding.CrashMap: concurrentWhy, finding.CrashValue: setLateWhy, finding.CrashExit: exitWhy,
	finding.CrashNegative: say.WhyAdds, finding.CrashWaitGroup: concurrentWhy, finding.CrashUnlock: unlockedWhy,
}

func (r contributor) Why(finding.Coder) say.Sentence {
	if l := crashWhy[r.crash]; l != "" && r.kind == whyCrash {
		return l.With()
	}
	return r.why.With()
}

func (r contributor) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.reason.Words(s, c)
	w.Mark = closesMark.With()
	of := c.Named(r.party.Of, line(r.other))
	switch r.crash {
	case finding.CrashSend, finding.CrashClose:
		w.Cause = []say.Sentence{panicClosedCause.With(of)}
	case finding.CrashMap:
		w.Cause, w.Mark = []say.Sentence{panicMapCause.With()}, say.MarkWrites.With()
	case finding.CrashNegative, finding.CrashWaitGroup, finding.CrashUnlock, finding.CrashValue:
		w.Cause = []say.Sentence{panicStateCause.With(of)}
	default:
		w.Cause = []say.Sentence{exitHereCause.With()}
	}
	if r.kind == whyCrash {
		w.Fix = r.fixes(s, c)
	}
	return w
}

func (r contributor) fixes(s *finding.Suspect, c finding.Coder) []say.Sentence {
	v := r.slots(s, c)
	v['n'] = c.Name(r.party.Of)
	switch {
	case r.crash == finding.CrashNegative || r.crash == finding.CrashWaitGroup:
		return v.fill(addFirst)
	case r.crash == finding.CrashSend || r.crash == finding.CrashClose:
		return v.fill(whyEarly.fix)
	case r.crash == finding.CrashValue && r.party.Kind == finding.PartyLate:
		return v.fill(whyLate.fix)
	case r.crash == finding.CrashMap || r.crash == finding.CrashValue:
		return v.fill(guardIt)
	case r.crash == finding.CrashUnlock:
		return v.fill(whyLeakedLock.fix)
	}
	return nil // why the process is ended is another question
}

func crashes(s *scene) []finding.Suspect {
	c := s.Failure.Crash
	if c == nil {
		return nil
	}
	var list []finding.Suspect
	for i := range c.Parties {
		p := &c.Parties[i]
		e, ok := partyEvidence(c, p)
		if !ok {
			continue
		}
		if c.Kind == finding.CrashExit {
			e.Link = finding.Unlinked // why it was called is another question
			if trace.TopTest(p.Test) == trace.TopTest(s.Test.Name) {
				e.Class = finding.Symptom
			}
		}
		r := contributor{reason{whyCrash, s.rel(c.At)}, c.Kind, p}
		list = append(list, seenIn(p.Seen, c.Failing, at(line(s.rel(p.At)), e, r)))
		if from := s.rel(p.Caller); from != (trace.Frame{}) {
			e.Link = finding.Feeds
			r.reason = reason{whyCrashCall, s.rel(p.At)}
			list = append(list, seenIn(p.Seen, c.Failing, at(line(from), e, r)))
		}
	}
	return list
}

// partyEvidence returns what speaks for a party. That something was closed once is
// all that a second close or a send needs; that a counter was decremented, or a lock
// released, before, is so in good runs too.
func partyEvidence(c *finding.Crash, p *finding.Party) (e finding.Evidence, ok bool) {
	e = finding.Counted(p.Table)
	e.Link = finding.Decides
	enough := p.Kind == finding.PartyConcurrent ||
		p.Kind == finding.PartyBefore && (c.Kind == finding.CrashSend || c.Kind == finding.CrashClose)
	switch {
	case enough && (p.Same || c.Kind == finding.CrashExit) && p.Only && p.Seen == c.Failing:
		e.Class = finding.Mechanism
	case p.Kind != finding.PartyConcurrent && e.Class == finding.Associated:
	case enough:
		e.Class = finding.Hint
	default:
		return e, false
	}
	return e, true
}
