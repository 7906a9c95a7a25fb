package diagnose

import (
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// This file says which method lacks a lock. By the convention of Go's libraries the outermost method of the type that
// has the lock takes it, and what that calls needs it.

// A bareMethod is a method that goes on to one side of a race without a lock that its type has.
type bareMethod struct {
	at   trace.Frame // where it goes on to that; its beginning, if others take the lock there
	lock *source.Op  // that takes the lock, for the other side or elsewhere
	like *source.Op  // an access elsewhere that is made under it, if the other side is not
}

// withoutLock returns the outermost method on the way to one side of a race, made under no lock, of the type that has
// the lock which the other side is made under or, by the source, another access to the same field; nil if there is
// none, or if the access is made in it and the lock is not one that methods take first of all.
func (s *scene) withoutLock(a, other finding.Access) *bareMethod {
	if a.Lost || other.Lost || s.lockedAtAll(a) {
		return nil
	}
	m := s.guardOf(a, other)
	if m == nil {
		return nil
	}
	stack, depth := s.stack(a), -1
	for i, f := range stack {
		if s.Source.OwnsLock(f.File, f.Line, m.lock) {
			depth = i
		}
	}
	if depth < 0 {
		return nil
	}
	m.at = stack[depth]
	for _, o := range s.Source.In(s.Source.FuncAt(m.at.File, m.at.Line), source.Wait) {
		if o.Obj() == m.lock.Obj() {
			return nil // it takes the lock, if not for this
		}
	}
	if s.Source.TakenFirst(m.lock.Obj()) {
		if m.at.Line = s.Source.Beginning(m.at.File, m.at.Line); m.at == stack[0] {
			return nil // that is told by the access itself
		}
	} else if depth == 0 || m.like != nil {
		return nil
	}
	return m
}

// unguarded returns where a method comes to one side of a race under no lock, though the field that both sides, made
// under none, are about is used under a lock elsewhere.
func (s *scene) unguarded(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if m := s.withoutLock(a, other); m != nil && m.like != nil {
			list = append(list, at(line(m.at), e,
				raced{reason{whyRaceUnguarded, s.rel(other.At)}, other.Kind, s.rel(a.At), m.lock.Name()}))
		}
	}
	return list
}

// guardOf returns what takes the lock that the other side of a race is made under or, if that is under none, another
// access to the field that the race is about.
func (s *scene) guardOf(a, other finding.Access) *bareMethod {
	theirs, known := s.locksOf(other)
	for _, l := range theirs.Held {
		if guards(l, other) {
			return &bareMethod{lock: l}
		}
	}
	if !known || len(theirs.Held) > 0 || len(theirs.Unsure) > 0 {
		return nil
	}
	for _, field := range s.bothTouch(a, other) {
		if lock, like := s.Source.Guarded(field); lock != nil {
			return &bareMethod{lock: lock, like: like}
		}
	}
	return nil
}

// bothTouch returns what both lines of a race read or write.
func (s *scene) bothTouch(a, other finding.Access) (list []types.Object) {
	theirs := s.touched(other)
	for _, obj := range s.touched(a) {
		if slices.Contains(theirs, obj) {
			list = append(list, obj)
		}
	}
	return list
}

func (s *scene) touched(a finding.Access) (list []types.Object) {
	f := s.racePlace(a.At)
	for _, o := range s.Source.Lines(f.File, f.Line, f.Line, source.Read, source.Write) {
		if o.Obj() != nil {
			list = append(list, o.Obj())
		}
	}
	return list
}
