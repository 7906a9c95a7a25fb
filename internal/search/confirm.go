package search

import (
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
)

const (
	maxOpposites = 24 // that are tried
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
	for _, p := range f.opposites(h) {
		r := s.refining(f.Failure, true)
		adds := len(p) > len(f.Plan) && !slices.ContainsFunc(f.Plan, func(a Act) bool { return !slices.Contains(p, a) })
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
		if is, err := passes(p); err != nil {
			return err
		} else if is {
			f.Opposite = p
			return nil
		}
	}
	return nil
}

// opposites returns what may make a test pass: what was proposed, then each act turned round.
func (f *Found) opposites(h *hypothesis) (list []Plan) {
	list = slices.Clone(h.Passes)
	for i, a := range f.Plan {
		for _, o := range a.Opposites() {
			list = append(list, slices.Concat(f.Plan[:i], o, f.Plan[i+1:]))
		}
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
	made  int
	keep  *[]Outcome
}

// wants reports whether a side needs another run.
func (x *side) wants() bool {
	return x.count.Of < proof.ConfirmRuns && x.made < 2*proof.ConfirmRuns
}

func (x *side) add(o Outcome, failure string) {
	x.made++
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
	f.Verdict = verdict(c)
	return nil
}

// passesOf is where runs that pass are kept of what fails anyway.
func passesOf(f *Found) *[]Outcome {
	if f.Always {
		return &f.Plain
	}
	return nil
}

// turns makes runs of each side until each has enough. It ends early when so many pass that nothing can be
// shown any more.
func (s *Search) turns(f *Found, with *side, sides []*side) error {
	for {
		var todo []*side
		var plans []Plan
		for _, x := range sides {
			if x.wants() {
				todo, plans = append(todo, x), append(plans, x.plan)
			}
		}
		if len(todo) == 0 || with.count.Of >= proof.ConfirmRuns/2 && 2*with.count.Failed < with.count.Of {
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

// verdict returns what counts show. Where plain runs seldom fail, that the test passes otherwise shows nothing:
// there it suffices that it fails with the plan, and the same elsewhere changes nothing.
func verdict(c *proof.Confirmation) proof.Verdict {
	v := c.Verdict()
	if v == proof.Reproduced && c.Sufficient() && c.Controls(c.Sham) && c.Specific() && float64(c.Plain.Failed) < seldom*float64(c.Plain.Of) {
		return proof.Proved
	}
	return v
}
