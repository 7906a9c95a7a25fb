package search

import (
	"errors"

	"github.com/fdebug/fdebug/internal/proof"
)

// A Law is what in the program decides: plans that all do what the act that was found does, each in another way, and
// plans that all do the opposite. Says has it for whoever offered it.
type Law struct {
	Fails, Passes []Plan
	Says          any
}

// mostNarrowing is how many runs an act may take to be narrowed.
const mostNarrowing = 40

var errNarrowed = errors.New("it takes too many runs to narrow an act")

// narrow replaces the only act of a find by its law, if that decides as surely in runs that each do it in another way.
func (s *Search) narrow(f *Found) error {
	p := f.Plan
	if f.Always {
		p = f.Opposite
	}
	if len(p) != 1 {
		return nil
	}
	until := s.runs + mostNarrowing
	l, err := p[0].Narrow(f.Always, func(acts ...Act) (bool, error) { return s.all(f.Failure, acts, until) })
	if err == nil && l != nil {
		err = s.replace(f, l)
	}
	if errors.Is(err, errNarrowed) || errors.Is(err, ErrSpent) {
		return nil
	}
	return err
}

// mostOdd is how many runs may go the other way, as where a machine is slow, for the test to fail with some acts.
const mostOdd = 1

// all reports whether the test fails with each of some acts: once for each.
func (s *Search) all(failure string, acts []Act, until int) (bool, error) {
	for failed, odd := 0, 0; failed < len(acts); {
		a, is := acts[(failed+odd)%len(acts)], proof.TellsNothing
		for try := 0; is < proof.TellsPass && try < maxMissed; try++ {
			if s.runs >= until || s.late() {
				return false, errNarrowed
			}
			outs, err := s.run([]Plan{{a}}, false)
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
	next := &Found{Failure: f.Failure, Plan: l.Fails[0], Opposite: l.Passes[0], Law: l, Tried: f.Tried}
	if err := s.confirm(next); err != nil {
		return err
	}
	if next.Verdict == proof.Proved && next.Confirmed.Cured() {
		s.best = next
		s.tell(next)
	}
	return nil
}
