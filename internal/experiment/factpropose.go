package experiment

import (
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	engine "github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// Probabilities of what is proposed, before any run was made for it. Those of a list are divided
// among what is in it.
const (
	ofFact      = 0.4  // what recorded runs show to decide, the first
	ofPair      = 0.3  // an order that differs by outcome, the first
	ofSuggested = 0.25 // a place that a hint is about, the first
	nextHint    = 0.85 // factor for each hint after the first
	ofSeed      = 0.2  // a seed with which a recorded run failed
	ofTests     = 0.3  // other tests, where recorded runs or hints say so
	ofSuite     = 0.02 // other tests, where nothing says so
	ofSweep     = 0.3  // some hold
	ofClass     = 0.05 // some hold of all of a class
	ofVisit     = 0.1  // some hold at a later visit
	ofLong      = 0.03 // some long hold
	ofClock     = 0.05 // some phase of a unit of the clock
	ofCalendar  = 0.02
	ofSystem    = 0.02 // each thing that the system decides
	ofScatter   = 0.1  // some holds at random
	ofPins      = 0.1  // some of the first seeds
	ofMorePins  = 0.05
	ofMeeting   = 0.05 // some meeting
	briefly     = 0.02 // what is at least as probable is tried in a brief search
)

// A freedom proposes what may decide.
type freedom func() []engine.Proposal

func (f freedom) Propose() []engine.Proposal { return f() }

// freedoms returns those that are to be tried. What can't be found out is not proposed: it is only a guess.
func (b *bench) freedoms() (list []engine.Freedom) {
	for _, f := range []struct {
		kinds   []string
		propose freedom
	}{
		{[]string{"tests"}, b.proposeTests},
		{[]string{"select", "map", "rand"}, b.proposeSeeds},
		{[]string{"order"}, b.proposeOrders},
		{[]string{"stall"}, b.proposeHolds},
		{[]string{"stall", "yield"}, b.proposeScatter},
		{[]string{"clock"}, b.proposeClock},
		{[]string{"timer", "gc", "read", "dir", "limits"}, b.proposeSystem},
	} {
		if b.does(f.kinds...) {
			list = append(list, b.briefly(f.propose))
		}
	}
	return list
}

// briefly leaves out of what is proposed what is not worth it in a brief search.
func (b *bench) briefly(f freedom) freedom {
	if !b.brief {
		return f
	}
	return func() []engine.Proposal {
		return slices.DeleteFunc(f(), func(p engine.Proposal) bool { return p.Prior < briefly })
	}
}

// each proposes acts, with a probability that is divided among them.
func proposeEach(acts []engine.Act, prior float64) (list []engine.Proposal) {
	for _, a := range acts {
		list = append(list, engine.Proposal{Fails: engine.Plan{a}, Passes: only(a.Opposites(), a), Prior: prior / float64(len(acts))})
	}
	return list
}

// maxPasses is how many opposites of a proposal are proposed for what fails anyway.
const maxPasses = 2

// only returns the first opposites that are not the act with something added.
func only(list []engine.Plan, a engine.Act) []engine.Plan {
	list = slices.DeleteFunc(list, func(p engine.Plan) bool { return slices.Contains(p, a) })
	return list[:min(len(list), maxPasses)]
}

func (b *bench) proposeTests() []engine.Proposal {
	if len(b.Tests) < 2 {
		return nil
	}
	prior, shuffle := ofSuite, int64(0)
	if namesTests(b.hints()) {
		prior = ofTests
	}
	for i := range b.Recorded {
		if r := &b.Recorded[i]; r.Failed && r.Shuffle != 0 {
			prior, shuffle = ofTests, r.Shuffle
			break
		}
	}
	list := []engine.Proposal{{Fails: engine.Plan{suite{b: b, shuffle: shuffle}}, Passes: []engine.Plan{{alone{}}}, Prior: prior}}
	for i, t := range b.hintedTests(without(b.Tests, b.Test)) {
		list = append(list, engine.Proposal{Fails: engine.Plan{after{b: b, test: t, shuffle: shuffle}}, Passes: []engine.Plan{{alone{}}}, Prior: ofTests * math.Pow(nextHint, float64(i))})
	}
	return list
}

// proposeSeeds has all choices follow those of recorded runs, and other seeds. That choices which were made
// as in a run that failed do not fail again speaks against all choices.
func (b *bench) proposeSeeds() (list []engine.Proposal) {
	for i, r := range b.failingSeeds() {
		a := seeded{b: b, seed: r.Seed}
		list = append(list, engine.Proposal{Fails: engine.Plan{a}, Passes: a.Opposites(), Prior: ofSeed * math.Pow(0.5, float64(i)), Against: 0.3})
	}
	some := func(from, to int, prior float64) {
		for i := from; i < to; i++ {
			list = append(list, engine.Proposal{Fails: engine.Plan{seeded{b: b, seed: b.seed("pin", i)}}, Prior: prior / float64(to-from)})
		}
	}
	some(0, pinSeeds, ofPins)
	some(pinSeeds, morePinSeeds, ofMorePins)
	return list
}

// proposeOrders forces pairs of events that hints name.
func (b *bench) proposeOrders() (list []engine.Proposal) {
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
		prior := ofPair * math.Pow(nextHint, float64(n))
		n++
		for k, then := range o.then {
			list = append(list, o.proposal(prior*math.Pow(0.5, float64(k)), turn{o: o, hold: then, until: o.afterFirst, then: then}))
			for j := 0; o.late && j < min(len(o.first), 2); j++ {
				first := o.first[j]
				list = append(list, o.proposal(prior*math.Pow(0.5, float64(k+1)),
					turn{o: o, hold: then, until: o.afterFirst, then: then}, turn{o: o, hold: first, until: then, then: then}))
			}
		}
	}
	return append(list, b.proposeMeetings()...)
}

func (o *ordering) proposal(prior float64, turns ...engine.Act) engine.Proposal {
	return engine.Proposal{Fails: turns, Passes: turns[0].Opposites(), Prior: prior}
}

func (b *bench) proposeMeetings() (list []engine.Proposal) {
	all, err := b.meetings()
	if err != nil {
		return nil
	}
	for _, m := range all {
		list = append(list, m.proposal(ofMeeting/float64(len(all)),
			turn{o: m.ordering, hold: m.then, until: m.afterFirst, then: m.then}, turn{o: m.ordering, hold: m.first[0], until: m.then, then: m.then}))
	}
	return list
}

// proposeHolds holds one goroutine: where hints say, at each position, and longer.
func (b *bench) proposeHolds() (list []engine.Proposal) {
	holds := func(sites []Site, dose time.Duration, prior float64) {
		for _, site := range sites {
			list = append(list, engine.Proposal{Fails: engine.Plan{b.hold(site, dose)}, Prior: prior / float64(len(sites))})
		}
	}
	suggested := b.suggestedSites()
	for i, site := range suggested {
		list = append(list, engine.Proposal{Fails: engine.Plan{b.hold(site, sweepDose)}, Prior: ofSuggested * math.Pow(nextHint, float64(i))})
	}
	all := b.p.Sites()
	holds(slices.DeleteFunc(slices.Clone(all), func(site Site) bool { return slices.Contains(suggested, site) }), sweepDose, ofSweep)
	holds(b.classSites(), sweepDose, ofClass)
	if later, err := b.laterSites(); err == nil {
		holds(later, sweepDose, ofVisit)
	}
	holds(all, b.longDose(), ofLong)
	return list
}

// proposeScatter holds goroutines at random events.
func (b *bench) proposeScatter() []engine.Proposal {
	if !b.concurrent() {
		return nil
	}
	var acts []engine.Act
	for i := range stallRuns {
		acts = append(acts, scattered{b: b, act: b.randomStalls(i)})
	}
	return proposeEach(acts, ofScatter)
}

// proposeClock sets when the test starts.
func (b *bench) proposeClock() (list []engine.Proposal) {
	if is, err := b.readsClock(); err != nil || !is {
		return nil
	}
	units := append(b.limitsUpTo(5*time.Millisecond, quickUnit), 10*time.Millisecond, 100*time.Millisecond, secondUnit)
	slices.Sort(units)
	for _, unit := range slices.Compact(units) {
		list = append(list, proposeEach(b.settings(b.phasesIn(unit)), ofClock)...)
	}
	var trials []perturb.Act
	for _, t := range b.oneClock(slices.Concat(b.grains(), b.dates(), b.zones())) {
		if len(t.Plan.Acts) == 1 {
			trials = append(trials, t.Plan.Acts[0])
		}
	}
	return append(list, proposeEach(b.settings(trials), ofCalendar)...)
}

func (b *bench) settings(acts []perturb.Act) (list []engine.Act) {
	for _, a := range acts {
		list = append(list, setting{b: b, act: a})
	}
	return list
}

// proposeSystem sets what the system decides, where the program asks for it.
func (b *bench) proposeSystem() (list []engine.Proposal) {
	if err := b.survey(); err != nil {
		return nil
	}
	add := func(acts ...perturb.Act) { list = append(list, proposeEach(b.settings(acts), ofSystem)...) }
	for _, x := range []struct {
		kind trace.ActKind
		of   func(block uint32) []perturb.Act
	}{
		{trace.ActTimer, func(block uint32) []perturb.Act { return []perturb.Act{perturb.Late(block, sweepDose)} }},
		{trace.ActRead, func(block uint32) []perturb.Act {
			return []perturb.Act{perturb.Most(block, 1), perturb.Most(block, 16)}
		}},
		{trace.ActLimits, func(block uint32) []perturb.Act { return []perturb.Act{perturb.Port(block, perturb.PortTaken)} }},
		{trace.ActDir, b.entries},
	} {
		if b.does(x.kind.String()) {
			for _, block := range b.asksFor(x.kind) {
				add(x.of(block)...)
			}
		}
	}
	if b.does("gc") {
		add(perturb.Collector(perturb.GCOff), perturb.Collector(perturb.GCOften))
	}
	if b.does("limits") {
		add(perturb.Files(fewFiles))
		for _, m := range machines {
			for _, what := range m.whats {
				if len(b.askers(m.asks)) > 0 {
					add(perturb.Machine(what))
				}
			}
		}
	}
	return list
}

func (b *bench) entries(block uint32) (list []perturb.Act) {
	for i := range dirOrders {
		list = append(list, perturb.Entries(block, int64(b.seed("dir", i)>>1)))
	}
	return list
}
