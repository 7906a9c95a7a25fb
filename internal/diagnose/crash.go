package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var crashRule = Rule{
	Name: "crash",
	Doc: `The other statement that a panic or a fatal error of the runtime needs: who closed
the channel before a send or another close, which other goroutine was writing the
map, which Done or Unlock ran before the one that was too many, which Add came too
late, who in another goroutine sets what was found to be nil or too short; and who
ended the process, which may be another test. Only one of its kind made, and only
one statement to close or write it, is a mechanism; else runs are counted in which
it ran before, if the trace tells.`,
	find: crashes,
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
