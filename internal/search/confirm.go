package search

import (
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
)

const (
	maxOpposites = 16 // that are tried
	maxShams     = 5
)

// control looks for acts that make the test pass, and for the same acts where they do not matter.
func (s *Search) control(f *Found, h *hypothesis) error {
	if f.Always {
		return s.turned(f, h)
	}
	if err := s.elsewhere(f); err != nil {
		return err
	}
	return s.opposite(f, h)
}

// turned looks for a plan that makes a test always fail that mostly does, and that another plan lets pass: the one
// proposed for that, or the other turned round. Few runs tell it from those that pass.
func (s *Search) turned(f *Found, h *hypothesis) error {
	if err := s.settle(f.Failure); err != nil || s.allPlain(f).of(f.Failure, false).rate() >= nearlyAlways {
		return err
	}
	list := []Plan{h.Fails}
	for i, a := range f.Opposite {
		for _, o := range a.Opposites() {
			list = append(list, slices.Concat(f.Opposite[:i], o, f.Opposite[i+1:]))
		}
	}
	r := s.refining(f.Failure, false)
	r.against = &h.counts
	for _, p := range list[:min(len(list), maxOpposites)] {
		if slices.Equal(p, h.plan) || len(p) == 0 {
			continue
		}
		if is, err := r.does(p); err != nil || is {
			f.Plan, f.Always = p, !is
			return err
		}
	}
	return nil
}

// opposite looks for acts that make the test pass. A plan that only adds to the one found is held against runs with
// that, which fail: few tell. All others are held against plain runs. Where these seldom fail, a run that passes shows
// nothing: the first plan that acts is taken, and none if nearly all plain runs pass, and there is another control.
// None is looked for in the time that a confirmation takes.
func (s *Search) opposite(f *Found, h *hypothesis) error {
	if s.short() {
		return nil
	}
	if err := s.settle(f.Failure); err != nil {
		return err
	}
	plain, rare, needless := s.allPlain(f), s.rare(f), f.Elsewhere != nil && s.passes(f)
	list := f.opposites(h)
	if !rare && f.Elsewhere != nil { // it may suffice to make a test pass that often fails
		list = append([]Plan{f.Elsewhere}, list...)
	}
	for _, p := range list {
		r := s.refining(f.Failure, true)
		if !slices.ContainsFunc(h.Passes, func(o Plan) bool { return slices.Equal(o, p) }) { // one of many guesses
			r.drop = quickly
		}
		adds := f.adds(p)
		if r.against = plain; adds {
			r.against = &h.counts
		}
		passes := r.does
		switch {
		case s.short():
			return nil
		case !adds && needless:
			continue
		case rare && !adds:
			passes = r.once
		}
		is, err := passes(p)
		if err == nil && is && adds {
			p, err = r.latest(p)
		}
		if err != nil {
			return err
		}
		if is {
			if f.Opposite = p; slices.Equal(p, f.Elsewhere) {
				f.Elsewhere = nil
			}
			return nil
		}
	}
	return nil
}

// adds reports whether an opposite leaves the plan as it is, and adds to it.
func (f *Found) adds(opposite Plan) bool {
	return len(f.Plan) > 0 && len(opposite) > len(f.Plan) && slices.Equal(opposite[:len(f.Plan)], f.Plan)
}

// opposites returns the plans that may make a test pass: those that add to the plan, since they show most in the fewest
// runs, the proposed ones, and each act turned round. If the plan has several acts, the proposed ones come first.
func (f *Found) opposites(h *hypothesis) []Plan {
	var added, turned []Plan
	for i, a := range slices.Backward(f.Plan) { // the last one is needed by an earlier one
		for _, o := range a.Opposites() {
			if len(o) > 1 && o[0] == a {
				added = append(added, slices.Concat(f.Plan, o[1:]))
				continue
			}
			turned = append(turned, slices.Concat(f.Plan[:i], o, f.Plan[i+1:]))
		}
	}
	list := slices.Concat(added, h.Passes, turned)
	if len(f.Plan) > 1 {
		list = slices.Concat(h.Passes, turned, added)
	}
	return list[:min(len(list), maxOpposites)]
}

// once reports whether a run with a plan in which it acts passes. Where plain runs fail too, one that fails shows
// nothing.
func (r *refining) once(p Plan) (bool, error) {
	fails := r.plain.of(r.failure, false).yes > 0
	for range maxMissed {
		outs, err := r.run([]Plan{p}, false)
		if err != nil {
			return false, err
		}
		switch is := outs[0].shows(r.failure); {
		case is == proof.TellsPass:
			return true, nil
		case is == proof.TellsFailure && !fails:
			return false, nil
		}
	}
	return false, nil
}

// elsewhere looks for the same acts at a place where the test passes.
func (s *Search) elsewhere(f *Found) error {
	tried := 0
	for i, a := range f.Plan {
		for _, e := range a.Elsewhere() {
			if tried == maxShams {
				return nil
			}
			tried++
			p := slices.Concat(f.Plan[:i], Plan{e}, f.Plan[i+1:])
			if is, err := s.refining(f.Failure, true).once(p); err != nil {
				return err
			} else if is {
				f.Elsewhere = p
				return nil
			}
		}
	}
	return nil
}

// A side is the runs of a confirmation with one plan, or with several that do the same, in turn.
type side struct {
	plans []Plan
	made  int
	count *proof.Count
	keep  *[]Outcome
}

// next returns the plan of the next run.
func (x *side) next() Plan {
	x.made++
	return x.plans[(x.made-1)%len(x.plans)]
}

func (x *side) add(o Outcome, failure string) {
	is := o.Tells(failure)
	x.count.Add(is, o.Unmet)
	if x.keep != nil && is >= proof.TellsPass {
		*x.keep = append(*x.keep, o)
	}
}

// confirm makes fresh runs with the plan found and with its controls, in turn, so that a machine that becomes
// slower meanwhile affects all alike. A test that fails anyway needs only the plan that makes it pass.
func (s *Search) confirm(f *Found) error {
	c := &f.Confirmed
	*c, f.Shown, f.Plain = proof.Confirmation{}, nil, nil
	l := f.Law
	if l == nil || len(l.Fails) == 0 {
		l = &Law{Fails: []Plan{f.Plan}, Passes: []Plan{f.Opposite}}
	}
	with := &side{plans: l.Fails, count: &c.With, keep: &f.Shown}
	sides := []*side{with}
	if !f.Always {
		sides = append(sides, &side{plans: []Plan{nil}, count: &c.Plain, keep: &f.Plain})
	}
	if f.Elsewhere != nil {
		sides = append(sides, &side{plans: []Plan{f.Elsewhere}, count: &c.Sham})
	}
	if f.Opposite != nil {
		sides = append(sides, &side{plans: l.Passes, count: &c.Cure, keep: passesOf(f)})
	}
	err := s.turns(f, with, sides)
	s.judged(f)
	return err
}

// judged draws the verdict from the runs of a confirmation, one that was not finished too: nothing is proved by few.
func (s *Search) judged(f *Found) {
	c := &f.Confirmed
	if f.Always {
		c.Plain = c.With
	}
	if !c.Controls(c.Sham) {
		f.Elsewhere, c.Sham = nil, proof.Count{}
	}
	if !f.Always && !c.Passes(c.Cure) {
		f.Opposite, c.Cure = nil, proof.Count{}
	}
	f.Verdict = c.Verdict()
}

// passesOf returns the place for runs that pass of a test that fails anyway.
func passesOf(f *Found) *[]Outcome {
	if f.Always {
		return &f.Plain
	}
	return nil
}

// turns makes runs of each side until each has enough. It ends early when so many pass that nothing can be
// shown any more, or that those which failed before did so by chance.
func (s *Search) turns(f *Found, with *side, sides []*side) error {
	for {
		var todo []*side
		var plans []Plan
		for _, x := range sides {
			if x.count.Wants(proof.ConfirmRuns) > 0 {
				todo, plans = append(todo, x), append(plans, x.next())
			}
		}
		if len(todo) == 0 || !f.Always && s.hopeless(f, with.count) {
			return nil
		}
		outs, err := s.run(plans, true)
		for i, o := range outs {
			todo[i].add(o, f.Failure)
		}
		if err != nil {
			return err
		}
	}
}

// hopeless reports whether the runs with a plan are those of a wrong one.
func (s *Search) hopeless(f *Found, c *proof.Count) bool {
	with := score{c.Failed, c.Of - c.Failed}
	if c.Missed+c.Unmet > maxMissed+c.Of/2 {
		return true
	}
	return with.decide(s.plain.of(f.Failure, false), partWeigh, WronglyDropped) == dropped
}
