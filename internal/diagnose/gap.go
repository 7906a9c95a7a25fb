package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// This file says, of two accesses that nothing orders, where the source lacks what would
// order them: the lock that one side is made under and the other one not (the lockset of
// Savage et al., Eraser, 1997), or the wait between the statement that starts one side's
// goroutine and the other side.

// unlocked returns where a side of a race has given back the lock that the other side is made under.
func (s *scene) unlocked(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if o := s.givenBack(a, other); o != nil {
			list = append(list, at(s.lineOf(o), e,
				raced{reason{whyRaceUnlock, s.rel(other.At)}, other.Kind, s.rel(a.At), o.Name()}))
		}
	}
	return list
}

// givenBack returns what gives back a lock on the way to an access that is made under none,
// if the other access of a race is made under that lock, or has given it back too.
func (s *scene) givenBack(a, other finding.Access) *source.Op {
	mine, known := s.locksOf(a)
	if !known || len(mine.Held) > 0 || len(mine.Unsure) > 0 {
		return nil
	}
	theirs, known := s.locksOf(other)
	for _, u := range s.unlocks(a) {
		same := func(o *source.Op) bool { return o.Obj() == u.Obj() }
		if slices.ContainsFunc(theirs.Held, func(o *source.Op) bool { return same(o) && guards(o, other) }) {
			return u
		}
		if known && len(theirs.Held) == 0 && slices.ContainsFunc(s.unlocks(other), same) && s.guarded(u, a) {
			return u
		}
	}
	return nil
}

// instances returns where a variable of the package is given to each instance of a type, if
// both sides of a race are made under the lock that each of these has: then they are two
// locks, of two instances that have come to the same memory. Nothing is returned if several
// variables are given to them.
func (s *scene) instances(r *finding.Race, e finding.Evidence) []finding.Suspect {
	mine, _ := s.locksOf(r.Accesses[0])
	theirs, _ := s.locksOf(r.Accesses[1])
	for _, lock := range mine.Held {
		same := func(o *source.Op) bool { return o.Obj() == lock.Obj() && guards(o, r.Accesses[1]) }
		if len(lock.Path) < 2 || !guards(lock, r.Accesses[0]) || !slices.ContainsFunc(theirs.Held, same) {
			continue
		}
		if given := s.Source.GivenToAll(lock); len(given) == 1 {
			return []finding.Suspect{at(s.lineOf(given[0]), e,
				raced{reason: reason{whyRaceShared, s.rel(r.Accesses[1].At)}, access: r.Accesses[1].Kind})}
		}
	}
	return nil
}

// guarded reports whether what was done under a lock, until it was given back, says that it is for
// an access that comes later: something that the line of that names, or nothing at all. Who
// has read other things under it has done what the lock was taken for.
func (s *scene) guarded(unlock *source.Op, a finding.Access) bool {
	file, line := s.Source.Place(unlock)
	taken := slices.DeleteFunc(s.Source.Before(file, line, false, source.Wait), func(o *source.Op) bool {
		return !locks(o) || o.Obj() != unlock.Obj()
	})
	if len(taken) == 0 {
		return false
	}
	section := slices.DeleteFunc(s.Source.Before(file, line, false, source.Read, source.Write, source.Call),
		func(o *source.Op) bool {
			return o.Node.Pos() < taken[len(taken)-1].Node.End() || o.Kind == source.Call && o.Obj() == nil
		})
	at := s.rel(a.At)
	later := s.Source.Lines(at.File, at.Line, at.Line, source.Read, source.Write)
	named := func(o *source.Op) bool {
		return slices.ContainsFunc(later, func(l *source.Op) bool { return l.Obj() != nil && l.Obj() == o.Obj() })
	}
	return len(section) == 0 || slices.ContainsFunc(section, named)
}

// unlocks returns what gives a lock back on every way to an access, the nearest first.
func (s *scene) unlocks(a finding.Access) (list []*source.Op) {
	for _, f := range s.stack(a) {
		for _, o := range slices.Backward(s.Source.Before(f.File, f.Line, true, source.Release)) {
			if unlocks(o) && o.Obj() != nil {
				list = append(list, o)
			}
		}
	}
	return list
}

// unwaited returns where the function that starts the goroutine of one side of a race comes
// to the other side, if no wait is seen in between but a sleep, and no lock at all. Where it is
// made in what that function calls, and on the way to one of the two a lock is taken, be it given back, that
// is meant to be used by several: these come apart (called). Of a goroutine that tells nothing the
// statement that starts it comes first.
func (s *scene) unwaited(r *finding.Race, e finding.Evidence) (direct, called []finding.Suspect) {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if a.Started.File == "" || a.Lost || other.Lost || s.lockedAtAll(a) || s.lockedAtAll(other) {
			continue
		}
		g := s.goesOn(s.rel(a.Started), s.stack(other))
		if g == nil {
			continue
		}
		why := raced{reason: reason{whyRaceLook, s.rel(a.At)}, access: a.Kind}
		if g.slept {
			why.kind = whyRaceSleep
		} else if start := s.rel(a.Started); g.span.End-start.Line < maxWindow &&
			!within(s.rel(a.At), at(trace.Span{File: g.span.File, Start: start.Line, End: g.span.End}, e, why)) {
			g.span.Start = start.Line
		}
		x := at(g.span, e, why)
		switch {
		case g.called && (s.takesLock(a) || s.takesLock(other)):
			called = append(called, x)
		case !g.slept && !s.tells(a) && !within(s.rel(a.Started), x):
			direct = append(direct, s.startOf(a, e), x)
		default:
			direct = append(direct, x)
		}
	}
	return direct, called
}

// leftAlone returns the statement that starts the goroutine of one side of a race, if neither side is made in a
// function that takes a lock, and if that goroutine ends without telling anybody: as it is nothing can order the two.
func (s *scene) leftAlone(r *finding.Race, e finding.Evidence) []finding.Suspect {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		if a.Lost || a.Started.File == "" || other.Lost || other.Started.File != "" || s.takesLock(a) ||
			s.takesLock(other) || s.tells(a) || s.onAndOn(a) {
			continue
		}
		return []finding.Suspect{s.startOf(a, e)}
	}
	return nil
}

// onAndOn reports whether one side of a race is made in a loop that nothing in its head ends: by a goroutine
// that is to go on beside others.
func (s *scene) onAndOn(a finding.Access) bool {
	return slices.ContainsFunc(s.stack(a), func(f trace.Frame) bool { return s.Source.OnAndOn(f.File, f.Line) })
}

// tells reports whether the goroutine of one side of a race does something from there on that ends a wait: if it
// does not, nobody can wait for it as it is.
func (s *scene) tells(a finding.Access) bool { return s.meet(s.stack(a), nil).tells }

// startOf returns the statement that starts the goroutine of one side of a race.
func (s *scene) startOf(a finding.Access, e finding.Evidence) finding.Suspect {
	return at(line(s.racePlace(a.Started)), e, reason{whyRaceGo, s.racePlace(a.At)})
}

func (s *scene) lockedAtAll(a finding.Access) bool {
	l, known := s.locksOf(a)
	return !known || len(l.Held) > 0 || len(l.Unsure) > 0
}

// takesLock reports whether one of the functions that one side of a race is made in takes a lock.
func (s *scene) takesLock(a finding.Access) bool {
	return slices.ContainsFunc(s.stack(a), func(f trace.Frame) bool {
		in := s.Source.FuncAt(f.File, f.Line)
		return in != nil && slices.ContainsFunc(s.Source.In(in, source.Wait), locks)
	})
}

// A passage is where a function that starts a goroutine goes on without having waited for it.
type passage struct {
	span   trace.Span // from what follows the start, if that is near, to where it looks; or the sleep
	slept  bool
	called bool // it looks in what is called at the last of the lines, or after the sleep
}

// goesOn returns how the function that starts a goroutine comes to where another stack
// stands; nil if that is not on the stack, or waits in between.
func (s *scene) goesOn(started trace.Frame, stack []trace.Frame) *passage {
	in := s.Source.FuncAt(started.File, started.Line)
	depth := slices.IndexFunc(stack, func(f trace.Frame) bool {
		return in != nil && s.Source.FuncAt(f.File, f.Line) == in
	})
	if depth < 0 || stack[depth].Line <= started.Line {
		return nil
	}
	look := stack[depth]
	g := &passage{span: line(look), called: depth > 0}
	waits := s.waitsBetween(started, look)
	if n := len(waits); n > 0 {
		if w := waits[n-1]; w.How != "time.Sleep" || s.Source.Polls(w.Block) {
			return nil
		}
		g.slept, g.span = true, s.lineOf(waits[n-1])
		return g
	}
	for _, f := range stack[:depth] { // what is called may wait before it looks
		if len(slices.DeleteFunc(s.Source.Before(f.File, f.Line, false, source.Wait), locks)) > 0 {
			return nil
		}
	}
	if first := s.Source.LineAfter(started.File, started.Line, look.Line); first > 0 && look.Line-first < maxWindow {
		g.span.Start = first
	}
	return g
}

// waitsBetween returns what the function around two lines of it waits for between them,
// also in what it calls, locks left aside.
func (s *scene) waitsBetween(from, to trace.Frame) (list []*source.Op) {
	for _, o := range s.Source.Before(to.File, to.Line, false, source.Wait, source.Call) {
		if s.Source.Line(o.Node) <= from.Line {
			continue
		}
		if o.Kind == source.Wait {
			list = append(list, o)
		} else {
			list = append(list, s.Source.Inside(o, maxSteps, source.Wait)...)
		}
	}
	return slices.DeleteFunc(list, locks)
}
