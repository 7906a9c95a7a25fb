package experiment

import (
	"regexp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// screenCollector has garbage collected never, and all the time.
func (s *search) screenCollector() error {
	return s.family("collector", []Trial{do(perturb.Collector(perturb.GCOff)), do(perturb.Collector(perturb.GCOften))},
		func(f *Finding, passed []Trial) error {
			if err := s.cureAmong(f, passed); err != nil {
				return err
			}
			return s.conclude(f)
		})
}

// maxCollected is how many positions are tried for a collection.
const maxCollected = 100

// maxPauses is at how many positions a collection may turn out to be no more than a pause.
const maxPauses = 3

// sweepCollector has garbage collected at one position a run, where the code that ran
// has anything that depends on it.
func (s *search) sweepCollector() error {
	if !s.dependsOnCollector() {
		return nil
	}
	var passed []Trial
	pauses := 0 // positions at which it fails as well without a collection
	sites, err := s.collectorSites()
	if err != nil {
		return err
	}
	for i, site := range sites {
		t := do(perturb.Collect(site.position()))
		o, err := s.first("collections", t)
		if err != nil {
			return err
		}
		s.tell("collections", i+1, len(sites))
		switch {
		case !o.Ran || !t.acted(o) || o.Failed && s.known(o.Signature):
			continue
		case !o.Failed:
			passed = append(passed, t)
			continue
		}
		paused, err := s.collected(t, site, o, passed)
		if err != nil || s.explained() {
			return err
		}
		if paused {
			if pauses++; pauses == maxPauses {
				return nil
			}
		}
	}
	return nil
}

// collectorSites returns positions for collections: those of stalls, and then all others of
// short streams, since what nobody else notices may still be collected in between.
func (s *search) collectorSites() ([]Site, error) {
	list := s.p.Sites()
	for _, g := range s.p.Goroutines {
		if len(g.Sites) == 0 || g.Test == "" {
			continue
		}
		site := g.Sites[0]
		blocks, err := s.stream(s.p, site)
		if err != nil {
			return nil, err
		}
		for i, b := range blocks {
			site.Event, site.Block = int64(i), b
			same := func(o Site) bool { return o.Class == site.Class && o.Event == site.Event }
			if b != 0 && !slices.ContainsFunc(list, same) {
				list = append(list, site)
			}
			if len(list) >= maxCollected {
				break
			}
		}
	}
	return list[:min(len(list), maxCollected)], nil
}

// collected makes a finding of a collection at a position, unless a pause there does the same. The sham is one at another.
func (s *search) collected(t Trial, site Site, o *Outcome, passed []Trial) (paused bool, err error) {
	f, err := s.provoked(t, []Site{site}, o)
	if f == nil || err != nil {
		return false, err
	}
	if paused, err = s.failsPaused(site, &f.Sig); paused || err != nil {
		s.pending = nil
		return paused, err
	}
	for i := range passed {
		is, _, err := s.always(s.ctx, "sham", passed[i], &f.Sig, false, leastCured)
		if err != nil {
			return false, err
		}
		if is {
			f.sham = &passed[i]
			break
		}
	}
	return false, s.conclude(f)
}

// pauseDose is a pause that is longer than most collections take.
const pauseDose = 10 * time.Millisecond

// pauseRuns is how many runs have a pause: eight failures of ten can't be told from twenty of twenty, and seven can.
const pauseRuns = 10

// failsPaused reports whether the test fails as often if the goroutine just stands still where garbage was collected: then
// it is not what was collected, but the time that it took, and what others did meanwhile. That the stalls find. One that
// stands still may go on with another processor, which has pools of its own, so that some failures speak against nothing.
func (s *search) failsPaused(site Site, sig *runner.Signature) (bool, error) {
	base, err := s.baseRate(sig)
	if err != nil {
		return false, err
	}
	pause := do(site.stall(pauseDose))
	c, err := s.count(s.ctx, "pause", pause, sig, pauseRuns)
	collected := proof.Count{Failed: proof.ConfirmRuns, Of: proof.ConfirmRuns}
	return err == nil && proof.Told(c, base) && !proof.Told(collected, c), err
}

var collectorWords = regexp.MustCompile(`\b(SetFinalizer|AddCleanup|sync\.Pool|weak\.|unique\.|ReadMemStats|ReadGCStats|FreeOSMemory)`)

// dependsOnCollector reports whether files that plain runs came to mention what depends on
// when garbage is collected.
func (s *search) dependsOnCollector() bool {
	seen := make(map[int]bool)
	for _, g := range s.p.Goroutines {
		for _, site := range g.Sites {
			file := s.Sites.FileOf(site.Block)
			if seen[file] || s.Source == nil {
				continue
			}
			seen[file] = true
			if src, err := s.Source(s.Sites.Files[file].Path); err == nil && collectorWords.Match(src) {
				return true
			}
		}
	}
	return false
}
