package experiment

import (
	"errors"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// asOftenRuns is how many runs are made at a time to see whether less than all fails as
// often: what it takes away is mostly seen in few.
const asOftenRuns = 5

// needed returns the fewest of a set that fail as often as all of it. That a set fails n
// times in a row is a matter of luck where it fails in nine runs of ten: a part that does
// so as often may have passed once when it was asked, and what is of no account stayed in.
func needed[E any](s *search, sig *runner.Signature, set []E, trial func([]E) Trial) ([]E, error) {
	if len(set) < 2 {
		return set, nil
	}
	all, err := s.count(s.ctx, "needed", trial(set), sig, proof.ConfirmRuns)
	if err != nil {
		return nil, err
	}
	plain, err := s.plainRate(sig)
	if err != nil {
		return nil, err
	}
	return ddmin.Least(set, func(part []E) (bool, error) { return s.asOften(trial(part), sig, all, plain) })
}

// neededOften is needed for a set that was seen to fail and does not do so each time: nil if
// it can't be told from plain runs. Where none of the first runs fails, no more are made.
func neededOften[E any](s *search, sig *runner.Signature, set []E, trial func([]E) Trial, within patience) ([]E, error) {
	start := s.sofar()
	all, err := s.count(s.ctx, "needed", trial(set), sig, asOftenRuns)
	if err != nil || all.Failed == 0 {
		return nil, err
	}
	rest, err := s.count(s.ctx, "needed", trial(set), sig, proof.ConfirmRuns-asOftenRuns)
	if err != nil {
		return nil, err
	}
	if all = all.Plus(rest); all.Failed < within.least {
		return nil, nil
	}
	plain, err := s.plainRate(sig)
	if err != nil || !proof.Told(all.Made(), plain) {
		return nil, err
	}
	kept, err := ddmin.Least(set, func(part []E) (bool, error) {
		if within.runs > 0 && s.sofar()-start > within.runs {
			return false, errPatience
		}
		return s.asOften(trial(part), sig, all, plain)
	})
	if errors.Is(err, errPatience) {
		return nil, nil
	}
	return kept, err
}

// A patience is how far a set that does not fail each time is reduced.
type patience struct {
	least int // of proof.ConfirmRuns that fail, else nothing is reduced
	runs  int // that it may take, 0 for as many as there is time for
}

// quick is for what is tried before all other steps, patient for when nothing else is left. Of a set that fails in fewer
// than 7 of 20 runs a part that never fails can't be told by fewer runs than all of these, each time (7 of 20 against 0 of 20
// is p = 0.008). Of simulated sets that fail in every other run the mean is 392 runs; where the delay of all stalls
// decides, so that none is to blame, it took more than 1,000.
var quick, patient = patience{7, 600}, patience{1, 0}

var errPatience = errors.New("a set takes too many runs to be reduced")

// plainRate returns how often plain runs fail with a signature, of as many as a trial has that
// is held against them.
func (s *search) plainRate(sig *runner.Signature) (proof.Count, error) {
	plain := s.plainAndRecorded(sig)
	if n := proof.ConfirmRuns - plain.Of; n > 0 {
		c, err := s.count(s.ctx, "needed", Trial{}, sig, n)
		if err != nil {
			return plain, err
		}
		plain = plain.Plus(c)
	}
	return plain, nil
}

// asOften reports whether a trial can't be shown to fail less often than the one that it is
// a part of, and fails more often than plain runs do. What fails no more often than these is
// no part that suffices, however seldom all of it fails.
func (s *search) asOften(t Trial, sig *runner.Signature, all, plain proof.Count) (bool, error) {
	all = all.Made()
	less := func(c proof.Count, p float64) bool {
		c = c.Made()
		return proof.More(all, c) && proof.Chance(all, c) < p
	}
	var c proof.Count
	for c.Of < proof.ConfirmRuns {
		next, err := s.count(s.ctx, "needed", t, sig, min(asOftenRuns, proof.ConfirmRuns-c.Of))
		if err != nil {
			return false, err
		}
		c = c.Plus(next)
		if next.Of == 0 || less(c, proof.Reproduces) {
			return false, nil
		}
	}
	return !less(c, proof.ShamDiffers) && proof.Told(c.Made(), plain), nil
}
