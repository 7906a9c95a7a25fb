package experiment

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// A setting of the system around the program is tried as one of a family: things that
// it may be as well, each in a run of its own. The outcome follows it if it always fails
// with one of them and always passes with another, which is the cure.

// survey makes one run that lists where the test asks the system for something.
func (s *search) survey() error {
	if s.asks != nil {
		return nil
	}
	o, err := s.run(s.ctx, "survey", do(perturb.Survey()...), false)
	if err != nil {
		return err
	}
	s.asks = append([]trace.Draw{}, o.Draws...)
	return nil
}

// askers returns the blocks that ask for something of a kind.
func (s *search) askers(kind trace.ActKind) []uint32 {
	var list []uint32
	for _, d := range s.asks {
		if d.Kind == kind && !slices.Contains(list, d.Block) && s.Sites.Has(int(d.Block)) {
			list = append(list, d.Block)
		}
	}
	return list
}

// A tested is a member of a family, with what became of its run.
type tested struct {
	t Trial
	o *Outcome
}

// family tries each of some trials, and looks into those that fail. found is told of what
// always fails, with those that passed; it completes the finding.
func (s *search) family(step string, trials []Trial, found func(f *Finding, passed []Trial) error) error {
	list, err := s.tryEach(step, trials)
	if err != nil {
		return err
	}
	var passed []Trial
	for _, x := range list {
		if x.o.Ran && !x.o.Failed && x.t.acted(x.o) {
			passed = append(passed, x.t)
		}
	}
	slices.SortStableFunc(list, func(a, b tested) int { return cmp.Compare(depth(b.t, passed), depth(a.t, passed)) })
	for _, x := range list {
		if !x.o.Ran || !x.o.Failed || !x.t.acted(x.o) || s.known(x.o.Signature) {
			continue
		}
		f, err := s.provoked(x.t, nil, x.o)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		if is, err := s.noChance(f); err != nil {
			return err
		} else if !is {
			continue
		}
		if err := found(f, passed); err != nil {
			return err
		}
		if s.explained() {
			return nil
		}
	}
	return nil
}

// noChance reports whether what plain runs fail with too always comes with the trial of f:
// of a family that does not matter some member fails some times in a row.
func (s *search) noChance(f *Finding) (bool, error) {
	if !f.Natural {
		return true, nil
	}
	is, _, err := s.always(s.ctx, "no chance", f.Trial, &f.Sig, true, reliableRuns)
	if err == nil && !is {
		s.tried[f.Sig]--
		s.pending = nil
	}
	return is, err
}

// tryEach makes one run of each trial.
func (s *search) tryEach(step string, trials []Trial) ([]tested, error) {
	list := make([]tested, len(trials))
	batch := max(s.Parallel, 1)
	for i := 0; i < len(trials); i += batch {
		n := min(batch, len(trials)-i)
		err := s.each(s.ctx, n, func(k int) (err error) {
			o, err := s.first(step, trials[i+k])
			list[i+k] = tested{trials[i+k], o}
			return err
		})
		if err != nil {
			return nil, err
		}
		s.tell(step, i+n, len(trials))
	}
	return list, nil
}

// cureAmong takes the first trial as the cure with which the failure always stays away.
func (s *search) cureAmong(f *Finding, passed []Trial) error {
	for i, t := range passed {
		is, err := s.curedBy(f, t)
		if err != nil {
			return err
		}
		if is {
			f.cure = &passed[i]
			return nil
		}
	}
	return nil
}

// curedBy reports whether a failure stays away in as many runs in a row as plain ones
// hardly ever pass.
func (s *search) curedBy(f *Finding, t Trial) (bool, error) {
	base := s.plainAndRecorded(&f.Sig)
	need := leastCured
	if base.Failed > 0 {
		need = max(need, min(s.passesInARow(base), mostCured))
	}
	is, acts, err := s.always(s.ctx, "cure", t, &f.Sig, false, need)
	return is && acts, err
}

const (
	leastCured = 3 // runs that a cure passes before it is taken for one
	mostCured  = 40
)

// asked reports whether the program asked for what a setting decides, and saw nothing that
// tells it from the truth.
func asked(o *Outcome, set perturb.Act) bool {
	if set.Differs() && seesAnother(o.Draws) {
		return false
	}
	return set.Always() || slices.ContainsFunc(o.Draws, func(d trace.Draw) bool {
		return d.Kind == set.Kind && (set.At.Block == 0 || d.Block == set.At.Block)
	})
}

// limitsUpTo returns durations that are written in the source, each once, none below
// least or above most.
func (s *search) limitsUpTo(least, most time.Duration) []time.Duration {
	var list []time.Duration
	for _, l := range s.limits() {
		if least <= l.d && l.d <= most && !slices.Contains(list, l.d) {
			list = append(list, l.d)
		}
	}
	slices.Sort(list)
	return list
}
