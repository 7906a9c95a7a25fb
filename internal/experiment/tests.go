package experiment

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// FindOrder finds out which other tests make the test fail, or pass. It has failed in
// a run of all tests of the package in the order of the seed of -shuffle, 0 for that
// of the source. tests are all of them.
func (e *Experimenter) FindOrder(ctx context.Context, tests []string, seed int64) (*Finding, error) {
	return e.findTests(ctx, tests, Trial{Shuffle: seed})
}

// FewFiles is what a run is subjected to that may open few files.
func FewFiles() Trial { return do(perturb.Files(fewFiles)) }

// FindLeak finds out which other tests leave so many files open that the test fails where a
// process may open few, as it did in such a run of all tests of the package. Alone it has
// enough, and so it has after them where it may open more.
func (e *Experimenter) FindLeak(ctx context.Context, tests []string) (*Finding, error) {
	return e.findTests(ctx, tests, FewFiles())
}

func (e *Experimenter) findTests(ctx context.Context, tests []string, base Trial) (*Finding, error) {
	e.begin()
	s := &search{Experimenter: e, ctx: ctx, p: &profile{}, started: e.now()}
	f, err := s.testOrder(tests, base, nil)
	if errors.Is(err, errSpent) {
		return nil, nil
	}
	if err != nil || f == nil {
		return nil, err
	}
	f.Runs, f.Kept = e.madeAndKept()
	f.Took = e.now().Sub(s.started)
	return f, nil
}

// testOrder tells the two kinds apart: a test that others spoil, and one that needs others.
// base is what all runs are subjected to, sig the failure, nil for any.
func (s *search) testOrder(tests []string, base Trial, sig *runner.Signature) (*Finding, error) {
	alone, err := s.run(s.ctx, "alone", Trial{Plan: base.Plan}, false)
	if err != nil || !alone.Ran {
		return nil, err
	}
	s.mu.Lock()
	if s.usual == 0 {
		s.usual = alone.Wall
	}
	s.mu.Unlock()
	suite := base
	suite.Suite = true
	o, is, err := s.once(s.ctx, "suite", suite, sig)
	if err != nil || is != tellsFailure {
		return nil, err
	}
	if alone.tells(&o.Signature) == tellsNothing {
		if alone, _, err = s.once(s.ctx, "alone", Trial{Plan: base.Plan}, &o.Signature); err != nil {
			return nil, err
		}
	}
	others := without(tests, s.Test)
	switch {
	case !alone.Failed:
		return s.spoiled(others, base, o)
	case len(base.Plan.Acts) > 0: // these suffice
		return nil, nil
	}
	return s.needs(others, alone)
}

func without(tests []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return t == name })
}

// after returns the trial of a base with other tests before this one.
func (t Trial) after(tests []string) Trial {
	t.Before = tests
	return t
}

// orderRuns is how many runs in a row count as always.
const orderRuns = 3

// spoiled finds the fewest tests that must be there for the test to fail.
func (s *search) spoiled(others []string, base Trial, o *Outcome) (*Finding, error) {
	fails := func(list []string) (bool, error) {
		is, _, err := s.always(s.ctx, "order", base.after(list), &o.Signature, true, orderRuns)
		return is, err
	}
	some, err := firstOf(fails, s.hintedTests(others), others)
	if err != nil {
		return nil, err
	}
	var least []string
	if some == nil { // it does not fail each time
		least, err = neededOften(s, &o.Signature, others, base.after, patient)
	} else if least, err = ddmin.Least(some, fails); err == nil {
		least, err = needed(s, &o.Signature, least, base.after)
	}
	if err != nil || least == nil {
		return nil, err
	}
	f := s.orderFinding(o, base.after(least))
	if len(base.Plan.Acts) > 0 {
		f.plain = Trial{Plan: base.Plan}
		f.cure = ptr(do(perturb.Files(math.MaxInt32)).after(least))
	}
	if rest := slices.DeleteFunc(slices.Clone(others), func(t string) bool { return slices.Contains(least, t) }); len(rest) > 0 {
		f.sham = ptr(base.after(rest[:1]))
	}
	return f, s.confirm(f)
}

// needs finds the fewest tests that must be there for the test to pass, which fails
// alone: in the order of the source, or else in one in which it was seen to pass.
func (s *search) needs(others []string, alone *Outcome) (*Finding, error) {
	f, err := s.needsIn(0, others, alone)
	if i := slices.IndexFunc(s.Recorded, func(r Recorded) bool { return !r.Failed && r.Shuffle != 0 }); err == nil && f == nil && i >= 0 {
		return s.needsIn(s.Recorded[i].Shuffle, others, alone)
	}
	return f, err
}

// needsIn is needs with the order of a seed.
func (s *search) needsIn(seed int64, others []string, alone *Outcome) (*Finding, error) {
	passes := func(list []string) (bool, error) {
		is, _, err := s.always(s.ctx, "order", Trial{Before: list, Shuffle: seed}, &alone.Signature, false, orderRuns)
		return is, err
	}
	some, err := firstOf(passes, s.hintedTests(others), others)
	if err != nil || some == nil {
		return nil, err
	}
	if is, _, err := s.always(s.ctx, "order", Trial{}, &alone.Signature, true, orderRuns); err != nil || !is {
		return nil, err
	}
	least, err := ddmin.Least(some, passes)
	if err != nil {
		return nil, err
	}
	f := s.orderFinding(alone, Trial{})
	f.plain = Trial{Suite: true, Shuffle: seed}
	f.cure, f.Needs = &Trial{Before: least, Shuffle: seed}, least
	return f, s.confirm(f)
}

// firstOf returns the first of some sets of tests, none of them empty, that does it; nil
// if none does.
func firstOf(does func([]string) (bool, error), sets ...[]string) ([]string, error) {
	for _, set := range sets {
		if len(set) == 0 {
			continue
		}
		if is, err := does(set); err != nil || is {
			return set, err
		}
	}
	return nil, nil
}

func (s *search) orderFinding(o *Outcome, t Trial) *Finding {
	return &Finding{Proof: proof.Proof{Test: s.Test, Message: o.Message, Found: s.sofar()}, Sig: o.Signature, Trial: t}
}
