package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
)

// joint looks for choices that decide with those of a finding that fails in most runs and
// not in all, or that some runs fail without. For example, a second loop over a map of two keys, which
// has the same order in seven of eight walks, lets the first one look as if it sufficed. A choice is needed if the test passes
// with another one there, again and again. What they make fail each time takes the
// place of the finding.
func (is *isolation) joint() error {
	f := is.f
	with := f.Confirmed.With
	if f.Verdict == proof.None || with.Failed == with.Of && f.failsOnlyWith() || !f.othersFree() {
		return nil
	}
	var least, other []drawSite
	for _, x := range is.flippable() {
		if slices.Contains(f.blocks, int(x.block)) {
			least = append(least, x)
		} else {
			other = append(other, x)
		}
	}
	var more []drawSite
	for _, x := range other {
		needs, err := is.needs(least, x, len(other))
		if err != nil {
			return err
		}
		if needs {
			more = append(more, x)
		}
	}
	if more == nil {
		return nil
	}
	next := *f
	next.sham, next.Confirmed, next.Traces = nil, proof.Confirmation{}, Traces{}
	all := &isolation{s: is.s, f: &next, all: is.all}
	all.decide(append(least, more...), false)
	next.Nap = is.s.isNap(&next)
	if err := is.s.conclude(&next); err != nil || next.Verdict != proof.Proved || next.Confirmed.With.Failed < with.Failed || !next.failsOnlyWith() && f.failsOnlyWith() {
		return err
	}
	*f = next
	return nil
}

// failsOnlyWith reports whether no run failed in which the test is to pass.
func (f *Finding) failsOnlyWith() bool {
	return f.Confirmed.Cure.Failed == 0
}

// othersFree reports whether a finding is of the draws of some blocks, all others being
// left to chance.
func (f *Finding) othersFree() bool {
	return len(f.blocks) > 0 && f.Trial.Plan.Does(perturb.Act.Chooses) &&
		!f.Trial.Plan.Does(func(a perturb.Act) bool { return a.Chooses() && a.Everywhere() })
}

// needs reports whether a choice can be made so that the test passes again and again,
// where it fails in most runs with that left to chance. It tries as many seeds as it takes
// for one of them to choose as a run did that passed; others is of how many choices this is
// asked: chance must not answer for any.
func (is *isolation) needs(least []drawSite, x drawSite, others int) (bool, error) {
	f := is.f
	with := f.Confirmed.With
	seeds := runsUntil(with.Failed, with.Of, 0.05)
	n := runsUntil(with.Of-with.Failed, with.Of, 0.002/float64(others*seeds))
	for i := range seeds {
		t := blockTrial(least, f.failing, f.passing, false).with(perturb.Pin(x.kind, is.s.seed("flip", i), x.block))
		passes, acts, err := is.s.always(is.s.ctx, "joint", t, &f.Sig, false, n)
		if err != nil || passes && acts {
			return passes && acts, err
		}
	}
	return false, nil
}
