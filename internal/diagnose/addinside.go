package diagnose

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// What only this rule says.
const addFix say.Template = "Call {name}.Add before the go statement."

// This file says of a goroutine that another one is to wait for by a sync.WaitGroup that nothing
// is added for it before it is started: what adds to the group stands in a goroutine itself, so
// that Wait may return before that is run (what SA2000 of staticcheck warns of).

// addFirst is for all that is added too late.
var addFirst = []said{{addFix, "n"}}

// addsInside returns where a goroutine adds to the group that the other side of a race waits for.
func (s *scene) addsInside(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	for i, a := range r.Accesses {
		other := r.Accesses[1-i]
		started := s.racePlace(a.Started)
		var add, wait *source.Op
		switch {
		case started.File == "":
		case a.Group:
			if a.Kind == finding.Read {
				add, wait = s.addInside(started, nil, s.groupWaits(other, started))
			}
		case !a.Lost && !other.Lost:
			add, wait = s.addInside(started, s.stack(a), s.waits(s.stack(other), started))
		}
		if add == nil {
			continue
		}
		because := e
		because.Link = max(e.Link, s.linkOfStarted(started))
		list = append(list, at(s.lineOf(add), because, named{reason{whyRaceAdd, frameOf(s.lineOf(wait))}, add.Name()}))
	}
	return list
}

// linkOfStarted returns how close to what decided any race is of the goroutines that a statement starts: that nobody
// waits for them is the cause of each.
func (s *scene) linkOfStarted(started trace.Frame) (best finding.Link) {
	for _, f := range s.racesOf(started) {
		best = max(best, s.linkOf(line(f)))
	}
	return best
}

// groupWaits returns the waits that the Wait of a race of a group may be: those on its way or, if the detector has lost
// where it is, all of its goroutine's function and of the one that starts the goroutine that adds.
func (s *scene) groupWaits(a finding.Access, started trace.Frame) (list []*source.Op) {
	if !a.Lost {
		return s.waits(s.stack(a), started)
	}
	at := s.racePlace(a.Started)
	if _, fn := s.Source.Started(at.File, at.Line); fn != nil {
		list = s.Source.In(fn, source.Wait)
	}
	if fn := s.Source.FuncAt(started.File, started.Line); fn != nil { // a subtest, which Run has started
		list = append(list, s.Source.In(fn, source.Wait)...)
	}
	return list
}

// heldInside is the same of a goroutine that an experiment has held before it adds.
func (s *scene) heldInside(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	p := s.partner(v)
	if p == nil {
		return nil
	}
	add, wait := s.addInside(s.rel(v.Started()), nil, s.waits(p.frames, s.rel(v.Started())))
	if add == nil || !v.Proof.FromStart && !s.heldBefore(v, add) {
		return nil
	}
	return []finding.Suspect{at(s.lineOf(add), e, named{reason{whyAddInside, frameOf(s.lineOf(wait))}, add.Name()})}
}

// heldBefore reports whether a goroutine was held before its function came past an operation.
func (s *scene) heldBefore(v *finding.Verdict, o *source.Op) bool {
	frames := s.frames(v.Path(), false)
	in := s.Source.FuncAround(o.Node)
	i := slices.IndexFunc(frames, func(f trace.Frame) bool { return s.Source.FuncAt(f.File, f.Line) == in })
	return i >= 0 && !slices.Contains(s.Source.Before(frames[i].File, frames[i].Line, false), o)
}

// addInside returns the Add that stands in a goroutine, and the one of some waits that is for it, if no Add that may
// come before the goroutine is started is for it. That has come before where its stack stands; without one it must be
// the goroutine's own.
func (s *scene) addInside(started trace.Frame, stack []trace.Frame, waits []*source.Op) (add, wait *source.Op) {
	start, fn := s.Source.Started(started.File, started.Line)
	if fn == nil {
		return nil, nil
	}
	for _, w := range waits {
		if !s.counts(w, fn) {
			continue
		}
		own, others, known := s.inside(w, start, fn)
		switch {
		case !known:
		case len(own) > 0 && (stack == nil || s.addedBy(own[0], fn, stack)) && !s.told(own[0], fn, w, waits):
			return own[0], w
		case len(own) == 0 && len(others) == 1 && len(stack) > 0 &&
			!s.told(others[0], s.Source.FuncAround(others[0].Node), w, waits):
			return others[0], w
		}
	}
	return nil, nil
}

// addedBy reports whether a function has come past an Add where a stack stands. One that does not
// have the function, as the race detector may lose it, is in what that calls.
func (s *scene) addedBy(add *source.Op, fn ast.Node, stack []trace.Frame) bool {
	path, line := s.Source.Place(add)
	first, last := s.Source.Line(fn), s.Source.Fset.PositionFor(fn.End(), false).Line
	for _, f := range slices.Backward(stack) {
		if f.File == path && first <= f.Line && f.Line <= last {
			return line <= f.Line
		}
	}
	return !slices.ContainsFunc(s.Source.In(fn, source.Call), func(o *source.Op) bool {
		return o.Node.Pos() < add.Node.Pos()
	})
}

// counts reports whether a function itself calls Done of the group that a wait is for.
func (s *scene) counts(wait *source.Op, fn ast.Node) bool {
	return slices.ContainsFunc(s.Source.Enders(wait), func(o *source.Op) bool { return s.Source.Own(o, fn) })
}

// inside returns where the function of a goroutine, or that of another goroutine, adds to the
// group that a wait is for. It is not known if something else may add for this one before it is started; what is
// followed by the statement that starts another one is for that.
func (s *scene) inside(wait, start *source.Op, fn ast.Node) (own, others []*source.Op, known bool) {
	for _, o := range s.Source.Adds(wait) {
		in := s.Source.FuncAround(o.Node)
		switch by, runs := s.Source.AddedFor(o); {
		case by != nil && by != start && runs != nil && s.counts(wait, runs):
		case in == fn:
			own = append(own, o)
		case in != nil && s.Source.RunBy(in) != nil && !source.Encloses(in, start):
			others = append(others, o)
		default:
			return nil, nil, false
		}
	}
	return own, others, true
}

// told reports whether a function does something after an Add that ends another of some waits: by
// that it may be known that it has added.
func (s *scene) told(add *source.Op, fn ast.Node, wait *source.Op, waits []*source.Op) bool {
	enders := s.Source.Enders(wait)
	return slices.ContainsFunc(s.Source.In(fn, source.Release), func(r *source.Op) bool {
		return r.Node.Pos() > add.Node.Pos() && !slices.Contains(enders, r) && !unlocks(r) && s.ends(r, waits) != nil
	})
}
