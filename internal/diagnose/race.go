package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

var raceRule = Rule{
	Name: "race",
	Doc: `Two accesses to the same memory, at least one of them a write, that the race
detector saw unordered: in the failing runs if they were made with -race, else in
runs of the same tests that were made with it afterwards. Each report is a real
race. That it is the cause of this failure is likely if what decided reads what is
raced for; it may also be another bug of the same test.`,
	find: races,
}

func races(s *scene) []finding.Suspect {
	var list []finding.Suspect
	if sides, ok := s.reported(); ok {
		list = append(list, s.raced(sides, 0, 0)...)
	}
	for _, r := range s.Test.Races {
		list = append(list, s.raced(r.Accesses, r.Seen, r.Of)...)
	}
	return list
}

// reported returns the accesses of the race report that the failure is.
func (s *scene) reported() (sides [2]finding.Access, ok bool) {
	r, ok := race.Parse(s.Failure.Message)
	if !ok {
		return sides, false
	}
	for i := range r.Accesses {
		at, ok := r.Accesses[i].InUserCode(func(file string) bool { _, ok := s.Sites.Rel(file); return ok })
		if !ok {
			return sides, false
		}
		sides[i] = finding.Access{Write: r.Accesses[i].Write, At: at}
	}
	return sides, true
}

// raced returns the two sides of a race.
func (s *scene) raced(sides [2]finding.Access, seen, of int) []finding.Suspect {
	link := max(s.linkAt(sides[0].At), s.linkAt(sides[1].At))
	if of == 0 {
		link = finding.Decides // the failure is the race
	}
	var list []finding.Suspect
	for i, a := range sides {
		other := sides[1-i]
		list = append(list, at(line(s.rel(a.At)), finding.Evidence{Class: finding.Mechanism, Link: link},
			finding.Reason{Kind: finding.ReasonRace, Other: s.rel(other.At), Write: a.Write, OtherWrite: other.Write, Seen: seen, Of: of}))
	}
	return list
}

// linkAt returns how close what a line changes or reads is to what decided.
func (s *scene) linkAt(f trace.Frame) finding.Link {
	best := finding.Unlinked
	at := s.rel(f)
	for _, st := range s.steps {
		for o, l := range st.links {
			if s.Source.Line(o.Node) == at.Line && s.fileOf(o) == at.File {
				best = max(best, l)
			}
		}
	}
	return best
}
