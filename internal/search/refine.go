package search

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/proof"
)

// A refining looks for a smaller plan that does the same as the one kept.
type refining struct {
	*Search
	failure string
	passing bool    // the wanted outcome is that the test passes
	against *counts // runs without such a plan: the plain ones
	drop    float64 // odds at which a plan is given up
	part    float64 // probability that a plan that does it does so only in a part of the runs
}

func (s *Search) refining(failure string, passing bool) *refining {
	return &refining{s, failure, passing, &s.plain, WronglyDropped, 0}
}

// does reports whether a plan has the wanted outcome nearly always, in as few runs as that takes.
func (r *refining) does(p Plan) (bool, error) {
	is, _, err := r.doesWith(p)
	return is, err
}

// doesWith is does, with the acts done in a run that had the wanted outcome.
func (r *refining) doesWith(p Plan) (is bool, done any, err error) {
	var c counts
	for {
		outs, err := r.run(slices.Repeat([]Plan{p}, max(r.Parallel, 1)), false)
		for _, o := range outs {
			c.add(o)
			if is := o.Tells(r.failure); is == proof.TellsFailure || r.passing && is == proof.TellsPass {
				done = o.Done
			}
		}
		if err != nil {
			return false, nil, err
		}
		x := c.of(r.failure, r.passing)
		if is := x.decide(r.against.of(r.failure, r.passing), r.part, r.drop); is != goOn {
			return is == kept && c.acts(x), done, nil
		}
		if c.lost(x.of()) || c.total() > 2*patience {
			return false, nil, nil
		}
	}
}

// refined makes something found of a hypothesis that was kept: with the fewest acts, and the weakest of these. It is
// nil if s.Empty says that these prove nothing of the test.
func (s *Search) refined(h *hypothesis, failure string, passing bool) (*Found, error) {
	r := s.refining(failure, passing)
	if c := h.counts.of(failure, passing); c.rate() < inPart {
		r.part = 1
	}
	x := h.counts.of(failure, false)
	f := &Found{Failure: failure, Always: passing, Tried: proof.Count{Failed: x.yes, Of: x.of()}}
	f.set(h.plan)
	s.tell(f)
	done := h.done[failure]
	if passing {
		done = h.passed
	}
	p, err := r.fewest(h.plan, done)
	if err == nil && !passing {
		empty, e := s.empty(p, failure)
		if err = e; empty {
			return nil, nil
		}
	}
	if err == nil {
		p, err = r.weakest(p)
	}
	f.set(p)
	return f, err
}

// inPart is the share of the runs below which a plan does something only in a part of them.
const inPart = 0.75

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

// whole reports whether a plan has parts, as they were in a run.
func whole(p Plan, done any) bool { return !slices.Equal(parts(p, done), p) }

// fewest returns the fewest acts that suffice without the others. Where there are none, the plan stays as it is, and
// its opposite tells the act that decides. During the search, an act left out may have another in its place, so that
// it does the same each time.
func (r *refining) fewest(p Plan, done any) (Plan, error) {
	all := parts(p, done)
	if len(all) < 2 && slices.Equal(all, p) {
		return p, nil
	}
	if !slices.Equal(all, p) {
		is, err := r.does(all)
		if full := filled(all, all); err == nil && !is && len(full) > len(all) {
			is, err = r.does(full)
		}
		if err != nil || !is {
			return p, err
		}
	}
	some, err := ddmin.Least(all, func(part []Act) (bool, error) {
		if r.short() {
			return false, nil
		}
		return r.does(filled(part, all))
	})
	if err != nil {
		return p, err
	}
	if len(filled(some, all)) == len(some) {
		return some, nil
	}
	if is, err := r.does(some); err != nil || is {
		return some, err
	}
	return p, nil
}

// filled returns a part of some acts, with those that take the place of the others.
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
		if err := r.weaken(p, i); err != nil {
			return p, err
		}
	}
	return p.surely(), nil
}

// weaken makes an act of a plan as weak as suffices: in large steps, and then by halves.
func (r *refining) weaken(p Plan, i int) error {
	var tooWeak Act
	for next := p[i].Weaker(); next != nil && !r.short(); {
		try := slices.Clone(p)
		try[i] = next
		is, err := r.does(try)
		if err != nil {
			return err
		}
		if is {
			p[i] = next
		} else {
			tooWeak = next
		}
		if tooWeak == nil {
			next = p[i].Weaker()
		} else {
			next = p[i].Between(tooWeak)
		}
	}
	return nil
}

func (p Plan) surely() Plan {
	p = slices.Clone(p)
	for i, a := range p {
		p[i] = a.Surely()
	}
	return p
}

// maxJoined is how many others are tried together with one that makes the test fail only sometimes, or in its place.
const maxJoined = 12

// joined looks for a second act for a plan that makes the test fail only sometimes.
func (s *Search) joined(f *Found, h *hypothesis) error {
	r := s.refining(f.Failure, false)
	if c := &f.Confirmed; c.Sufficient() || !proof.Told(c.With, c.Plain) {
		return nil
	}
	for _, o := range s.partners(f, h) {
		both := append(slices.Clone(f.Plan), o...)
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
		if empty, err := s.empty(p, f.Failure); err != nil {
			return err
		} else if empty {
			continue
		}
		next := &Found{Failure: f.Failure, Plan: p.surely()}
		if err := s.control(next, h); err != nil {
			return err
		}
		if err := s.confirm(next); err != nil {
			return err
		}
		if next.Verdict == proof.Proved {
			s.keep(next)
			return nil
		}
	}
	return nil
}

// partners returns plans that may be needed besides: the acts' own partners, and then other proposals, the most
// probable first, also those that passed by themselves. If the plan sets the whole of a freedom, another one that does
// so is no partner.
func (s *Search) partners(f *Found, h *hypothesis) (list []Plan) {
	for _, a := range f.Plan {
		for _, p := range a.Partners() {
			list = append(list, Plan{p})
		}
	}
	done := h.done[f.Failure]
	others := slices.DeleteFunc(slices.Clone(s.hyps), func(o *hypothesis) bool {
		return o == h || len(o.plan) == 0 || o.freedom == h.freedom && whole(f.Plan, done) && whole(o.plan, done)
	})
	slices.SortStableFunc(others, func(a, b *hypothesis) int { return cmp.Compare(b.Prior, a.Prior) })
	for _, o := range others[:min(len(others), maxJoined)] {
		list = append(list, o.plan)
	}
	return list
}

// mostMoved is how far an act is moved at most.
const mostMoved = 64

// window finds out how far the only act of a proved plan can be moved.
func (s *Search) window(f *Found) error {
	p := f.Decides()
	if !s.proved() || len(p) != 1 || f.Law != nil && f.Law.Fails != nil || p[0].Moved(1) == nil && p[0].Moved(-1) == nil {
		return nil
	}
	r := s.refining(f.Failure, f.Always)
	first, err := r.edge(nil, p[0], -1)
	if err != nil {
		return err
	}
	last, err := r.edge(nil, p[0], 1)
	if err != nil {
		return err
	}
	f.First, f.Last = first, last
	s.tell(f)
	return nil
}

// latest returns a plan with its last act moved as far on as the test passes: the code held there comes too early.
func (r *refining) latest(p Plan) (Plan, error) {
	i := len(p) - 1
	last, err := r.edge(p[:i], p[i], 1)
	if err != nil {
		return p, err
	}
	return append(slices.Clone(p[:i]), last), nil
}

// edge returns the act moved as far as it does the same beside others, in steps that double and then are halved.
func (r *refining) edge(beside Plan, a Act, way int) (Act, error) {
	near, far := 0, mostMoved+1
	for step := 1; near+1 < far && !r.short(); {
		n := min(near+step, far-1)
		moved, is := a.Moved(way*n), false
		if moved != nil {
			var err error
			if is, err = r.does(append(slices.Clone(beside), moved)); err != nil {
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
