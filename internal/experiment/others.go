package experiment

import "github.com/fdebug/fdebug/internal/proof"

// otherTests finds out whether other tests decide where all ran in the order of the source: the test failed in some of
// these runs, too often for a test that never fails alone. What an earlier test leaves running, or
// open, need not be in the way each time.
func (s *search) otherTests() error {
	r := s.failedInSuite()
	if r == nil || len(s.found) > 0 {
		return nil
	}
	for len(s.plain) < proof.ConfirmRuns {
		o, err := s.run(s.ctx, "plain", Trial{}, false)
		if err != nil {
			return err
		}
		s.plain = append(s.plain, o)
		if o.tells(&r.Signature) == tellsFailure {
			return nil
		}
	}
	if !proof.Told(s.recorded(&r.Signature), s.plainCount(&r.Signature)) {
		return nil
	}
	for range maxSuites {
		o, err := s.run(s.ctx, "suite", Trial{Suite: true}, false)
		if err != nil {
			return err
		}
		if o.tells(&r.Signature) != tellsFailure {
			continue
		}
		f, err := s.spoiled(without(s.Tests, s.Test), Trial{}, o)
		if err != nil || f == nil {
			return err
		}
		return s.keepFinding(f)
	}
	return nil
}

// maxSuites is how many runs of all tests may pass before it is given up to see one fail.
const maxSuites = 10

// failedInSuite returns a run of all tests, in the order of the source, in which this one failed though no plain
// run of it alone has failed so; nil if there is none.
func (s *search) failedInSuite() *Recorded {
	if !s.OfSuite || len(s.Tests) < 2 {
		return nil
	}
	for i := range s.Recorded {
		if r := &s.Recorded[i]; r.Failed && r.Shuffle == 0 && s.plainCount(&r.Signature).Failed == 0 {
			return r
		}
	}
	return nil
}
