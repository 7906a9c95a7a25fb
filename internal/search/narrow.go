package search

import (
	"errors"

	"github.com/fdebug/fdebug/internal/proof"
)

// A Law is what in the program decides: plans that all do what the act that was found does, each in another way, and
// plans that all do the opposite, or none if the act itself is all that can be done. Says has it for whoever offered it.
type Law struct {
	Fails, Passes []Plan
	Elsewhere     Plan
	Says          any
}

// mostNarrowing is how many runs an act may take to be narrowed.
const mostNarrowing = 80

var errNarrowed = errors.New("it takes too many runs to narrow an act")

// narrower tries acts in the place of the only one of a hypothesis, as hypotheses of their own.
func (s *Search) narrower(h *hypothesis) error {
	if len(h.plan) != 1 || s.fails != "" || s.short() {
		return nil
	}
	list := h.plan[0].Narrower()
	for _, a := range list[:min(len(list), maxJoined)] {
		n := &hypothesis{plan: Plan{a}, freedom: len(s.Proposers), paired: true}
		for !n.closed && !s.proved() {
			err := s.try([]*hypothesis{n})
			if err == nil {
				err = s.judge(n)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// narrow replaces a find by the law of an act of it, if that decides as surely.
func (s *Search) narrow(f *Found) error {
	if f.Law != nil {
		return nil
	}
	if s.Lend != nil {
		defer s.Lend()()
	}
	until := s.runs + mostNarrowing
	for _, a := range f.Decides() {
		l, err := a.Narrow(f, func(plans ...Plan) (bool, error) { return s.all(f.Failure, plans, until) })
		if err == nil && l != nil {
			err = s.replace(f, l)
		}
		if errors.Is(err, errNarrowed) || errors.Is(err, ErrSpent) {
			return nil
		}
		if l != nil || err != nil {
			return err
		}
	}
	return nil
}

// mostOdd is how many runs may go the other way, as where a machine is slow, for the test to fail with some plans.
const mostOdd = 1

// all reports whether the test fails with each of some plans: once for each.
func (s *Search) all(failure string, plans []Plan, until int) (bool, error) {
	for failed, odd := 0, 0; failed < len(plans); {
		p, is := plans[(failed+odd)%len(plans)], proof.TellsNothing
		for try := 0; is < proof.TellsPass && try < maxMissed; try++ {
			if s.runs >= until || s.late() {
				return false, errNarrowed
			}
			outs, err := s.run([]Plan{p}, false)
			if err != nil {
				return false, err
			}
			is = outs[0].shows(failure)
		}
		if is == proof.TellsFailure {
			failed++
		} else if odd++; odd > mostOdd {
			return false, nil
		}
	}
	return true, nil
}

// replace confirms a law, and keeps it in place of the act if it is proved, and so is its opposite.
func (s *Search) replace(f *Found, l *Law) error {
	if len(l.Fails) == 0 {
		f.Law = l
		return nil
	}
	next := &Found{Failure: f.Failure, Plan: l.Fails[0], Opposite: l.Passes[0], Elsewhere: l.Elsewhere,
		Law: l, Tried: f.Tried}
	if err := s.confirm(next); err != nil {
		return err
	}
	if next.Verdict == proof.Proved && next.Confirmed.Cured() {
		s.best = next
		s.tell(next)
	}
	return nil
}
