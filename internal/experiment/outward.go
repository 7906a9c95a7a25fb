package experiment

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/search"
)

// Positions are tried from the check outward. A test observes all that it can in its own goroutine, so that comes
// first, the last positions before earlier ones, and of a loop the last and the first visit. Then come other goroutines
// in the same order, and then the visits between.

// A heldGroup is places at which goroutines are held in one way, the first of them first.
type heldGroup struct {
	first float64 // how much the first promises
	sites []Site
	hold  func(Site) act
}

// How much the first hold of a kind promises, for the time that it takes.
const (
	byCheck      = 6 // of the test's own goroutine, the nearest to its check
	byWriter     = 6 // of another goroutine
	byLate       = 6 // a long one of one that begins, or of the test's own goroutine
	byEarly      = 4 // of all others, where they begin
	byVisit      = 2 // at a visit between
	byClass      = 2 // of all of a class
	byLateWriter = 2 // another long one
	byLateVisit  = 1

	near = 10 // places further out one promises half as much
)

// holdEach holds a goroutine at each place.
func (b *bench) holdEach(x heldGroup) (list []search.Proposal) {
	for i, site := range x.sites {
		h := x.hold(site)
		list = append(list, search.Proposal{Fails: search.Plan{h}, Prior: b.promise(x.first, i, h.Dose)})
	}
	return list
}

// promise is the promise of the i-th hold from the check outward, by that of the first.
func (b *bench) promise(first float64, i int, dose time.Duration) float64 {
	return first / float64(near+i) / (b.Usual() + dose).Seconds()
}

// proposeHolds holds one goroutine, where hints say and then from the check outward; all of a class; and all but the
// test's own. The most promising comes first, and is no more probable than the others: how much is not known.
func (b *bench) proposeHolds() (list []search.Proposal) {
	usual := func(site Site) act { return b.hold(site, sweepDose) }
	long := func(site Site) act { return b.hold(site, b.longDose()) }
	all := func(site Site) act {
		h := usual(site)
		h.First = false
		return h
	}
	own, ownBetween := b.sitesOf(true)
	others, between := b.sitesOf(false)
	between = freedom.InTurn([][]Site{ownBetween, between})
	rest := b.proposeEarly()
	for _, x := range []heldGroup{
		{byCheck, own, usual},
		{byWriter, others, usual},
		{byVisit, between, usual},
		{byClass, b.p.classSites(), all},
		{byLate, slices.Concat(b.p.beginnings(), own), long},
		{byLateWriter, others, long},
		{byLateVisit, between, long},
	} {
		rest = append(rest, b.holdEach(x)...)
	}
	slices.SortStableFunc(rest, func(x, y search.Proposal) int { return cmp.Compare(y.Prior, x.Prior) })
	for i, site := range b.suggestedSites() { // orders of the same places come first: they show both ends
		list = append(list, search.Proposal{Fails: search.Plan{usual(site)}, Prior: max(freedom.Lesser(ofSuggested/2, i), ofHold)})
	}
	for _, p := range rest {
		p.Prior = ofHold
		list = append(list, p)
	}
	return once(list)
}

// once returns proposals without those that do the same as an earlier one.
func once(list []search.Proposal) []search.Proposal {
	seen := make(map[search.Act]bool)
	return slices.DeleteFunc(list, func(p search.Proposal) bool {
		if len(p.Fails) > 1 {
			return false
		}
		was := seen[p.Fails[0]]
		seen[p.Fails[0]] = true
		return was
	})
}

// sitesOf returns positions of the test's own goroutines, or of the others: the last and the first visits, of each class
// those at its end first, one class after the other; and the visits between.
func (b *bench) sitesOf(own bool) (ends, between []Site) {
	lists := make(map[uint64][]Site)
	var classes []uint64
	var rest [][]Site
	for _, site := range b.p.Sites() {
		g := b.p.goroutine(site)
		if g == nil || (g.Root && g.Test != "") != own {
			continue
		}
		if lists[site.Class] == nil {
			classes = append(classes, site.Class)
		}
		some := b.SomeVisits(site)
		n := min(len(some), 2)
		lists[site.Class], rest = append(lists[site.Class], some[:n]...), append(rest, some[n:])
	}
	var byClass [][]Site
	for _, class := range classes {
		slices.SortStableFunc(lists[class], func(x, y Site) int { return cmp.Compare(y.Event, x.Event) })
		byClass = append(byClass, lists[class])
	}
	return freedom.InTurn(byClass), freedom.InTurn(rest)
}

// maxVisits is how many visits of a position are tried.
const maxVisits = 10

// SomeVisits returns visits of a site's block by its goroutine: the first, the last, the second, the middle one, and
// then those halfway between.
func (b *bench) SomeVisits(site Site) (list []Site) {
	all := b.visits(site)
	n := len(all)
	for _, i := range append([]int{0, n - 1, 1}, halves(n, maxVisits)...) {
		if i < n && len(list) < maxVisits && !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	return list
}

// halves returns numbers below n, at most so many: the first, the last, the middle one, and then those halfway between.
func halves(n, most int) []int {
	list := []int{0}
	for step := n - 1; step > 0; step /= 2 {
		for i := step; i < n && len(list) < most; i += step {
			if !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// visits returns a site, and all later visits of its block by its goroutine.
func (b *bench) visits(site Site) []Site {
	blocks, err := b.blocks(site)
	if err != nil {
		return []Site{site} // without its trace there is nothing to add
	}
	list := []Site{site}
	for i := site.Event + 1; i < int64(len(blocks)); i++ {
		if blocks[i] == site.Block {
			next := site
			next.Event, next.Hit = i, site.Hit+len(list)
			list = append(list, next)
		}
	}
	return list
}

const (
	sweepDose = 30 * time.Millisecond
	minDose   = 10 * time.Microsecond
	maxDose   = time.Second

	maxEarly  = 17 // parts of their way at which all others are held
	maxOthers = 8  // goroutines that are held, of a class each
)

// proposeEarly has the test come too early: all others are held at once, where they begin, at their ends, halfway, and
// between.
func (b *bench) proposeEarly() (list []search.Proposal) {
	var ways [][]Site
	for class := range b.classes() {
		if way := b.way(class); len(way) > 0 && len(ways) < maxOthers {
			ways = append(ways, way)
		}
	}
	if len(ways) < 2 {
		return nil // one is held at each of its positions
	}
	for i, part := range halves(maxEarly, maxEarly) {
		var plan search.Plan
		for _, way := range ways {
			plan = append(plan, b.hold(way[part*(len(way)-1)/(maxEarly-1)], sweepDose))
		}
		list = append(list, search.Proposal{Fails: plan, Prior: b.promise(byEarly, i, sweepDose)})
	}
	return list
}

// way returns all positions of the first goroutine of a class, in their order, if each plain run has it and it is not
// the test's own.
func (b *bench) way(class uint64) []Site {
	g := b.p.ofClass(class)[0]
	if g.Root || g.Test == "" || g.Runs < b.p.Runs || len(g.Sites) == 0 {
		return nil
	}
	var list []Site
	for _, site := range g.Sites {
		list = append(list, b.visits(site)...)
	}
	slices.SortFunc(list, func(x, y Site) int { return cmp.Compare(x.Event, y.Event) })
	return list
}

// beginnings returns where goroutines begin that the test starts, one of each class.
func (p *profile) beginnings() (list []Site) {
	seen := make(map[uint64]bool)
	for _, g := range p.Goroutines {
		if !g.Root && g.Test != "" && len(g.Sites) > 0 && !seen[g.Class] {
			seen[g.Class] = true
			list = append(list, g.Sites[0])
		}
	}
	return list
}

// longDose is longer than the whole test usually takes, and than each sleep in it up to a second.
func (b *bench) longDose() time.Duration {
	dose := max(2*b.p.Elapsed, 4*sweepDose)
	for _, l := range b.limits() {
		if l.Slept {
			dose = max(dose, min(l.D*3/2, maxDose))
		}
	}
	return min(dose, maxDose)
}

// classSites returns the positions at which all goroutines of a class are held.
func (p *profile) classSites() (list []Site) {
	several := p.severalOf()
	for _, site := range p.Sites() {
		if site.Class != 0 && several[site.Class] {
			site.G.ID, site.G.Class = 0, site.Class
			list = append(list, site)
		}
	}
	return list
}
