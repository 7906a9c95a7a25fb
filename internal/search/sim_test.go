package search

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// A cause decides whether a simulated program fails.
type cause string

const (
	byClock    cause = "phase of the clock"
	byDraw     cause = "one draw of 30"
	byOrder    cause = "order of two of 40"
	byHold     cause = "a hold of 60"
	byTwo      cause = "two holds of 60"
	byPolluter cause = "one test of 40 before"
	byNothing  cause = "nothing"
)

const (
	draws, orders, positions, tests = 30, 40, 60, 40

	theDraw, theOrder, theTest = 17, 23, 29
	firstHold, lastHold        = 20, 24 // positions of a window
	oneHold, otherHold         = 11, 44
	cureHold                   = 50 // a goroutine held here too comes late enough
	leastDose                  = 5
	phaseFrom, phaseTo         = 22, 37
)

// A world is a simulated program.
type world struct {
	cause   cause
	base    float64 // share of plain runs that fail
	inverse bool    // the act makes it pass
	rng     *rand.Rand
	seed    uint64
	pass    uint64 // seed of a run that passed
	fail    uint64 // of one that failed; 0 if none did
	runs    int
	most    int // runs after which the time is up
}

func newWorld(c cause, base float64, seed uint64) *world {
	w := &world{cause: c, base: base, seed: 1000 * (seed + 1), inverse: base > 0.9, rng: rand.New(rand.NewPCG(seed, 7)), most: 4000}
	for seed := w.seed; w.pass == 0 || w.fail == 0; seed++ {
		if w.drawn(seed, theDraw) {
			w.fail = seed
		} else {
			w.pass = seed
		}
	}
	if base < 0.05 { // no recorded run failed
		w.fail = 0
	}
	return w
}

// drawn reports whether a draw falls so that it decides.
func (w *world) drawn(seed uint64, site int) bool { return part(seed, site) < max(w.base, 0.05) }

// part is a number from 0 to 1 that follows from a seed.
func part(seed uint64, at int) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, seed, " ", at)
	return rand.New(rand.NewPCG(h.Sum64(), 1)).Float64()
}

// sets says whether a plan brings the cause, or keeps it away; else nature does.
func (w *world) sets(p Plan) (on, set bool) {
	held := make(map[int]bool)
	drawAt := make(map[int]uint64)
	for _, a := range p {
		switch a := a.(type) {
		case phase:
			if w.cause == byClock {
				on, set = phaseFrom <= a.at && a.at < phaseTo, true
			}
		case seeds:
			for i := range draws {
				if drawAt[i] == 0 {
					drawAt[i] = a.seed
				}
			}
		case draw:
			drawAt[a.at] = a.seed
		case pair:
			if w.cause == byOrder && a.at == theOrder {
				on, set = a.turned, true
			}
		case hold:
			held[a.at] = held[a.at] || a.dose >= leastDose
		case scatter:
			for i := range positions {
				held[i] = held[i] || part(a.seed, i) < 0.25
			}
		case before:
			on, set = on || w.cause == byPolluter && a.test == theTest, w.cause == byPolluter
		case alone:
			on, set = false, w.cause == byPolluter
		case all:
			on, set = w.cause == byPolluter, w.cause == byPolluter
		}
	}
	if w.cause == byDraw && drawAt[theDraw] != 0 {
		return w.drawn(drawAt[theDraw], theDraw), true
	}
	if w.cause == byHold || w.cause == byTwo {
		if held[cureHold] {
			return false, true
		}
		both := w.cause == byTwo && held[oneHold] && held[otherHold]
		for i := firstHold; w.cause == byHold && i <= lastHold; i++ {
			both = both || held[i]
		}
		if both {
			return true, true
		}
	}
	return on, set
}

const noise = 0.005 // share of runs that go otherwise

func (w *world) run(p Plan) Outcome {
	w.runs++
	fails := w.rng.Float64() < w.base
	if on, set := w.sets(p); set {
		fails = (on != w.inverse) != (w.rng.Float64() < noise)
	}
	o := Outcome{Is: proof.TellsPass, Done: p}
	if fails {
		o.Is, o.Failure = proof.TellsFailure, "x_test.go:7"
	}
	if w.rng.Float64() < 0.02 {
		o.Is, o.Failure = proof.TellsFailure, "x_test.go:99" // another failure, that nobody looks for
	}
	if w.rng.Float64() < 0.01 {
		o.Is = proof.TellsMissed
	}
	return o
}

func (w *world) Run(_ context.Context, plans []Plan, _ bool) (outs []Outcome, err error) {
	for _, p := range plans {
		if w.runs >= w.most {
			return outs, ErrSpent
		}
		outs = append(outs, w.run(p))
	}
	return outs, nil
}

func (w *world) Left() time.Duration { return math.MaxInt64 }

// What can be done to it.
type (
	phase struct {
		Whole
		at int
	}
	seeds struct {
		Whole
		w    *world
		seed uint64
	}
	draw struct {
		Whole
		w    *world
		at   int
		seed uint64
	}
	pair struct {
		Whole
		at     int
		turned bool
	}
	hold struct {
		Whole
		at, dose int
	}
	scatter struct {
		Whole
		seed uint64
	}
	all struct {
		Whole
	}
	before struct {
		Whole
		test int
	}
	alone struct {
		Whole
	}
)

func (a phase) Surely() Act       { return a }
func (a phase) Opposites() []Plan { return []Plan{{phase{at: (a.at + 50) % 100}}} }

func (a seeds) Surely() Act { return a }
func (a seeds) Parts(any) (list []Act) {
	for i := range draws {
		list = append(list, draw{w: a.w, at: i, seed: a.seed})
	}
	return list
}
func (a seeds) Opposites() []Plan { return []Plan{{seeds{w: a.w, seed: a.w.pass}}} }

func (a draw) Surely() Act { return a }
func (a draw) Without() Act {
	return draw{w: a.w, at: a.at, seed: a.w.pass}
}
func (a draw) Opposites() []Plan { return []Plan{{a.Without()}} }
func (a draw) Elsewhere() (list []Act) {
	for i := 1; i < 4; i++ {
		list = append(list, draw{w: a.w, at: (a.at + i) % draws, seed: a.seed})
	}
	return list
}

func (a pair) Surely() Act       { return a }
func (a pair) Opposites() []Plan { return []Plan{{pair{at: a.at, turned: !a.turned}}} }
func (a pair) Elsewhere() []Act  { return []Act{pair{at: (a.at + 1) % orders, turned: a.turned}} }

func (a hold) Surely() Act { a.dose *= 3; return a }
func (a hold) Weaker() Act {
	if a.dose == 1 {
		return nil
	}
	a.dose = max(a.dose/3, 1)
	return a
}
func (a hold) Moved(n int) Act {
	if a.at += n; a.at < 0 || a.at >= positions {
		return nil
	}
	return a
}
func (a hold) Opposites() (list []Plan) {
	for _, at := range []int{5, 35, cureHold, 59} {
		list = append(list, Plan{a, hold{at: at, dose: 30}})
	}
	return list
}
func (a hold) Elsewhere() (list []Act) {
	for i := range 5 {
		list = append(list, hold{at: (a.at + 10 + i) % positions, dose: a.dose})
	}
	return list
}

func (a scatter) Surely() Act { return a }
func (a scatter) Parts(any) (list []Act) {
	for i := range positions {
		if part(a.seed, i) < 0.25 {
			list = append(list, hold{at: i, dose: 30})
		}
	}
	return list
}

func (a all) Surely() Act { return a }
func (a all) Parts(any) (list []Act) {
	for i := range tests {
		list = append(list, before{test: i})
	}
	return list
}

func (a alone) Surely() Act { return a }

func (a before) Surely() Act       { return a }
func (a before) Opposites() []Plan { return []Plan{{alone{}}} }
func (a before) Elsewhere() []Act  { return []Act{before{test: (a.test + 1) % tests}} }

// proposals is a freedom that has made up its mind.
type proposals []Proposal

func (p proposals) Propose() []Proposal { return p }

// freedoms are those of a world. If facts is set, recorded runs have named some of the acts: the one that
// decides among two that don't.
func (w *world) freedoms(facts bool) []Proposer {
	var clock, choices, order, holds, random, suite proposals
	for i := range 10 {
		clock = append(clock, Proposal{Fails: Plan{phase{at: 10 * i}}, Passes: []Plan{{phase{at: (10*i + 50) % 100}}}, Prior: 0.01})
	}
	if w.fail != 0 {
		choices = append(choices, Proposal{Fails: Plan{seeds{w: w, seed: w.fail}}, Passes: []Plan{{seeds{w: w, seed: w.pass}}}, Prior: 0.2})
	}
	for i := range 40 {
		choices = append(choices, Proposal{Fails: Plan{seeds{w: w, seed: w.seed + uint64(i) + 100}}, Prior: 0.004})
	}
	for i := range orders {
		order = append(order, Proposal{Fails: Plan{pair{at: i, turned: true}}, Passes: []Plan{{pair{at: i}}}, Prior: 0.003})
	}
	for i := range positions {
		holds = append(holds, Proposal{Fails: Plan{hold{at: i, dose: 30}}, Prior: 0.005})
	}
	for i := range 20 {
		random = append(random, Proposal{Fails: Plan{scatter{seed: w.seed + uint64(i) + 100}}, Prior: 0.01})
	}
	suite = append(suite, Proposal{Fails: Plan{all{}}, Passes: []Plan{{alone{}}}, Prior: 0.1})
	if facts {
		clock = slices.Insert(clock, 0, w.named(byClock, phase{at: 30}, phase{at: 80}))
		order = slices.Insert(order, 0, w.named(byOrder, pair{at: theOrder, turned: true}, pair{at: 3, turned: true}))
		holds = slices.Insert(holds, 0, w.named(byHold, hold{at: 22, dose: 30}, hold{at: 2, dose: 30}))
	}
	return []Proposer{clock, choices, order, holds, random, suite}
}

// named is a proposal of a fact: the right one for the cause, else a wrong one.
func (w *world) named(c cause, right, wrong Act) Proposal {
	p := Proposal{Fails: Plan{wrong}, Prior: 0.5}
	if w.cause == c {
		p = Proposal{Fails: Plan{right}, Prior: 0.5}
	}
	p.Passes = p.Fails[0].Opposites()
	return p
}

// names reports whether a plan is the cause, and nothing else.
func (w *world) names(f *Found) bool {
	p := f.Plan
	if f.Always || w.inverse {
		p = f.Opposite
	}
	if on, set := w.sets(p); on != (w.inverse || !f.Always) || !set {
		return false
	}
	if w.cause == byTwo {
		return len(p) == 2
	}
	if w.cause == byDraw && len(p) == draws {
		_, is := p[0].(draw)
		return is
	}
	return len(p) == 1
}
