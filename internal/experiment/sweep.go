package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

const (
	sweepDose = 30 * time.Millisecond
	minDose   = 10 * time.Microsecond
	maxDose   = time.Second
)

// sweep holds one goroutine at one position a run, at each that differs.
func (s *search) sweep() error {
	rest := slices.DeleteFunc(s.p.Sites(), func(site Site) bool { return slices.Contains(s.done, site) })
	return s.sweepOver("stalls", rest, sweepDose)
}

// sweepLong does it again, for longer than the whole test usually takes: whatever
// limits of time it has, up to a second, they pass meanwhile.
func (s *search) sweepLong() error {
	return s.sweepOver("long stalls", s.p.Sites(), s.longDose())
}

// longDose returns how long sweepLong holds.
func (s *search) longDose() time.Duration {
	dose := max(2*s.p.Elapsed, 4*sweepDose)
	for _, l := range s.limits() {
		dose = max(dose, min(l.d*3/2, maxDose))
	}
	return min(dose, maxDose)
}

// sweepClasses holds all goroutines of a class, where there are several.
func (s *search) sweepClasses() error {
	list := slices.DeleteFunc(s.classSites(), func(site Site) bool { return slices.Contains(s.done, site) })
	return s.sweepWith("classes", list, func(site Site) Trial {
		return do(perturb.Stall(site.position(), sweepDose, false))
	})
}

// classSites returns the positions at which all goroutines of a class are held.
func (s *search) classSites() (list []Site) {
	several := s.p.severalOf()
	for _, site := range s.p.Sites() {
		if site.Class != 0 && several[site.Class] {
			site.G = perturb.Goroutine{Class: site.Class}
			list = append(list, site)
		}
	}
	return list
}

// maxPairs is how many pairs of goroutines are tried: all of eleven classes.
const maxPairs = 55

// sweepPairs holds two goroutines of different classes where they begin, for failures
// that take two late ones.
func (s *search) sweepPairs() error {
	var begin []Site
	seen := make(map[uint64]bool)
	for _, g := range s.p.Goroutines {
		if list := g.Sites; !g.Root && g.Test != "" && len(list) > 0 && !seen[g.Class] {
			seen[g.Class] = true
			begin = append(begin, list[0])
		}
	}
	n := 0
	for i := range begin {
		for k := range i {
			if n++; n > maxPairs || s.explained() {
				return nil
			}
			if err := s.pair([]Site{begin[k], begin[i]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// pair holds two goroutines, and longer if that failed once and not again.
func (s *search) pair(sites []Site) error {
	t := do(sites[0].stall(sweepDose), sites[1].stall(sweepDose))
	o, err := s.first("pairs", t)
	if err != nil || !o.Ran || !o.Failed || !t.acted(o) || s.known(o.Signature) {
		return err
	}
	before := len(s.found)
	if err := s.several(t, sites, o); err != nil || len(s.found) > before || s.longer == maxLonger {
		return err
	}
	s.longer++
	return s.several(dosed(t, 3*sweepDose), sites, o)
}

// sweepSeeded holds goroutines while all random choices follow a seed, for failures
// that were seen and that neither brings alone: choices and the schedule may decide
// together. The seed is one with which it has failed.
func (s *search) sweepSeeded() error {
	for _, x := range s.unexplained {
		if s.hasFinding(x.o.Signature) {
			continue
		}
		pins := perturb.Pins(x.seed)
		err := s.sweepWith("stalls with a seed", s.p.Sites(), func(site Site) Trial {
			return do(site.stall(sweepDose)).with(pins...)
		})
		if err != nil {
			return err
		}
		break // one seed is as good as another
	}
	return nil
}

// sweepLater holds a goroutine at later visits of the blocks that it comes to more
// often than once, and the last goroutine of each class.
func (s *search) sweepLater() error {
	list, err := s.laterSites()
	if err != nil {
		return err
	}
	return s.sweepOver("later visits", list, sweepDose)
}

func (s *search) sweepOver(step string, list []Site, dose time.Duration) error {
	return s.sweepWith(step, list, func(site Site) Trial {
		return do(site.stall(dose))
	})
}

// sweepWith tries each site once, several side by side, and looks into what fails. In
// which order results come in makes no difference: they are looked at one batch at a time.
func (s *search) sweepWith(step string, list []Site, trial func(Site) Trial) error {
	if s.Share != nil {
		var trials []shared
		for i, site := range list {
			trials = append(trials, shared{trial(site), &list[i]})
		}
		return s.scan(step, trials)
	}
	batch := max(s.Parallel, 1)
	for i := 0; i < len(list); i += batch {
		part := list[i:min(i+batch, len(list))]
		outs := make([]*Outcome, len(part))
		err := s.each(s.ctx, len(part), func(k int) (err error) {
			outs[k], err = s.first(step, trial(part[k]))
			return err
		})
		if err != nil {
			return err
		}
		for k, o := range outs {
			if err := s.tried1(part[k], trial(part[k]), o); err != nil {
				return err
			}
		}
		s.tell(step, i+len(part), len(list))
		if s.explained() {
			return nil
		}
	}
	return nil
}

// maxLonger is how many stalls that failed once, and not again, are tried for longer.
const maxLonger = 20

// tried1 looks at the outcome of one stall.
func (s *search) tried1(site Site, t Trial, o *Outcome) error {
	if !o.Ran {
		return nil
	}
	if !t.acted(o) {
		return s.triedOfClass(site, t)
	}
	if !o.Failed {
		s.passed = append(s.passed, site)
		return nil
	}
	missed := s.misses
	f, err := s.provoked(t, []Site{site}, o)
	if err == nil && f == nil && s.misses > missed {
		return s.triedOfClass(site, t)
	}
	if err == nil && f == nil && s.longer < maxLonger && !s.known(o.Signature) && !s.frequent(&o.Signature) {
		// It may have been just about long enough, on a machine that is busy.
		s.longer++
		t = dosed(t, 3*t.dose())
		f, err = s.provoked(t, []Site{site}, o)
	}
	if f == nil && err == nil {
		return s.notAgain(o)
	}
	if err != nil {
		return err
	}
	f.dose = t.dose()
	return s.concludeStall(f, true)
}

// triedOfClass tries a stall of a goroutine, which did not come to its position, on the
// first of its class that does.
func (s *search) triedOfClass(site Site, t Trial) error {
	if site.G.ID == 0 || site.Class == 0 {
		return nil
	}
	site.G = perturb.Goroutine{Class: site.Class}
	next := t
	next.Plan = t.Plan.Without(perturb.Act.Holds).With(site.stall(t.dose()))
	o, err := s.first("stalls", next)
	if err != nil {
		return err
	}
	return s.tried1(site, next, o)
}

// frequent reports whether plain runs often fail with a signature: then that a stall
// failed once tells little.
func (s *search) frequent(sig *runner.Signature) bool {
	c := s.plainAndRecorded(sig)
	return c.Of >= proof.ConfirmRuns && frequentShare*c.Failed > c.Of
}

const frequentShare = 6 // one run in so many

// concludeStall comes to a verdict about stalls: first what that rests on, which is the
// dose, if that can be told, and the cure where plain runs fail too; then the window.
func (s *search) concludeStall(f *Finding, dosed bool) error {
	if dosed {
		if err := s.dose(f); err != nil || f.chance {
			return err
		}
		if err := s.timing(f); err != nil {
			return err
		}
		if err := s.cure(f); err != nil {
			return err
		}
		f.Slept = s.sleptAt(f.cureSite)
	}
	if err := s.concludeHeld(f); err != nil {
		return err
	}
	if !dosed || len(f.sites) != 1 || f.Verdict == proof.None || f.Trial.Plan.Does(perturb.Act.Chooses) {
		return nil
	}
	if err := s.paths(f); err != nil {
		return err
	}
	if s.brief {
		s.left = true
		return nil
	}
	if err := s.window(f); err != nil {
		return err
	}
	if err := s.paths(f); err != nil {
		return err
	}
	if err := s.standing(f); err != nil {
		return err
	}
	return s.early(f)
}

// laterSites returns, of each class, the last visit of each block by its first
// goroutine, and the first visits by its last goroutine.
func (s *search) laterSites() ([]Site, error) {
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
func (s *search) visits(site Site) ([]Site, error) {
	g := s.p.goroutine(site)
	if g == nil {
		return nil, nil
	}
	blocks, ok := s.streams[g.ID]
	if !ok {
		var err error
		if blocks, err = s.streamIn(g.trace, g.ID); err != nil {
			return nil, err
		}
		s.streams[g.ID] = blocks
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
