package experiment

import (
	"regexp"
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
)

// screenCollector has garbage collected never, and all the time.
func (s *search) screenCollector() error {
	return s.family("collector", []Trial{setTo(perturb.Collector(perturb.GCOff)), setTo(perturb.Collector(perturb.GCOften))},
		func(f *Finding, passed []Trial) error {
			if err := s.cureAmong(f, passed); err != nil {
				return err
			}
			return s.conclude(f)
		})
}

// maxCollected is how many positions are tried for a collection.
const maxCollected = 100

// sweepCollector has garbage collected at one position a run, where the code that ran
// has anything that depends on it.
func (s *search) sweepCollector() error {
	if !s.dependsOnCollector() {
		return nil
	}
	var passed []Trial
	sites, err := s.collectorSites()
	if err != nil {
		return err
	}
	for i, site := range sites {
		t := Trial{Plan: perturb.Plan{Collect: []perturb.Position{site.position()}}}
		o, err := s.run(s.ctx, "collections", t, false)
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
		if err := s.collected(t, site, o, passed); err != nil || s.explained() {
			return err
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

// collected makes a finding of a collection at a position. The sham is one at another.
func (s *search) collected(t Trial, site Site, o *Outcome, passed []Trial) error {
	f, err := s.provoked(t, []Site{site}, o)
	if f == nil || err != nil {
		return err
	}
	for i := range passed {
		is, _, err := s.always(s.ctx, "sham", passed[i], &f.Signature, false, leastCured)
		if err != nil {
			return err
		}
		if is {
			f.sham = &passed[i]
			break
		}
	}
	return s.conclude(f)
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
