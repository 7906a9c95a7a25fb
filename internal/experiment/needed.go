package experiment

// asOftenRuns is how many runs are made at a time to see whether less than all fails as
// often: what it takes away is mostly seen in few.
const asOftenRuns = 5

// needed returns the fewest of a set that fail as often as all of it. That a set fails n
// times in a row is a matter of luck where it fails in nine runs of ten: a part that does
// so as often may have passed once when it was asked, and what is of no account stayed in.
func needed[E any](is *isolation, set []E, trial func([]E) Trial) ([]E, error) {
	if len(set) < 2 {
		return set, nil
	}
	s, sig := is.s, &is.f.Signature
	all, err := s.count(s.ctx, "needed", trial(set), sig, confirmRuns)
	if err != nil {
		return nil, err
	}
	plain := s.plainAndRecorded(sig)
	if plain.Of < confirmRuns {
		c, err := s.count(s.ctx, "needed", Trial{}, sig, confirmRuns-plain.Of)
		if err != nil {
			return nil, err
		}
		plain.Failed, plain.Of = plain.Failed+c.Failed, plain.Of+c.Of
	}
	return ddmin(set, func(part []E) (bool, error) { return is.asOften(trial(part), all, plain) })
}

// asOften reports whether a trial can't be told to fail less often than that of which it is
// a part, and can be told from plain runs: what fails no more often than these is no part
// that suffices, however little all of it does.
func (is *isolation) asOften(t Trial, all, plain Count) (bool, error) {
	s, sig := is.s, &is.f.Signature
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
	return !less(c, shamDiffers) && more(c, plain) && fisher(c, plain) < shamDiffers, nil
}
