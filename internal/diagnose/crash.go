package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var crashRule = Rule{
	Name: "crash",
	Doc: `The other statement that a panic or a fatal error needs: what closed the channel,
or wrote the map. Or the one that ended the process. It is a mechanism if no other
statement can have done so.`,
	find: crashes,
}

// A closed is a reason about a channel that was closed.
type closed struct {
	reason
	of string // the operand of the statement that failed
}

func (r closed) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.operand = c.Named(r.of, line(r.other))
	return r.words(v)
}

func crashes(s *scene) (list []finding.Suspect) {
	c := s.Failure.Crash
	if c == nil {
		return nil
	}
	for _, p := range c.Parties {
		e := finding.Evidence{Class: finding.Hint, Link: finding.Decides}
		if len(c.Parties) == 1 && p.Seen == c.Failing {
			e.Class = finding.Mechanism
		}
		var r finding.Reason = closed{reason{whyCrash, s.rel(c.At)}, p.Of}
		switch c.Kind {
		case finding.CrashMap:
			r = reason{whyCrashMap, s.rel(c.At)}
		case finding.CrashExit:
			r, e.Link = reason{kind: whyCrashExit}, finding.Unlinked // why it was called is another question
			if trace.TopTest(p.Test) == trace.TopTest(s.Test.Name) {
				e.Class = finding.Symptom
			}
		}
		list = append(list, seenIn(p.Seen, c.Failing, at(line(s.rel(p.At)), e, r)))
	}
	return list
}
