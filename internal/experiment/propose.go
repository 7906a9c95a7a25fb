package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// Probabilities of proposals, before any run was made for them. The freedoms share the runs by that of the best which
// each has left.
const (
	ofFact      = 0.4  // a cause that recorded runs show, if it can't be chance
	ofCandidate = 0.4  // a trial that failed in another process, the first
	ofPair      = 0.3  // an order that differs by outcome, the first
	ofSuggested = 0.25 // a place that a hint is about, the first
	nextOne     = 0.85 // factor for each one after the first
	ofSeed      = 0.2  // a seed with which a recorded run failed
	ofTests     = 0.3  // other tests, where recorded runs or hints say so
	ofMeeting   = 0.05 // a meeting, the first

	// Where nothing is known 60 of 100 runs are holds, for as long as there are any: 48 for the 32 of all kinds but limits, tests
	// and load, which soon end. Each has one, and one more for each of the 35 tests of testdata/corpus that it explains.
	ofHold      = 0.048
	ofLimit     = 0.010 // 9 tests
	ofChoice    = 0.007 // 6
	ofClock     = 0.005 // 4
	ofTimer     = 0.005 // 4
	ofCollector = 0.005 // 4
	ofListing   = 0.005 // 4
	ofRead      = 0.004 // 3
	ofSuite     = 0.002 // 1
	ofSelect    = 0.001 // with choices, while somebody is held before it
	ofLoad      = 0.001 // a failure with it often has a better explanation
)

// lesser is the probability of the i-th of some guesses, by that of the first.
func lesser(first float64, i int) float64 { return first * math.Pow(nextOne, float64(i)) }

// prior is the probability that a hint is right: that of its kind, or more if recorded runs show it.
func (h *Hint) prior(ofKind float64) float64 {
	if h.P == 0 {
		return ofKind
	}
	return max(ofKind, ofFact*(1-h.P/(2*mostP)))
}

const mostP = 0.2 // corrected p-value of a hint at most

// A proposer proposes causes.
type proposer func() []search.Proposal

func (f proposer) Propose() []search.Proposal { return f() }

// freedoms returns those that are to be tried. If the proposals of one fail, it has none: they are only guesses.
func (b *bench) freedoms() (list []search.Proposer) {
	if len(b.Candidates) > 0 {
		return []search.Proposer{proposer(b.proposeCandidates)}
	}
	for _, f := range []struct {
		kinds   []string
		propose proposer
	}{
		{[]string{"tests"}, b.proposeTests},
		{[]string{"select", "map", "rand"}, b.proposeSeeds},
		{[]string{"order"}, b.proposeOrders},
		{[]string{"stall"}, b.proposeHolds},
		{[]string{"stall"}, b.proposeSelects},
		{[]string{"clock"}, b.proposeFacts},
		{[]string{"clock"}, b.proposeClock},
		{[]string{"timer"}, b.proposeWhere("timer", ofTimer)},
		{[]string{"read"}, b.proposeReads},
		{[]string{"dir"}, b.proposeWhere("dir", ofListing)},
		{[]string{"gc"}, b.proposeCollections},
		{[]string{"limits"}, b.proposeLimits},
		{[]string{"limits"}, b.proposeLoad},
	} {
		if b.does(f.kinds...) {
			list = append(list, f.propose)
		}
	}
	return list
}

// does reports whether any of some kinds of perturbation is to be tried.
func (e *Experimenter) does(kinds ...string) bool {
	return e.Kinds == nil || slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(e.Kinds, k) })
}

// proposeEach proposes acts with a probability.
func proposeEach(acts []search.Act, prior float64) (list []search.Proposal) {
	for _, a := range acts {
		list = append(list, search.Proposal{Fails: search.Plan{a}, Passes: only(a.Opposites(), a), Prior: prior})
	}
	return list
}

// maxPasses is how many opposites of a proposal are proposed for a test that fails anyway.
const maxPasses = 2

// only returns the first opposites that are not the act with something added.
func only(list []search.Plan, a search.Act) []search.Plan {
	list = slices.DeleteFunc(list, func(p search.Plan) bool { return slices.Contains(p, a) })
	return list[:min(len(list), maxPasses)]
}

// seed returns the i-th seed for a purpose.
func (b *bench) seed(purpose string, i int) uint64 {
	r := rand.New(rand.NewPCG(b.Seed, uint64(i)))
	for _, c := range purpose {
		r = rand.New(rand.NewPCG(r.Uint64(), uint64(c)))
	}
	return r.Uint64()
}

const (
	selectSeeds = 8 // for each visit of a select
	pinSeeds    = 200
)

// proposeSeeds has the choices that hints name, and all, follow those of recorded runs, and then other seeds. A first run
// shows whether the program makes any.
func (b *bench) proposeSeeds() (list []search.Proposal) {
	failing := b.failingSeeds()
	first := b.seed("pin", 0)
	if len(failing) > 0 {
		first = failing[0].Seed
	}
	o, err := b.run(b.ctx, do(freedom.Pins(first)...), false)
	if err != nil {
		return nil
	}
	if b.p.addDraws(o.Draws); len(failing) == 0 && !slices.ContainsFunc(b.p.Draws, decides) {
		return nil
	}
	for i, r := range failing {
		a := seeded{b: b, seed: r.Seed}
		list = append(list, search.Proposal{Fails: search.Plan{a}, Passes: a.passes(),
			Prior: ofSeed * math.Pow(0.5, float64(i))})
	}
	list = append(list, b.proposeHinted(failing)...)
	for i := range pinSeeds {
		list = append(list, search.Proposal{Fails: search.Plan{seeded{b: b, seed: b.seed("pin", i)}}, Prior: ofChoice})
	}
	return list
}

// decides reports whether a draw may be one of the program: package testing makes maps before its first statement.
func decides(d trace.Draw) bool { return draws(d.Kind) && (d.Block != 0 || d.Kind != trace.ActMap) }

// proposeHinted has single choices that hints name follow the seed of a run that failed.
func (b *bench) proposeHinted(failing []Recorded) (list []search.Proposal) {
	for _, h := range b.hints() {
		for _, d := range b.p.Draws {
			if !h.Draw || !draws(d.Kind) || !h.touches(b.Sites, int(d.Block)) || len(failing) == 0 {
				continue
			}
			a := pin{b: b, act: freedom.Pin(d.Kind, failing[0].Seed, d.Block)}
			list = append(list, search.Proposal{Fails: search.Plan{a}, Passes: a.Opposites(),
				Prior: lesser(h.prior(ofSuggested), len(list))})
		}
	}
	return list
}

// proposeOrders forces pairs of events that hints name.
func (b *bench) proposeOrders() (list []search.Proposal) {
	n := 0
	for i := range b.Hints {
		p := b.Hints[i].Pair
		if p == nil || p.Moved.ID == 0 || p.Seen.ID == 0 || n == maxPairsTried {
			continue
		}
		o, err := b.ordering(p)
		if err != nil {
			continue
		}
		prior := lesser(b.Hints[i].prior(ofPair), n)
		n++
		for k, then := range o.then {
			after := turn{o: o, hold: then, until: o.afterFirst, then: then}
			list = append(list, after.proposal(prior*math.Pow(0.5, float64(k))))
			for j := 0; o.late && j < min(len(o.first), 2); j++ {
				// the other one may come too soon: it waits until the late one is there
				after.amid = o.first[j]
				list = append(list, after.proposal(prior*math.Pow(0.5, float64(k+1))))
			}
		}
	}
	return append(list, b.proposeMeetings()...)
}

func (a turn) proposal(prior float64) search.Proposal {
	return search.Proposal{Fails: search.Plan{a}, Passes: a.Opposites(), Prior: prior}
}

// proposeMeetings has the events at which runs part, as far as hints name them, come while another goroutine is at one
// position or another: its position decides if the test looks at its results again and again.
func (b *bench) proposeMeetings() (list []search.Proposal) {
	lists, err := b.meetings()
	if err != nil {
		return nil
	}
	for _, turns := range lists {
		for i, a := range turns {
			list = append(list, a.proposal(lesser(ofMeeting/float64(len(lists)), i)))
		}
	}
	return list
}

// selectVisits is how many visits of a select are tried with seeds.
const selectVisits = 4

// proposeSelects holds a goroutine right before its selects while choices follow seeds: meanwhile several cases may
// become ready, and one is taken at random.
func (b *bench) proposeSelects() (list []search.Proposal) {
	for _, site := range b.p.Sites() {
		if len(b.p.chose[siteKey{site.Class, site.Block}]) == 0 {
			continue
		}
		some := b.someVisits(site)
		for _, visit := range some[:min(len(some), selectVisits)] {
			for i := range selectSeeds {
				list = append(list, search.Proposal{Fails: search.Plan{b.hold(visit, sweepDose),
					seeded{b: b, seed: b.seed("pin", i)}}, Prior: ofSelect})
			}
		}
	}
	return list
}

// concurrent reports whether more than one goroutine ran code with probes: else there
// is no order that could differ.
func (b *bench) concurrent() bool { return len(b.p.Goroutines) > 1 }

// proposeClock starts the test at phases of each unit of the clock, and sets other clocks, dates and time zones, in turn.
func (b *bench) proposeClock() (list []search.Proposal) {
	if is, err := b.readsClock(); err != nil || !is {
		return nil
	}
	units := b.limitsUpTo(5*time.Millisecond, quickUnit)
	units = append(units[:min(len(units), mostUnits)], 10*time.Millisecond, 100*time.Millisecond, time.Second)
	var lists [][][]freedom.Act
	for i, unit := range units {
		if !slices.Contains(units[:i], unit) {
			lists = append(lists, b.phasesIn(unit))
		}
	}
	for _, acts := range inTurn(append(lists, slices.Concat(b.grains(), b.dates(), b.zones()))) {
		if plan := search.Plan(b.settings(acts)); b.oneClock(acts) {
			list = append(list, search.Proposal{Fails: plan, Passes: only(plan[0].Opposites(), plan[0]), Prior: ofClock})
		}
	}
	return list
}

// proposeFacts proposes settings of the values that recorded runs show to differ by outcome.
func (b *bench) proposeFacts() (list []search.Proposal) {
	if !slices.ContainsFunc(b.hints(), func(h Hint) bool { return len(h.Fails) > 0 }) || b.survey() != nil {
		return nil
	}
	for _, h := range b.hints() {
		var passes []search.Plan
		for _, acts := range h.Passes {
			if b.oneClock(acts) {
				passes = append(passes, b.settings(acts))
			}
		}
		for i, acts := range h.Fails {
			if b.oneClock(acts) {
				list = append(list, search.Proposal{Fails: b.settings(acts), Passes: passes,
					Prior: lesser(h.prior(ofFact), 3*i)})
			}
		}
	}
	return list
}

func (b *bench) settings(acts []freedom.Act) (list []search.Act) {
	for _, a := range acts {
		list = append(list, setting{b: b, act: a})
	}
	return list
}

const (
	maxReadings = 20 // blocks that ask for one thing, for these to be tried one by one
	maxAskers   = 5  // for all of them to be named
)

// proposeReads has reads return less.
func (b *bench) proposeReads() []search.Proposal {
	list := b.proposeWhere("read", ofRead)()
	if len(b.askers(trace.ActRead)) > 1 {
		list = append(list, proposeEach(b.settings([]freedom.Act{freedom.Most(0, 1)}), ofRead)...)
	}
	return list
}

// proposeLimits proposes limits on the resources of the machine.
func (b *bench) proposeLimits() []search.Proposal {
	list := b.proposeWhere("limits", ofLimit)()
	acts := []freedom.Act{freedom.Files(fewFiles)}
	for _, m := range freedom.Machines() {
		if b.alwaysFails() || b.asksFor(m.Asks()) {
			acts = append(acts, m)
		}
	}
	return append(list, proposeEach(b.settings(acts), ofLimit)...)
}

const (
	quota       = 10  // percent of a CPU that are proposed, which containers may have
	leastQuota  = 5   // that are left at least
	wholeCPU    = 100 // percent
	besideEach  = 4   // programs that compute for each CPU
	weakenQuota = 2   // by how much a quota is made greater at once
)

// proposeLoad makes the machine busy. A test that fails anyway does so on one that is idle.
func (b *bench) proposeLoad() []search.Proposal {
	if !runner.CanLoad() || b.alwaysFails() {
		return nil
	}
	return proposeEach(b.settings([]freedom.Act{freedom.Quota(quota), freedom.Beside(besideEach)}), ofLoad)
}

// proposeWhere proposes settings for each block that asks for something of a kind: those that a hint is about are more
// probable.
func (b *bench) proposeWhere(kind string, of float64) proposer {
	return func() (list []search.Proposal) {
		if err := b.survey(); err != nil {
			return nil
		}
		k, guess := freedom.Of(kind), b.guess(kind)
		blocks := b.askers(k.Act())
		for _, block := range blocks[:min(len(blocks), maxReadings)] {
			prior := of
			if slices.ContainsFunc(b.hints(), func(h Hint) bool { return h.touches(b.Sites, int(block)) }) {
				prior = ofSuggested
			}
			list = append(list, proposeEach(b.settings(k.Tries(block, guess)), prior)...)
		}
		return list
	}
}

// guess returns the values for acts of a kind where nothing is known.
func (b *bench) guess(kind string) freedom.Guess {
	return freedom.Guess{Dose: sweepDose, Seed: func(i int) int64 { return int64(b.seed(kind, i) >> 1) }}
}

// proposeCollections has no garbage collected, much, and some at one position, where the code depends on it.
func (b *bench) proposeCollections() []search.Proposal {
	if !b.dependsOnCollector() {
		return nil
	}
	acts := b.settings([]freedom.Act{freedom.Collector(freedom.GCOff), freedom.Collector(freedom.GCOften)})
	for _, site := range b.collectorSites() {
		acts = append(acts, collected{b: b, site: site})
	}
	return proposeEach(acts, ofCollector)
}

// maxCollected is how many positions are proposed for a collection.
const maxCollected = 100

// collectorSites returns the positions of holds and then all others of the test's goroutines, since garbage
// may be collected also where no other goroutine would notice a hold.
func (b *bench) collectorSites() []Site {
	list := b.p.Sites()
	for _, g := range b.p.Goroutines {
		if len(g.Sites) == 0 || g.Test == "" {
			continue
		}
		all, err := b.positions(g.Sites[0])
		if err != nil {
			continue // without its trace there is nothing to add
		}
		for _, site := range all {
			same := func(o Site) bool { return o.Class == site.Class && o.Event == site.Event }
			if len(list) < maxCollected && !slices.ContainsFunc(list, same) {
				list = append(list, site)
			}
		}
	}
	return list[:min(len(list), maxCollected)]
}
