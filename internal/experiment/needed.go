package experiment

import "github.com/fdebug/fdebug/internal/runner"

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
	all, err := s.count(s.ctx, "needed", trial(set), sig, confirmRuns)
	if err != nil {
		return nil, err
	}
	plain, err := s.plainRate(sig)
	if err != nil {
		return nil, err
	}
	return asOften(s, sig, set, trial, all, plain)
}

// neededOften is needed for a set that was seen to fail and does not do so each time: nil if
// it can't be told from plain runs. Where none of the first runs fails, no more are made.
func neededOften[E any](s *search, sig *runner.Signature, set []E, trial func([]E) Trial) ([]E, error) {
	all, err := s.count(s.ctx, "needed", trial(set), sig, asOftenRuns)
	if err != nil || all.Failed == 0 {
		return nil, err
	}
	rest, err := s.count(s.ctx, "needed", trial(set), sig, confirmRuns-asOftenRuns)
	if err != nil {
		return nil, err
	}
	all.Failed, all.Of = all.Failed+rest.Failed, all.Of+rest.Of
	plain, err := s.plainRate(sig)
	if err != nil || !told(all, plain) {
		return nil, err
	}
	return asOften(s, sig, set, trial, all, plain)
}

// asOften returns the fewest of a set that fail as often as all of it did.
func asOften[E any](s *search, sig *runner.Signature, set []E, trial func([]E) Trial, all, plain Count) ([]E, error) {
	return ddmin(set, func(part []E) (bool, error) { return s.asOften(trial(part), sig, all, plain) })
}

// plainRate returns how often plain runs fail with a signature, of as many as a trial has that
// is held against them.
func (s *search) plainRate(sig *runner.Signature) (Count, error) {
	plain := s.plainAndRecorded(sig)
	if n := confirmRuns - plain.Of; n > 0 {
		c, err := s.count(s.ctx, "needed", Trial{}, sig, n)
		if err != nil {
			return plain, err
		}
		plain.Failed, plain.Of = plain.Failed+c.Failed, plain.Of+c.Of
	}
	return plain, nil
}

// told reports whether what failed can be told from plain runs.
func told(c, plain Count) bool { return more(c, plain) && fisher(c, plain) < shamDiffers }

// asOften reports whether a trial can't be told to fail less often than that of which it is
// a part, and can be told from plain runs: what fails no more often than these is no part
// that suffices, however little all of it does.
func (s *search) asOften(t Trial, sig *runner.Signature, all, plain Count) (bool, error) {
	less := func(c Count, p float64) bool { return more(all, c) && fisher(all, c) < p }
	var c Count
	for c.Of < confirmRuns {
		next, err := s.count(s.ctx, "needed", t, sig, min(asOftenRuns, confirmRuns-c.Of))
		if err != nil {
			return false, err
		}
		c.Failed, c.Of = c.Failed+next.Failed, c.Of+next.Of
		if next.Of == 0 || less(c, reproduces) {
			return false, nil
		}
	}
	return !less(c, shamDiffers) && told(c, plain), nil
}
