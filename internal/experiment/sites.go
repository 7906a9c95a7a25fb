package experiment

import (
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
)

const (
	sweepDose = 30 * time.Millisecond
	minDose   = 10 * time.Microsecond
	maxDose   = time.Second
)

// longDose is longer than the whole test usually takes, and than each sleep in it up to a second.
func (s *bench) longDose() time.Duration {
	dose := max(2*s.p.Elapsed, 4*sweepDose)
	for _, l := range s.limits() {
		if !l.Slept {
			continue
		}
		dose = max(dose, min(l.D*3/2, maxDose))
	}
	return min(dose, maxDose)
}

// classSites returns the positions at which all goroutines of a class are held.
func (s *bench) classSites() (list []Site) {
	several := s.p.severalOf()
	for _, site := range s.p.Sites() {
		if site.Class != 0 && several[site.Class] {
			site.G = freedom.Goroutine{Class: site.Class}
			list = append(list, site)
		}
	}
	return list
}

// laterSites returns, of each class, the last visit of each block by its first
// goroutine, and the first visits by its last goroutine.
func (s *bench) laterSites() ([]Site, error) {
	last := make(map[uint64]*goroutine)
	for _, g := range s.p.Goroutines {
		if g.Nth > 0 && g.Runs == s.p.Runs {
			last[g.Class] = g
		}
	}
	var list []Site
	for _, site := range s.p.Sites() {
		if site.G.ID == 0 {
			continue
		}
		visits, err := s.visits(site)
		if err != nil {
			return nil, err
		}
		list = append(list, visits...)
		if g := last[site.Class]; g != nil {
			other := site
			other.G.ID = g.ID
			list = append(list, other)
		}
	}
	return list, nil
}

// visits returns the second, middle and last visits of a site's block after it.
func (s *bench) visits(site Site) ([]Site, error) {
	blocks, err := s.blocks(site)
	if err != nil {
		return nil, err
	}
	var all []Site
	for i := site.Event + 1; i < int64(len(blocks)); i++ {
		if blocks[i] == site.Block {
			next := site
			next.Event, next.Hit = i, site.Hit+len(all)+1
			all = append(all, next)
		}
	}
	switch n := len(all); {
	case n <= 3:
		return all, nil
	default:
		return []Site{all[0], all[n/2], all[n-1]}, nil
	}
}
