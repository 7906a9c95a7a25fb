package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// sweepSelects holds goroutines right before their selects while random choices follow seeds: meanwhile several
// cases may become ready. One of them is taken at random, so the one run that a sweep makes tells little.
func (s *search) sweepSelects() error {
	var list []Site
	for _, site := range s.p.Sites() {
		if len(s.p.choseAt(site)) > 0 {
			list = append(list, site)
		}
	}
	for i, site := range list {
		if err := s.selectsAt(site); err != nil {
			return err
		}
		s.tell("stalls before selects", i+1, len(list))
		if s.explained() {
			return nil
		}
	}
	return nil
}

// choseAt returns the blocks after which cases of a select were run, among the blocks that a site stands for.
func (p *profile) choseAt(s Site) []int { return p.chose[siteKey{s.Class, s.Block}] }

// selectsAt tries the first visit of a site and some later ones, as far as a choice is made there because of the hold.
func (s *search) selectsAt(site Site) error {
	visits := []Site{site}
	if site.G.ID != 0 {
		later, err := s.visits(site)
		if err != nil {
			return err
		}
		visits = append(visits, later...)
	}
	for _, v := range visits {
		if err := s.chosenAt(v); err != nil || s.explained() {
			return err
		}
	}
	return nil
}

// chosenAt holds a goroutine at one visit with one seed after the other, until one fails. If there is nothing to choose
// with the first, there is not with others.
func (s *search) chosenAt(site Site) error {
	for i := range heldSeeds {
		t := do(site.stall(sweepDose)).with(perturb.Pins(s.seed("select", i))...)
		o, err := s.run(s.ctx, "stalls before selects", t, false)
		if err != nil {
			return err
		}
		if !o.Ran || !t.acted(o) {
			return nil
		}
		if o.Failed {
			f, err := s.provoked(t, []Site{site}, o)
			if f == nil || err != nil {
				return err
			}
			f.dose = sweepDose
			return s.concludeStall(f, true)
		}
		if !s.choseIn(o, site) {
			return nil
		}
	}
	return nil
}

// choseIn reports whether one of the selects before which a site is was to choose in a run.
func (s *search) choseIn(o *Outcome, site Site) bool {
	at := s.p.choseAt(site)
	return slices.ContainsFunc(o.Draws, func(d trace.Draw) bool { return d.Kind == trace.ActSelect && slices.Contains(at, int(d.Block)) })
}
