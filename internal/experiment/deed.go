package experiment

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// maxShams is how many places are tried at which an act should not matter.
const maxShams = 5

// A deed is an act as a trial has it.
type deed interface {
	search.Act
	add(t *Trial)
}

// A held goroutine.
type held struct {
	search.Whole
	b     *bench
	site  Site
	all   bool // all goroutines of its class are
	dose  time.Duration
	least time.Duration // the shortest that sufficed, if dose is longer
}

func (b *bench) hold(site Site, dose time.Duration) held {
	return held{b: b, site: site, dose: dose, least: dose}
}

// holdAs returns a hold like another one, of another length.
func (b *bench) holdAs(a held, dose time.Duration) held {
	a.dose, a.least = dose, dose
	return a
}

// at returns the site, of the first of its class to come there if the goroutine did not come in some run.
func (a held) at() Site {
	if a.b.absent[a.site] {
		a.site.G = freedom.Goroutine{Class: a.site.Class}
	}
	return a.site
}

// brief returns the hold, no longer than goroutines of its class are held.
func (a held) brief() held {
	if most := a.b.short[a.site.Class]; most > 0 {
		a.dose, a.least = min(a.dose, most), min(a.least, most)
	}
	return a
}

func (a held) add(t *Trial) {
	x := a.at().stall(a.brief().dose)
	x.First = x.First && !a.all
	t.acts(x)
}

// weaken is by how much a dose is made shorter at once: by as much as replays make it longer.
const weaken = factor

func (a held) Weaker() search.Act {
	a = a.brief()
	if a.dose/weaken < minDose {
		return nil
	}
	return a.b.holdAs(a, round(a.dose/weaken))
}

func (a held) Between(weaker search.Act) search.Act {
	dose, ok := between(a.brief().dose, weaker.(held).dose)
	if !ok {
		return nil
	}
	return a.b.holdAs(a, dose)
}

// between returns a time between two on a logarithmic scale, if they differ by enough to be told apart.
func between(more, less time.Duration) (time.Duration, bool) {
	d := round(time.Duration(math.Sqrt(float64(less) * float64(more))))
	return d, float64(more) > dosePrecision*float64(less) && less < d && d < more
}

// dosePrecision is the ratio of two doses that are told apart.
const dosePrecision = 1.25

func (a held) Surely() search.Act {
	a = a.brief()
	a.dose = times(a.least, factor)
	return a
}

func (a held) Moved(n int) search.Act {
	all, err := a.b.positions(a.site)
	i := indexOf(all, a.site)
	if err != nil || i < 0 || i+n < 0 || i+n >= len(all) {
		return nil
	}
	a.site = all[i+n]
	return a
}

// Partners are the choices of a run, if it may make any: held, a goroutine may find several cases of a select ready.
func (a held) Partners() (list []search.Act) {
	if len(a.b.p.Draws)+len(a.b.p.chose) == 0 {
		return nil
	}
	for i := range heldSeeds {
		list = append(list, seeded{b: a.b, seed: a.b.seed("pin", i)})
	}
	return list
}

const (
	heldSeeds    = 16 // seeds that are tried with a hold
	earlyOfClass = 6  // positions of a class at which another goroutine is held too
	earlyInAll   = 10 // of all
	earlyLonger  = 3  // times as long it is held
	mostSiblings = 4  // goroutines of the class of the held one that are tried
	cureHolds    = 6  // positions at which one is held in its place
)

// Opposites also hold a second goroutine, longer, so that it cannot overtake the first.
func (a held) Opposites() (list []search.Plan) {
	if !a.b.concurrent() {
		return nil
	}
	for sites := range a.others() {
		for i := 0; i < len(sites); i += max(1, len(sites)/earlyOfClass) {
			if list = append(list, search.Plan{a, a.b.hold(sites[i], earlyLonger*a.dose)}); len(list) == earlyInAll {
				return list
			}
		}
	}
	return list
}

// Guesses are another goroutine that is held in place of this one.
func (a held) Guesses() (list []search.Plan) {
	if !a.b.concurrent() {
		return nil
	}
	cures := a.b.cureSites(a.site)
	for _, site := range cures[:min(len(cures), cureHolds)] {
		list = append(list, search.Plan{a.b.hold(site, max(a.dose, sweepDose))})
	}
	return list
}

// others yields the positions of other goroutines, the last of each first: by class, the test's own first, then others
// of the class of this one.
func (a held) others() iter.Seq[[]Site] {
	return func(yield func([]Site) bool) {
		for class := range a.b.classes() {
			if class != a.site.Class && !yield(a.b.lastFirst(class)) {
				return
			}
		}
		siblings := 0
		for _, g := range a.b.p.ofClass(a.site.Class) {
			if a.site.G.ID == 0 || g.ID == a.site.G.ID {
				continue
			}
			if siblings++; siblings > mostSiblings || !yield(sitesAs(g, a.b.lastFirst(g.Class))) {
				return
			}
		}
	}
}

// classes yields those of goroutines, each once: the test's own first, then those that hints are about.
func (b *bench) classes() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		seen := make(map[uint64]bool)
		fresh := func(class uint64) bool {
			was := seen[class]
			seen[class] = true
			return !was
		}
		for _, g := range b.p.Goroutines {
			if g.Root && fresh(g.Class) && !yield(g.Class) {
				return
			}
		}
		for _, site := range slices.Concat(b.suggestedSites(), b.p.Sites()) {
			if fresh(site.Class) && !yield(site.Class) {
				return
			}
		}
	}
}

// lastFirst returns the positions of a class, the last first.
func (b *bench) lastFirst(class uint64) (list []Site) {
	for _, g := range b.p.ofClass(class) {
		list = append(list, g.Sites...)
	}
	slices.SortStableFunc(list, func(a, b Site) int { return int(b.Event - a.Event) })
	return list
}

// sitesAs returns the sites of a class as those of one of its goroutines: it comes to the same blocks, not with
// events of the same number.
func sitesAs(g *goroutine, list []Site) []Site {
	list = slices.Clone(list)
	for i := range list {
		list[i].G, list[i].ByHit = freedom.Goroutine{ID: g.ID}, true
	}
	return list
}

// cureSites returns the positions at which a goroutine may be held in place of one, the likely first. The cause is the
// order of two goroutines, or an event between two steps of one: so first come the positions of other goroutines that
// hints are about, then those of the goroutine itself before this one, the last first, then all others.
func (b *bench) cureSites(own Site) []Site {
	var before, list []Site
	listed := make(map[Site]bool)
	for _, site := range b.p.Sites() {
		if site.Class == own.Class && site.Event < own.Event {
			before = append(before, site)
		}
	}
	slices.SortStableFunc(before, func(a, b Site) int { return int(b.Event - a.Event) })
	add := func(sites []Site, others bool) {
		for _, site := range sites {
			same := site.Class == own.Class
			if others != same && !(same && site.Block == own.Block) && !listed[site] {
				list, listed[site] = append(list, site), true
			}
		}
	}
	add(b.suggestedSites(), true)
	add(before, false)
	add(b.p.Sites(), true)
	add(b.p.Sites(), false)
	return list
}

// Elsewhere are other positions of the goroutine, and of others.
func (a held) Elsewhere() (list []search.Act) {
	for _, own := range []bool{true, false} {
		n := 0
		for _, site := range a.b.p.Sites() {
			if site.Block == a.site.Block || own != (site.Class == a.site.Class) || n == maxShams/2 {
				continue
			}
			n++
			next := a
			next.site = site
			list = append(list, next)
		}
	}
	return list
}

// Garbage is collected where a goroutine is.
type collected struct {
	search.Whole
	b    *bench
	site Site
}

func (a collected) add(t *Trial)       { t.acts(freedom.Collect(a.site.position())) }
func (a collected) Surely() search.Act { return a }

// Opposites is that none is.
func (a collected) Opposites() []search.Plan {
	return []search.Plan{{setting{b: a.b, act: freedom.Collector(freedom.GCOff)}}}
}

// pauseDose is a pause that is longer than most collections take.
const pauseDose = 10 * time.Millisecond

// Elsewhere is a pause: if the test fails with that too, the cause is the time that a collection takes, in which others
// go on.
func (a collected) Elsewhere() []search.Act { return []search.Act{a.b.hold(a.site, pauseDose)} }

// All choices follow a seed.
type seeded struct {
	search.Whole
	b    *bench
	seed uint64
}

func (a seeded) add(t *Trial)       { t.acts(freedom.Pins(a.seed)...) }
func (a seeded) Surely() search.Act { return a }

func (a seeded) Parts(done any) (list []search.Act) {
	o, ok := done.(*Outcome)
	if !ok {
		return nil
	}
	for _, x := range a.b.drawSites(o) {
		list = append(list, pin{b: a.b, act: freedom.Pin(x.kind, a.seed, x.block)})
	}
	return list
}

// Opposites are choices of one block by other seeds, the others staying as they are, as where the outcome follows
// from these together with the keys of hashes; and all choices as in a run that passed. The last choice comes first:
// earlier ones are often seen only through it.
func (a seeded) Opposites() (list []search.Plan) {
	sites, seeds := a.b.drawSites(&Outcome{}), a.b.otherwise(a.seed)
	slices.Reverse(sites)
	sites = sites[:min(len(sites), maxFlipped)]
	for _, d := range sites {
		for _, seed := range seeds[:min(len(seeds), mostFlips/len(sites))] {
			list = append(list, search.Plan{a, pin{b: a.b, act: freedom.Pin(d.kind, seed, d.block)}})
		}
	}
	return append(list, a.passes()...)
}

const (
	maxFlipped = 4  // blocks whose choices are made otherwise
	mostFlips  = 14 // of all of them
)

// passes is all choices as in a run that had the other outcome.
func (a seeded) passes() []search.Plan {
	if seed := a.b.other(a.seed); seed != 0 {
		return []search.Plan{{seeded{b: a.b, seed: seed}}}
	}
	return nil
}

// The choices of one block follow a seed.
type pin struct {
	search.Whole
	b   *bench
	act freedom.Act
}

func (a pin) add(t *Trial)       { t.acts(a.act) }
func (a pin) Surely() search.Act { return a }

// Without is all choices by a seed of the other outcome: those of blocks that have one of their own follow that.
func (a pin) Without() search.Act {
	if seed := a.b.other(a.act.Seed); seed != 0 {
		return seeded{b: a.b, seed: seed}
	}
	return nil
}

func (a pin) Opposites() (list []search.Plan) {
	for _, seed := range a.b.otherwise(a.act.Seed) {
		next := a
		next.act = a.act.Seeded(seed)
		list = append(list, search.Plan{next})
	}
	return list
}

// flips is how many seeds are tried for another choice.
const flips = 6

// otherwise returns seeds by which a choice may be another one: of a run with the other outcome, and any.
func (b *bench) otherwise(seed uint64) (list []uint64) {
	if other := b.other(seed); other != 0 {
		list = append(list, other)
	}
	for i := range flips {
		list = append(list, b.seed("flip", i))
	}
	return list
}

func (a pin) Elsewhere() (list []search.Act) {
	for _, d := range a.b.p.Draws {
		x := drawSite{d.Kind, d.Block}
		if draws(d.Kind) && d.Block != a.act.At.Block && !a.b.initializes(x) {
			next := a
			next.act = freedom.Pin(d.Kind, a.act.Seed, d.Block)
			list = append(list, next)
		}
	}
	return list
}

// Partners are the choices of other blocks.
func (a pin) Partners() (list []search.Act) {
	for _, d := range a.b.p.Draws {
		if draws(d.Kind) && d.Block != a.act.At.Block && d.Block != 0 {
			next := a
			next.act = freedom.Pin(d.Kind, a.act.Seed, d.Block)
			list = append(list, next)
		}
	}
	return list
}

// A turn is an order of two events that is forced.
type turn struct {
	search.Whole
	o           *ordering
	hold, until Site
	then        Site // of the pair
	amid        Site // that waits until the other one is there, so that it comes while that is held; zero for none
	opposite    bool
}

func (a turn) add(t *Trial) {
	t.acts(a.o.order(a.hold, a.until))
	if a.amid.Block != 0 {
		t.acts(a.o.order(a.amid, a.hold))
	}
}

func (a turn) Surely() search.Act { return a }

// Opposites are the other order, by holding the one that comes first where it is or where it can be held before. Where
// the other one is late it may have to end, or its position decides.
func (a turn) Opposites() (list []search.Plan) {
	waits := func(hold, until Site) turn {
		return turn{o: a.o, hold: hold, until: until, then: a.then, opposite: true}
	}
	for _, first := range a.o.first {
		list = append(list, search.Plan{waits(first, a.o.afterThen)})
	}
	if !a.o.late {
		return list
	}
	for _, first := range a.o.first {
		list = append(list, search.Plan{waits(first, a.then.goroutine().site())})
	}
	all, err := a.o.b.visitedBy(a.then.goroutine())
	if err != nil || !slices.Contains(all, a.then) {
		return list
	}
	for _, next := range firstVisits(all, a.then) {
		meets := waits(next, a.o.afterPassing)
		meets.amid = a.o.first[0]
		list = append(list, search.Plan{meets})
	}
	return list
}

// Elsewhere the one that waits waits for an earlier step of the other.
func (a turn) Elsewhere() (list []search.Act) {
	all, err := a.o.b.visitedBy(a.o.first[0].goroutine())
	if err != nil {
		return nil
	}
	for _, other := range all[:min(len(all), maxShams)] {
		if other != a.o.first[0] {
			next := a
			next.until = other
			list = append(list, next)
		}
	}
	return list
}

// A decision of the system is set.
type setting struct {
	search.Whole
	b     *bench
	act   freedom.Act
	least time.Duration // that a timer must be late, if it is later; 0 for all else
}

func (a setting) add(t *Trial) { t.acts(a.act) }

// late returns how late a timer is, 0 for all else.
func (a setting) late() time.Duration {
	if a.act.What == freedom.TimerLate {
		return time.Duration(a.act.Value)
	}
	return 0
}

func (a setting) Weaker() search.Act {
	if a.act.What == freedom.QuotaMost {
		return a.withQuota(a.act.Value * weakenQuota)
	}
	if a.late()/weaken < minDose {
		return nil
	}
	a.act = a.act.Dosed(round(a.late() / weaken))
	return a
}

// withQuota is another quota, nil where it is no limit.
func (a setting) withQuota(percent int64) search.Act {
	if percent >= wholeCPU {
		return nil
	}
	a.act = freedom.Quota(max(percent, leastQuota))
	return a
}

func (a setting) Between(weaker search.Act) search.Act {
	late, ok := between(a.late(), weaker.(setting).late())
	if !ok {
		return nil
	}
	a.act = a.act.Dosed(late)
	return a
}

func (a setting) Surely() search.Act {
	if a.act.What == freedom.QuotaMost {
		return a.withQuota(a.act.Value / weakenQuota)
	}
	if a.least = a.late(); a.least > 0 {
		a.act = a.act.Dosed(times(a.least, factor))
	}
	return a
}

// Parts are the blocks for which something is set that is set for all.
func (a setting) Parts(done any) (list []search.Act) {
	o, ok := done.(*Outcome)
	if !ok || a.act.What != freedom.ReadMost || a.act.At.Block != 0 {
		return nil
	}
	for _, d := range o.Draws {
		part := setting{b: a.b, act: a.act.Moved(freedom.Position{Block: d.Block})}
		if d.Kind == a.act.Kind && a.b.Sites.Has(int(d.Block)) && !slices.Contains(list, search.Act(part)) {
			list = append(list, part)
		}
	}
	return list
}

// Opposites are the other values that show that this one decides.
func (a setting) Opposites() (list []search.Plan) {
	for _, x := range a.act.Opposites(a.b.guess(a.act.Kind.String())) {
		list = append(list, search.Plan{setting{b: a.b, act: x}})
	}
	return list
}

// Elsewhere is the same in another block that asks for such a thing.
func (a setting) Elsewhere() (list []search.Act) {
	if a.act.At.Block == 0 {
		return nil
	}
	for _, block := range a.b.askers(a.act.Kind) {
		if block != a.act.At.Block {
			list = append(list, setting{b: a.b, act: a.act.Moved(freedom.Position{Block: block})})
		}
	}
	return list
}

const maxReduced = 400 // acts of a run that are looked into

// A place where a choice is made by chance.
type drawSite struct {
	kind  trace.ActKind
	block uint32
}

// drawSites returns the blocks that make choices, in the runs so far or in that one, in the order in which they begin
// to.
func (b *bench) drawSites(o *Outcome) []drawSite {
	var list []drawSite
	for _, d := range append(slices.Clone(b.p.Draws), o.Draws...) {
		x := drawSite{d.Kind, d.Block}
		if draws(d.Kind) && d.Block != 0 && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// initializes reports whether a choice is made by the initialization of a package: before the test
// begins another one says nothing of the test.
func (b *bench) initializes(x drawSite) bool {
	if !b.Sites.Has(int(x.block)) {
		return false
	}
	return trace.InInit(b.Sites.Funcs[b.Sites.Blocks[x.block].Func].Name)
}

func ptr[T any](v T) *T { return &v }
