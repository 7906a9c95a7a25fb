package experiment

import (
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/stats"
)

// cure looks for a position at which holding makes the failure vanish, where plain
// runs fail with its signature too: where they hardly ever do, they are the cure. One
// that only some runs come to is none: those may be the ones that have passed already.
func (s *search) cure(f *Finding) error {
	if !f.Natural {
		return nil
	}
	base, err := s.baseRate(&f.Sig)
	if err != nil || base.Failed == 0 || proof.Passes(base) {
		return err
	}
	need := s.passesInARow(base)
	if need > mostOfCure {
		return nil // too rare to be seen to vanish
	}
	sites := s.cureSites(f)
	for i, site := range sites {
		t := do(site.stall(max(f.Smallest*factor, sweepDose)))
		missed := s.misses
		is, acts, err := s.always(s.ctx, "cure", t, &f.Sig, false, need)
		if err != nil {
			return err
		}
		if is && acts && proof.ActedIn(need, s.misses-missed) {
			f.cure, f.cureSite = &t, &site
			return nil
		}
		s.tell("cure", i+1, len(sites))
	}
	return nil
}

// mostOfCure is the largest number of runs that a cure is looked for with, at a position.
const mostOfCure = 60

// cureSites returns the positions outside of the window at which to look for a cure, the
// likely first. What decides is the order of two goroutines, or what comes between two
// steps of one: so first what the hints say of other goroutines, then what the goroutine
// itself does before it is held, the last first, then all else.
func (s *search) cureSites(f *Finding) []Site {
	own := f.sites[0]
	var before, list []Site
	for _, site := range s.p.Sites() {
		if site.Class == own.Class && site.Event < own.Event {
			before = append(before, site)
		}
	}
	slices.SortStableFunc(before, func(a, b Site) int { return int(b.Event - a.Event) })
	add := func(sites []Site, others bool) {
		for _, site := range sites {
			if others == (site.Class != own.Class) && !f.inWindow(site) && !slices.Contains(list, site) {
				list = append(list, site)
			}
		}
	}
	add(s.suggestedSites(), true)
	add(before, false)
	add(s.p.Sites(), true)
	add(s.p.Sites(), false)
	return list
}

// baseRate returns how often plain runs fail: those that were made before, if they are
// enough. It says only whether a cure is looked for, and how long.
func (s *search) baseRate(sig *runner.Signature) (proof.Count, error) {
	if base := s.recorded(sig); base.Of >= proof.ConfirmRuns {
		return base, nil
	}
	return s.count(s.ctx, "base", Trial{}, sig, proof.ConfirmRuns)
}

// passesInARow is how many runs in a row hardly ever pass by chance: the confirmation tells.
func (s *search) passesInARow(base proof.Count) int {
	if base.Failed == 0 || base.Failed == base.Of {
		return 3
	}
	rate := float64(base.Failed) / float64(base.Of)
	return max(3, int(math.Ceil(math.Log(stats.Strong)/math.Log(1-rate))))
}
