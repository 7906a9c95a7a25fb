package diagnose

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var raceRule = Rule{
	Name: "race",
	Doc: `Two accesses to the same memory that the race detector saw unordered, at least one
of them a write. Each is a real race. It is likely the cause if what decides reads
that memory. It may also be another bug of the same test. A race seen only in
passing runs is a hint.`,
	find: races,
}

// A side is one access of a race, or the start of its goroutine. The other place is the other access.
type side struct {
	reason
	mine, access say.Label     // none of what the other one does if it is not known where
	raced        finding.Count // runs with the race detector, of none if the failure is the report
}

func (r side) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.words(r.values(s, c))
	if w.Mark = r.mine.With(); !r.access.None() {
		w.Other = marked(r.other, r.access.With())
	}
	return w
}

func (r side) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Raced = r.raced
	return c
}

func races(s *scene) []finding.Suspect {
	var all []finding.Race
	if sides, ok := s.reported(); ok {
		all = append(all, finding.Race{Accesses: sides})
	}
	all = append(all, s.Test.Races...)
	var list []finding.Suspect
	for i := range all {
		list = append(list, s.raced(&all[i], s.evidenceOf(&all[i]))...)
	}
	return list
}

// evidenceOf returns the evidence of a race for its places.
func (s *scene) evidenceOf(r *finding.Race) finding.Evidence {
	e := finding.Evidence{Class: finding.Mechanism, Link: max(s.linkAt(r.Accesses[0].At), s.linkAt(r.Accesses[1].At))}
	if r.Of == 0 {
		e.Link = finding.Decides // the failure is the race
	}
	if r.Apart() {
		e.Class = finding.Hint
	}
	return e
}

// reported returns the accesses of the race report that the failure is.
func (s *scene) reported() (sides [2]finding.Access, ok bool) {
	r, ok := race.Parse(s.Failure.Message)
	if !ok {
		return sides, false
	}
	return Sides(r, s.Sites)
}

// Sides returns the two accesses of a report where each is made in the user's code, or, as
// far as the detector knows, by a goroutine that is started there. Modules that go.mod replaces by
// a directory are the user's, too.
func Sides(r race.Report, sites *trace.Sites) (sides [2]finding.Access, ok bool) {
	for i := range r.Accesses {
		a := &r.Accesses[i]
		made, started := slices.DeleteFunc(users(a.Stack, sites), wraps), users(a.Started, sites)
		sides[i].Kind = kindOf(a)
		if len(started) > 0 {
			sides[i].Started = started[0]
		}
		switch {
		case len(made) > 0:
			sides[i].At, sides[i].Calls = made[0], made[1:]
		case len(started) > 0:
			sides[i].At, sides[i].Lost = started[0], true
		default:
			return sides, false
		}
	}
	return sides, true
}

func kindOf(a *race.Access) finding.AccessKind {
	if a.Write {
		return finding.Write
	}
	return finding.Read
}

func users(stack []trace.Frame, sites *trace.Sites) (list []trace.Frame) {
	for _, f := range stack {
		if RaceFile(f, sites) != "" {
			list = append(list, f)
		}
	}
	return list
}

// wraps reports whether a frame is that of a function that the compiler has made of a go
// statement with arguments: its line is one of the function that starts it, which it is not in.
func wraps(f trace.Frame) bool {
	return strings.HasPrefix(f.Func[strings.LastIndex(f.Func, ".")+1:], "gowrap")
}

// RaceFile returns the path of a frame of a race relative to the root, "" if it is not in the user's code.
func RaceFile(f trace.Frame, sites *trace.Sites) string {
	if rel, ok := sites.Rel(f.File); ok {
		return rel
	}
	rel, _ := sites.Beside(f)
	return rel
}

// racePlace makes a place of a race relative to the root.
func (s *scene) racePlace(f trace.Frame) trace.Frame {
	if rel := RaceFile(f, s.Sites); rel != "" {
		return trace.Frame{File: rel, Line: f.Line}
	}
	return trace.Frame{}
}

// raced returns the two sides of a race, and what starts their goroutines.
func (s *scene) raced(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	var starts []finding.Suspect
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		why := side{reason{whyRace, s.racePlace(other.At)}, a.Kind.Mark(), other.Kind.Mark(),
			finding.Count{Failed: r.Seen, Of: r.Of}}
		if other.Lost {
			why.access = say.Label{}
		}
		if a.Lost {
			why.mine = say.MarkStartsGo
		}
		list = append(list, at(line(s.racePlace(a.At)), e, why))
		starts = append(starts, at(line(s.rel(a.Started)), e, reason{whyStarts, s.racePlace(a.At)}))
	}
	return append(list, starts...)
}

// linkAt returns how close the operations of a line are to the deciding condition.
func (s *scene) linkAt(f trace.Frame) finding.Link {
	return s.linkOf(line(s.racePlace(f)))
}
