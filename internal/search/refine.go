package search

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
)

// A refining looks for less that does the same as what was kept.
type refining struct {
	*Search
	failure string
	passing bool    // what is wanted is that the test passes
	against *counts // runs that do not have what is asked for: the plain ones
}

func (s *Search) refining(failure string, passing bool) *refining {
	return &refining{s, failure, passing, &s.plain}
}

// does reports whether a plan does what is wanted nearly always, in as few runs as that takes.
func (r *refining) does(p Plan) (bool, error) {
	is, _, err := r.doesWith(p)
	return is, err
}

// doesWith is does, with what was done in a run that had the wanted outcome.
func (r *refining) doesWith(p Plan) (is bool, done any, err error) {
	var c counts
	for {
		outs, err := r.run(slices.Repeat([]Plan{p}, max(r.Parallel, 1)), false)
		for _, o := range outs {
			c.add(o)
			if !o.Missed && (o.Failure == r.failure || r.passing && o.Failure == "") {
				done = o.Done
			}
		}
		if err != nil {
			return false, nil, err
		}
		x := c.of(r.failure, r.passing)
		if is := x.decide(r.against.of(r.failure, r.passing), 0); is != goOn {
			return is == kept, done, nil
		}
		if c.missed >= maxMissed && c.missed > x.of() || c.total() > 2*patience {
			return false, nil, nil
		}
	}
}

// refined makes something found of a hypothesis that was kept: with the fewest acts, and the weakest of these.
func (s *Search) refined(h *hypothesis, failure string, passing bool) (*Found, error) {
	r := s.refining(failure, passing)
	f := &Found{Failure: failure, Always: passing}
	f.set(h.plan)
	s.tell(f)
	done := h.done[failure]
	if passing {
		done = h.passed
	}
	p, err := r.fewest(h.plan, done)
	if err == nil {
		p, err = r.weakest(p)
	}
	f.set(p)
	return f, err
}

// set makes a plan the one that decides.
func (f *Found) set(p Plan) {
	if f.Always {
		f.Opposite = p
	} else {
		f.Plan = p
	}
}

// parts divides the acts of a plan as far as they can be.
func parts(p Plan, done any) (list Plan) {
	for _, a := range p {
		if of := a.Parts(done); len(of) > 0 {
			list = append(list, of...)
		} else {
			list = append(list, a)
		}
	}
	return list
}

// fewest returns the fewest acts that suffice. What is left out may have something in its place;
// in the end it is tried without that.
func (r *refining) fewest(p Plan, done any) (Plan, error) {
	all := parts(p, done)
	if len(all) < 2 && slices.Equal(all, p) {
		return p, nil
	}
	if !slices.Equal(all, p) {
		if is, err := r.does(all); err != nil || !is {
			return p, err
		}
	}
	some, err := ddmin.Least(all, func(part []Act) (bool, error) { return r.does(filled(part, all)) })
	if err != nil {
		return p, err
	}
	full := filled(some, all)
	if len(full) > len(some) {
		if is, err := r.does(some); err != nil || !is {
			return full, err
		}
	}
	return some, nil
}

// filled returns a part of some acts with what stands in the place of the others.
func filled(part, all Plan) Plan {
	p := slices.Clone(part)
	for _, a := range all {
		if in := a.Without(); in != nil && !slices.Contains(part, a) && !slices.Contains(p, in) {
			p = append(p, in)
		}
	}
	return p
}

// weakest makes each act as weak as suffices, and then as strong as a proof is to have it.
func (r *refining) weakest(p Plan) (Plan, error) {
	p = slices.Clone(p)
	for i := range p {
		for {
			next := p[i].Weaker()
			if next == nil {
				break
			}
			try := slices.Clone(p)
			try[i] = next
			if is, err := r.does(try); err != nil {
				return p, err
			} else if !is {
				break
			}
			p = try
		}
	}
	return p.surely(), nil
}

func (p Plan) surely() Plan {
	p = slices.Clone(p)
	for i, a := range p {
		p[i] = a.Surely()
	}
	return p
}

// maxJoined is how many other proposals are tried together with one that makes the test fail only sometimes.
const maxJoined = 12

// joined looks for a second act for what makes the test fail only sometimes.
func (s *Search) joined(f *Found, h *hypothesis) error {
	r := s.refining(f.Failure, false)
	if c := f.Confirmed.With; f.Confirmed.Sufficient() || c.Failed*10 < c.Of {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(s.hyps), func(o *hypothesis) bool { return o == h || len(o.plan) == 0 })
	slices.SortStableFunc(others, func(a, b *hypothesis) int { return cmp.Compare(s.belief(b), s.belief(a)) })
	for _, o := range others[:min(len(others), maxJoined)] {
		both := append(slices.Clone(f.Plan), o.plan...)
		is, done, err := r.doesWith(both)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		p, err := r.fewest(both, done)
		if err != nil {
			return err
		}
		next := &Found{Failure: f.Failure, Plan: p.surely()}
		if err := s.conclude(next, h); err != nil || s.proved() {
			return err
		}
	}
	return nil
}

// mostMoved is how far an act is moved at most.
const mostMoved = 64

// window finds out how far the only act of what is proved can be moved.
func (s *Search) window(f *Found) error {
	p := f.Plan
	if f.Always {
		p = f.Opposite
	}
	if len(p) != 1 || p[0].Moved(1) == nil && p[0].Moved(-1) == nil {
		return nil
	}
	r := s.refining(f.Failure, f.Always)
	first, err := r.edge(p[0], -1)
	if err != nil {
		return err
	}
	last, err := r.edge(p[0], 1)
	if err != nil {
		return err
	}
	f.First, f.Last = first, last
	s.tell(f)
	return nil
}

// edge returns the act moved as far as it does the same, in steps that double and then are halved.
func (r *refining) edge(a Act, way int) (Act, error) {
	near, far := 0, mostMoved+1
	for step := 1; near+1 < far; {
		n := min(near+step, far-1)
		moved, is := a.Moved(way*n), false
		if moved != nil {
			var err error
			if is, err = r.does(Plan{moved}); err != nil {
				return nil, err
			}
		}
		switch {
		case is && far > mostMoved:
			near, step = n, 2*step
		case is:
			near, step = n, max((far-n)/2, 1)
		default:
			far, step = n, max((n-near)/2, 1)
		}
	}
	if near == 0 {
		return a, nil
	}
	return a.Moved(way * near), nil
}
