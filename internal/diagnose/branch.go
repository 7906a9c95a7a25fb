package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// This file says where one branch of a function does without what another branch of it waits for: code that
// deviates from what is done elsewhere for the same thing (Engler et al., Bugs as Deviant Behavior, 2001).

// otherBranch returns where a function on the way to one side of a race goes on to it without a wait that
// another branch of that function has, and that the goroutine of the other side ends after its access.
func (s *scene) otherBranch(r *finding.Race, e finding.Evidence) []finding.Suspect {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if a.Lost || other.Lost || a.Started.File == "" {
			continue
		}
		told, waited := s.toldAfter(s.stack(a)), s.waitedOnTheWay(s.stack(other), s.racePlace(a.Started))
		if slices.ContainsFunc(told, func(o *source.Op) bool { return s.ends(o, waited) != nil }) {
			continue
		}
		for _, f := range s.stack(other) {
			if w := s.waitElsewhere(f, told); w != nil {
				return []finding.Suspect{at(line(f), e, finding.Reason{
					Kind: finding.ReasonRaceBranch, Code: w.Name(), Then: frameOf(s.lineOf(w)), Other: s.racePlace(a.At), Started: s.racePlace(a.Started), Access: a.Kind, OtherAccess: other.Kind,
					Called: f != s.racePlace(other.At), Seen: r.Seen, Of: r.Of, Runs: r.Runs(),
				})}
			}
		}
	}
	return nil
}

// waitedOnTheWay returns what a goroutine may have waited for on its way, but for what stands in another branch or is called there.
func (s *scene) waitedOnTheWay(stack []trace.Frame, started trace.Frame) []*source.Op {
	return s.waitsPast(stack, started, func(f trace.Frame, o *source.Op) bool { return !s.Source.OtherBranch(f.File, f.Line, o) })
}

// toldAfter returns what a goroutine does after a place to end waits of others, locks left aside.
func (s *scene) toldAfter(stack []trace.Frame) (list []*source.Op) {
	for _, f := range stack {
		for _, o := range s.Source.After(f.File, f.Line, false, source.Release) {
			if !unlocks(o) {
				list = append(list, o)
			}
		}
	}
	return list
}

// waitElsewhere returns a wait that one of several operations ends, and that stands in another branch of the function
// around a place; nil if there is none.
func (s *scene) waitElsewhere(f trace.Frame, told []*source.Op) *source.Op {
	in := s.Source.FuncAt(f.File, f.Line)
	if in == nil {
		return nil
	}
	for _, w := range s.Source.In(in, source.Wait) {
		if s.Source.OtherBranch(f.File, f.Line, w) && slices.ContainsFunc(told, func(o *source.Op) bool { return s.ends(o, []*source.Op{w}) != nil }) {
			return w
		}
	}
	return nil
}
