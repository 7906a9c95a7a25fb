package experiment

import (
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

const (
	earlyRuns    = 3  // that must pass with both held before it is counted
	earlyLonger  = 3  // times as long the other one is held
	mostEarly    = 30 // positions that are tried of each class of goroutines, before those between
	mostSiblings = 4  // goroutines of the class of the held one that are tried
	mostTried    = 80 // in all
)

// early looks for the goroutine that comes too early while the goroutine of a finding is held. Where plain runs often fail, holding the
// other one alone has told it (see cure); where they seldom do, only runs that fail for sure can show that
// something keeps them from it, and those are the ones with the finding's own hold. Such a pair of holds decides as well as a cure
// does: with the one alone the test fails, with both it passes.
func (s *search) early(f *Finding) error {
	if c := &f.Confirmed; f.Verdict != proof.Proved && !(f.Verdict == proof.Reproduced && c.Sufficient() && c.Specific()) {
		return nil
	}
	if f.Always || f.Artefact != "" || f.cure != nil || len(f.sites) != 1 || len(f.Trial.Plan.Of(perturb.Act.Holds)) != 1 {
		return nil
	}
	site, err := (&earlySearch{search: s, f: f, left: mostTried}).find()
	if err != nil || site == nil {
		return err
	}
	c, err := s.count(s.ctx, "held too", f.both(site), &f.Sig, proof.ConfirmRuns)
	if err != nil {
		return err
	}
	if !f.Confirmed.Passes(c) || !c.Acts() || proof.Chance(f.Confirmed.With, c) >= proof.Reproduces {
		return nil
	}
	f.early, f.Early = site, &proof.Early{Held: c}
	f.Verdict = proof.Proved // the outcome follows the order, whatever plain runs do
	f.Early.At.Path, err = s.pathTo(*site)
	return err
}

// both is the trial of a finding with another goroutine held too, for longer.
func (f *Finding) both(site *Site) Trial {
	t := f.dosed()
	return t.with(site.stall(earlyLonger * t.dose()))
}

// An earlySearch looks for the position at which another goroutine comes too early while the one of a finding is held.
type earlySearch struct {
	*search
	f    *Finding
	left int // positions that may be tried yet
}

// find returns where another goroutine comes too early: of the one that failed, else of another, the last position at
// which to hold it too lets the test pass, or of one that it starts there; else of one that was started as the held one
// was. It returns nil if there is none.
func (s *earlySearch) find() (*Site, error) {
	tried := []uint64{s.f.sites[0].Class}
	for _, class := range s.otherClasses() {
		tried = append(tried, class)
		site, err := s.lastIn(s.sitesOf(class))
		if err != nil {
			return nil, err
		}
		for next := site; next != nil; { // it is early for what goes on without it
			site = next
			class, ok := s.startedAt(site.Block, tried)
			if !ok {
				break
			}
			tried = append(tried, class)
			if next, err = s.lastIn(s.sitesOf(class)); err != nil {
				return nil, err
			}
		}
		if site == nil {
			continue
		}
		if after, err := s.startsAfter(site); err != nil || !after {
			return site, err
		}
		if other, err := s.lastOfSiblings(); err != nil || other != nil { // it is early for what goes on without it
			return other, err
		}
		return site, nil
	}
	return s.lastOfSiblings()
}

// lastOfSiblings returns the last position at which to hold too a goroutine lets the test pass that was started as the held
// one was, nil if there is none, or if it can't be told from the held one.
func (s *earlySearch) lastOfSiblings() (*Site, error) {
	held := s.f.sites[0]
	if held.G.ID == 0 {
		return nil, nil
	}
	list, tried := s.sitesOf(held.Class), 0
	for _, g := range s.p.Goroutines {
		if g.Class != held.Class || g.ID == held.G.ID || tried == mostSiblings {
			continue
		}
		tried++
		if site, err := s.lastIn(sitesAs(g, list)); err != nil || site != nil {
			return site, err
		}
	}
	return nil, nil
}

// sitesAs returns the sites of a class as those of one of its goroutines: it comes to the same blocks, not with
// events of the same number.
func sitesAs(g *goroutine, list []Site) []Site {
	list = slices.Clone(list)
	for i := range list {
		list[i].G, list[i].ByHit = perturb.Goroutine{ID: g.ID}, true
	}
	return list
}

// otherClasses returns the classes of goroutines but that of the one that is held: the test's that failed first, then
// as positions at which to hold them are tried.
func (s *earlySearch) otherClasses() (list []uint64) {
	add := func(class uint64) {
		if class != s.f.sites[0].Class && !slices.Contains(list, class) {
			list = append(list, class)
		}
	}
	for _, g := range s.p.Goroutines {
		if g.Root && g.Test == s.f.Sig.Test {
			add(g.Class)
		}
	}
	for _, site := range append(slices.Clone(s.suggestedSites()), s.p.Sites()...) {
		add(site.Class)
	}
	return list
}

// sitesOf returns the positions of a class, the last first.
func (s *earlySearch) sitesOf(class uint64) (list []Site) {
	for _, g := range s.p.Goroutines {
		if g.Class == class {
			list = append(list, g.Sites...)
		}
	}
	slices.SortStableFunc(list, func(a, b Site) int { return int(b.Event - a.Event) })
	return list
}

// lastIn returns the first of a list, the last positions first, at which to hold another goroutine too lets the test
// pass, nil if there is none.
func (s *earlySearch) lastIn(list []Site) (*Site, error) {
	at, err := s.firstThatPasses(thinned(list))
	if err != nil || at == nil {
		return nil, err
	}
	return s.nearer(list, at)
}

// startedAt returns a class of goroutines that are started in a block, except those that were tried.
func (s *earlySearch) startedAt(block int, tried []uint64) (class uint64, ok bool) {
	at, ok := s.Sites.Pos(block)
	if !ok {
		return 0, false
	}
	for _, g := range s.p.Goroutines {
		file, known := s.Sites.Rel(g.Spawn.File)
		if known && file == at.File && at.Start <= g.Spawn.Line && g.Spawn.Line <= at.End && !slices.Contains(tried, g.Class) && len(g.Sites) > 0 {
			return g.Class, true
		}
	}
	return 0, false
}

// startsAfter reports whether in a run without a perturbation some goroutine of the class of the held one was started only
// when another one had come to a site: to hold that one keeps it back too.
func (s *earlySearch) startsAfter(site *Site) (bool, error) {
	g := s.p.goroutine(*site)
	if g == nil || g.trace == "" {
		return false, nil
	}
	t, err := s.open(g.trace)
	if err != nil {
		return false, fmt.Errorf("reading what a run of %s did: %w", s.Test, err)
	}
	defer t.Close()
	at, err := timeOf(t, perturb.Position{G: perturb.Goroutine{ID: g.ID}, Block: uint32(site.Block), Hit: uint32(site.Hit)})
	return at.there && slices.ContainsFunc(t.Goroutines, func(o *trace.Goroutine) bool {
		return o.Class == s.f.sites[0].Class && o.Start >= at.earliest
	}), err
}

// thinned returns at most mostEarly sites, as far apart from each other as can be.
func thinned(list []Site) []Site {
	if len(list) <= mostEarly {
		return list
	}
	out := make([]Site, mostEarly)
	for i := range out {
		out[i] = list[i*len(list)/mostEarly]
	}
	return out
}

// nearer returns the first of a list, the last positions first, from which on it passes up to one at which it does: by
// halves, since who has come past the place at which it is too early can't be kept from it any more.
func (s *earlySearch) nearer(list []Site, at *Site) (*Site, error) {
	hi := slices.Index(list, *at)
	for lo := max(-1, hi-len(list)/mostEarly-1); hi-lo > 1; {
		mid := (lo + hi) / 2
		passes, err := s.passesToo(&list[mid])
		if err != nil {
			return nil, err
		}
		if passes {
			hi = mid
		} else {
			lo = mid
		}
	}
	return &list[hi], nil
}

// firstThatPasses returns the first of some sites at which to hold another goroutine too lets the test pass, nil if
// none does.
func (s *earlySearch) firstThatPasses(sites []Site) (*Site, error) {
	for i := range sites {
		passes, err := s.passesToo(&sites[i])
		if err != nil {
			return nil, err
		}
		if passes {
			return &sites[i], nil
		}
		s.tell("held too", i+1, len(sites))
	}
	return nil, nil
}

// passesToo reports whether a few runs pass in which a goroutine is held at a site beside the one of the finding.
func (s *earlySearch) passesToo(site *Site) (bool, error) {
	if s.left--; s.left < 0 {
		return false, nil
	}
	is, acts, err := s.always(s.ctx, "held too", s.f.both(site), &s.f.Sig, false, earlyRuns)
	return is && acts, err
}
