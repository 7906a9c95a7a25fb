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
			if s.waitsElsewhere(f, told) {
				return []finding.Suspect{at(line(f), e, raced{reason: reason{whyRaceBranch, s.racePlace(a.At)}, access: a.Kind})}
			}
		}
	}
	return nil
}

// waitedOnTheWay returns what a goroutine may have waited for on its way, without what stands in another branch or is
// called there.
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

// waitsElsewhere reports whether a wait that one of several operations ends stands in another branch of the function
// around a place.
func (s *scene) waitsElsewhere(f trace.Frame, told []*source.Op) bool {
	in := s.Source.FuncAt(f.File, f.Line)
	return in != nil && slices.ContainsFunc(s.Source.In(in, source.Wait), func(w *source.Op) bool {
		return s.Source.OtherBranch(f.File, f.Line, w) && slices.ContainsFunc(told, func(o *source.Op) bool { return s.ends(o, []*source.Op{w}) != nil })
	})
}
