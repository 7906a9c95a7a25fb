package experiment

import (
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	engine "github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// A deed is an act as a trial has it.
type deed interface {
	engine.Act
	add(t *Trial)
}

// A held goroutine.
type held struct {
	engine.Whole
	b     *bench
	site  Site
	dose  time.Duration
	least time.Duration // the shortest that sufficed, if dose is longer
}

func (b *bench) hold(site Site, dose time.Duration) held {
	return held{b: b, site: site, dose: dose, least: dose}
}

func (a held) add(t *Trial)         { t.acts(a.site.stall(a.dose)) }
func (a held) Takes() time.Duration { return a.dose }

// weaken is by how much a dose is made shorter at once: by as much as replays make it longer.
const weaken = factor

func (a held) Weaker() engine.Act {
	if a.dose/weaken < minDose {
		return nil
	}
	return a.b.hold(a.site, round(a.dose/weaken))
}

func (a held) Surely() engine.Act {
	a.dose = times(a.least, factor)
	return a
}

func (a held) Moved(n int) engine.Act {
	all, err := a.b.positions(a.site)
	i := indexOf(all, a.site)
	if err != nil || i < 0 || i+n < 0 || i+n >= len(all) {
		return nil
	}
	a.site = all[i+n]
	return a
}

const (
	earlyOfClass = 6  // positions of a class at which another goroutine is held too
	earlyInAll   = 16 // of all
	cureHolds    = 8  // at which one is held in its place
)

// Opposites are another goroutine that is held too, for longer, so that it does not come too early; and
// one that is held in place of this one.
func (a held) Opposites() (list []engine.Plan) {
	own := &Finding{sites: []Site{a.site}}
	s := &earlySearch{search: a.b.search, f: own}
	for _, class := range s.otherClasses() {
		sites := s.sitesOf(class)
		for i := 0; i < len(sites) && len(list) < earlyInAll; i += max(1, len(sites)/earlyOfClass) {
			list = append(list, engine.Plan{a, a.b.hold(sites[i], earlyLonger*a.dose)})
		}
	}
	cures := a.b.cureSites(own)
	for _, site := range cures[:min(len(cures), cureHolds)] {
		list = append(list, engine.Plan{a.b.hold(site, max(a.dose, sweepDose))})
	}
	return list
}

// Elsewhere are other positions of the goroutine, and of others.
func (a held) Elsewhere() (list []engine.Act) {
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

// All choices follow a seed.
type seeded struct {
	engine.Whole
	b    *bench
	seed uint64
}

func (a seeded) add(t *Trial)       { t.acts(perturb.Pins(a.seed)...) }
func (a seeded) Surely() engine.Act { return a }

func (a seeded) Parts(done any) (list []engine.Act) {
	o, ok := done.(*Outcome)
	if !ok {
		return nil
	}
	for _, x := range a.b.drawSites(o) {
		list = append(list, pin{b: a.b, act: perturb.Pin(x.kind, a.seed, x.block)})
	}
	return list
}

func (a seeded) Opposites() []engine.Plan {
	if seed := a.b.other(a.seed); seed != 0 {
		return []engine.Plan{{seeded{b: a.b, seed: seed}}}
	}
	return nil
}

// The choices of one block follow a seed.
type pin struct {
	engine.Whole
	b   *bench
	act perturb.Act
}

func (a pin) add(t *Trial)       { t.acts(a.act) }
func (a pin) Surely() engine.Act { return a }

// Without is all choices by a seed of the other outcome: those of blocks that have one of their own follow that.
func (a pin) Without() engine.Act {
	if seed := a.b.other(a.act.Seed); seed != 0 {
		return seeded{b: a.b, seed: seed}
	}
	return nil
}

func (a pin) Opposites() []engine.Plan {
	if seed := a.b.other(a.act.Seed); seed != 0 {
		next := a
		next.act = a.act.Seeded(seed)
		return []engine.Plan{{next}}
	}
	return nil
}

func (a pin) Elsewhere() (list []engine.Act) {
	for _, d := range a.b.p.Draws {
		x := drawSite{d.Kind, d.Block}
		if draws(d.Kind) && d.Block != a.act.At.Block && !a.b.initializes(x) {
			next := a
			next.act = perturb.Pin(d.Kind, a.act.Seed, d.Block)
			list = append(list, next)
		}
	}
	return list
}

// Goroutines are held at random events.
type scattered struct {
	engine.Whole
	b   *bench
	act perturb.Act
}

func (a scattered) add(t *Trial)         { t.acts(a.act) }
func (a scattered) Surely() engine.Act   { return a }
func (a scattered) Takes() time.Duration { return a.act.Dose }

func (a scattered) Parts(done any) (list []engine.Act) {
	o, ok := done.(*Outcome)
	if !ok {
		return nil
	}
	sites, doses := stallsOf(o)
	if len(sites) > maxReduced {
		return nil
	}
	for i, site := range sites {
		list = append(list, a.b.hold(site, max(doses[i], reduceDose)))
	}
	return list
}

// A turn is an order of two events that is forced.
type turn struct {
	engine.Whole
	o           *ordering
	hold, until Site
	then        Site // of the pair
	opposite    bool
}

func (a turn) add(t *Trial)       { t.acts(a.o.order(a.hold, a.until)) }
func (a turn) Surely() engine.Act { return a }

// Opposites are the other order, by holding the one that comes first where it is or where it can be held before.
func (a turn) Opposites() (list []engine.Plan) {
	for _, first := range a.o.first {
		list = append(list, engine.Plan{turn{o: a.o, hold: first, until: a.o.afterThen, then: a.then, opposite: true}})
	}
	return list
}

// Elsewhere the one that waits waits for what the other does before.
func (a turn) Elsewhere() (list []engine.Act) {
	all, err := a.o.s.visitedBy(a.o.first[0].goroutine())
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

// What the system decides is set.
type setting struct {
	engine.Whole
	b   *bench
	act perturb.Act
}

func (a setting) add(t *Trial) { t.acts(a.act) }

func (a setting) Surely() engine.Act { return a }

func (a setting) Takes() time.Duration { return a.act.Waits() / 2 }

// Opposites are the other values that tell what it is.
func (a setting) Opposites() (list []engine.Plan) {
	add := func(x perturb.Act) { list = append(list, engine.Plan{setting{b: a.b, act: x}}) }
	switch x := a.act; x.What {
	case perturb.ClockPhase:
		for _, part := range []int64{2, 4} {
			add(perturb.Phase(time.Duration(x.Unit), time.Duration((x.Value+x.Unit/part)%x.Unit)))
		}
	case perturb.TimerLate:
		add(perturb.Late(x.At.Block, time.Duration(x.Value/10)))
	case perturb.GCOff:
		add(perturb.Collector(perturb.GCOften))
	case perturb.GCOften:
		add(perturb.Collector(perturb.GCOff))
	case perturb.ReadMost:
		add(perturb.Most(x.At.Block, math.MaxInt32))
	case perturb.DirOrder:
		for i := range dirOrders {
			add(perturb.Entries(x.At.Block, int64(a.b.seed("dir", i)>>1)))
		}
	case perturb.PortTaken:
		add(perturb.Port(x.At.Block, perturb.PortFree))
	case perturb.FilesMost:
		add(perturb.Files(math.MaxInt32))
	case perturb.NetworkNone, perturb.TempFresh, perturb.HomeFresh, perturb.HomeNone:
		add(perturb.Machine(perturb.AsItIs))
	}
	return slices.DeleteFunc(list, func(p engine.Plan) bool { return p[0] == engine.Act(a) })
}

// Elsewhere is the same in another block that asks for such a thing.
func (a setting) Elsewhere() (list []engine.Act) {
	if a.act.At.Block == 0 {
		return nil
	}
	for _, block := range a.b.askers(a.act.Kind) {
		if block != a.act.At.Block {
			list = append(list, setting{b: a.b, act: a.act.Moved(perturb.Position{Block: block})})
		}
	}
	return list
}

// All other tests run in the process, or one does before.
type (
	suite struct {
		engine.Whole
		b       *bench
		shuffle int64
	}
	after struct {
		engine.Whole
		b       *bench
		test    string
		shuffle int64
	}
	alone struct{ engine.Whole }
)

func (a suite) add(t *Trial) {
	t.Before, t.Shuffle = without(a.b.Tests, a.b.Test), a.shuffle
}
func (a suite) Surely() engine.Act       { return a }
func (a suite) Opposites() []engine.Plan { return []engine.Plan{{alone{}}} }
func (a suite) Takes() time.Duration     { return time.Duration(len(a.b.Tests)) * a.b.usualTime() / 4 }
func (a suite) Parts(any) (list []engine.Act) {
	for _, t := range without(a.b.Tests, a.b.Test) {
		list = append(list, after{b: a.b, test: t, shuffle: a.shuffle})
	}
	return list
}

func (a after) add(t *Trial) {
	t.Before, t.Shuffle = append(slices.Clip(t.Before), a.test), a.shuffle
}
func (a after) Surely() engine.Act       { return a }
func (a after) Opposites() []engine.Plan { return []engine.Plan{{alone{}}} }
func (a after) Elsewhere() (list []engine.Act) {
	for _, t := range without(without(a.b.Tests, a.b.Test), a.test) {
		next := a
		next.test = t
		list = append(list, next)
	}
	return list
}

func (alone) add(*Trial)         {}
func (alone) Surely() engine.Act { return alone{} }

// asksFor returns the blocks that ask for something of a kind.
func (b *bench) asksFor(kind trace.ActKind) []uint32 {
	list := b.askers(kind)
	return list[:min(len(list), maxReadings)]
}
