package search

import (
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
)

const (
	maxOpposites = 16 // that are tried
	maxShams     = 5
)

// control looks for what makes the test pass, and for the same acts where they do not matter.
func (s *Search) control(f *Found, h *hypothesis) error {
	if f.Always {
		return nil
	}
	if err := s.elsewhere(f); err != nil {
		return err
	}
	return s.opposite(f, h)
}

// opposite looks for what makes the test pass. What leaves the plan as it is and adds to it is held against runs with the plan,
// which fail: few tell. All else is held against plain runs, and where these seldom fail, that a run passes
// shows nothing: the first that acts is taken as a control, if there is no other.
func (s *Search) opposite(f *Found, h *hypothesis) error {
	rare := s.plain.of(f.Failure, false).rate() < seldom
	list := f.opposites(h)
	if !rare && f.Elsewhere != nil { // of a test that often fails it may be what it takes to pass
		list = append([]Plan{f.Elsewhere}, list...)
	}
	for _, p := range list {
		r := s.refining(f.Failure, true)
		if !slices.ContainsFunc(h.Passes, func(o Plan) bool { return slices.Equal(o, p) }) { // one of many guesses
			r.drop = quickly
		}
		adds := f.adds(p)
		if adds {
			r.against = &h.counts
		}
		passes := r.does
		switch {
		case rare && !adds && f.Elsewhere != nil:
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

// opposites returns what may make a test pass: what adds to the plan, since that shows most in the fewest runs, what was proposed,
// and then each act turned round. Of several acts what was proposed comes first.
func (f *Found) opposites(h *hypothesis) []Plan {
	var added, turned []Plan
	for i, a := range slices.Backward(f.Plan) { // the last one is what an earlier one needs
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

// once reports whether a run with a plan in which it acts passes.
func (r *refining) once(p Plan) (bool, error) {
	for range maxMissed {
		outs, err := r.run([]Plan{p}, false)
		if err != nil {
			return false, err
		}
		if o := outs[0]; !o.Missed && !o.Unmet && (o.Failure == "" || o.Failure == r.failure) {
			return o.Failure == "", nil
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

// A side is the runs of a confirmation with one plan.
type side struct {
	plan  Plan
	count *proof.Count
	keep  *[]Outcome
}

// wants reports whether a side needs another run: not if the plan hardly ever acts, or the test mostly fails in another way.
func (x *side) wants() bool {
	c := x.count
	return c.Of < proof.ConfirmRuns && c.Of+c.Missed < 2*proof.ConfirmRuns && c.Other <= mostOther+otherShare*c.Of
}

const (
	mostOther  = 5 // runs that may fail in another way before one counts
	otherShare = 3 // and for each that counts
)

func (x *side) add(o Outcome, failure string) {
	switch {
	case o.Missed:
		x.count.Missed++
		return
	case o.Failure != "" && o.Failure != failure:
		x.count.Other++
		return
	case o.Failure != "":
		x.count.Failed++
	}
	x.count.Of++
	if o.Unmet {
		x.count.Unmet++
	}
	if x.keep != nil {
		*x.keep = append(*x.keep, o)
	}
}

// confirm makes fresh runs with what was found and with its controls, in turn, so that a machine that becomes
// slower meanwhile affects all alike. What fails anyway needs only what makes it pass.
func (s *Search) confirm(f *Found) error {
	c := &f.Confirmed
	*c, f.Shown, f.Plain = proof.Confirmation{}, nil, nil
	with := &side{plan: f.Plan, count: &c.With, keep: &f.Shown}
	sides := []*side{with}
	if !f.Always {
		sides = append(sides, &side{count: &c.Plain, keep: &f.Plain})
	}
	if f.Elsewhere != nil {
		sides = append(sides, &side{plan: f.Elsewhere, count: &c.Sham})
	}
	if f.Opposite != nil {
		sides = append(sides, &side{plan: f.Opposite, count: &c.Cure, keep: passesOf(f)})
	}
	if err := s.turns(f, with, sides); err != nil {
		return err
	}
	if f.Always {
		c.Plain = c.With
	}
	if !c.Controls(c.Sham) {
		f.Elsewhere, c.Sham = nil, proof.Count{}
	}
	if !f.Always && !c.Passes(c.Cure) {
		f.Opposite, c.Cure = nil, proof.Count{}
	}
	f.Verdict, f.others = c.Verdict(), disproved
	if f.Verdict != proof.Proved || s.Stands == nil {
		return nil
	}
	stands, err := s.Stands(f)
	if stands < 1 {
		f.Verdict, f.others = proof.Reproduced, stands
	}
	return err
}

// passesOf is where runs that pass are kept of what fails anyway.
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
			if x.wants() {
				todo, plans = append(todo, x), append(plans, x.plan)
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
