package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
)

var drawRule = Rule{
	Name: "draw",
	Doc: `A value that enters from outside (a key in map order, a random number, a reading of
the clock, something received) and that what decided is computed from: its value
tells the outcome, or it merely differs from run to run. A value that nothing which
decided is computed from is never named.`,
	find: draws,
}

func draws(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i := range s.Failure.Data {
		d := &s.Failure.Data[i]
		link := s.linkAt(d.At)
		if d.Operand != "" {
			link = max(link, finding.Feeds)
		}
		if d.Kind == finding.DataTest || link < finding.Feeds {
			continue // what decided is not computed from it, as far as can be seen
		}
		e := finding.Evidence{Class: finding.Associated, Link: finding.Feeds}
		r := finding.Reason{Kind: finding.ReasonDrawVaries, Source: d.Source, Code: d.Operand, Data: d}
		if d.Sure() {
			r.Kind = finding.ReasonDraw
			e = finding.Evidence{Class: finding.Associated, Link: finding.Decides, Table: d.Found.Table, P: d.Found.P}
		}
		list = append(list, at(line(s.rel(d.At)), e, r))
	}
	return list
}
