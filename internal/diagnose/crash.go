package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var crashRule = Rule{
	Name: "crash",
	Doc: `The other statement that a panic or a fatal error needs. It closed the channel,
wrote the map, or called Done or Unlock too often. Or it called Add too late, set
what was nil, or ended the process. It is a mechanism if no other statement can
have done so. Otherwise runs are counted in which it ran before.`,
	find: crashes,
	claims: []Claim{
		{Kind: finding.ReasonCrash},
		{Kind: finding.ReasonCrashCall},
	},
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
		r := finding.Reason{Kind: finding.ReasonCrash, Crash: c.Kind, Party: p, Code: p.Of, Other: s.rel(c.At), Seen: p.Seen, Of: c.Failing}
		list = append(list, at(line(s.rel(p.At)), e, r))
		if from := s.rel(p.Caller); from != (trace.Frame{}) {
			e.Link = finding.Feeds
			r.Kind, r.Other = finding.ReasonCrashCall, s.rel(p.At)
			list = append(list, at(line(from), e, r))
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
	enough := p.Kind == finding.PartyConcurrent || p.Kind == finding.PartyBefore && (c.Kind == finding.CrashSend || c.Kind == finding.CrashClose)
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
