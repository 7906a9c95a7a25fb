package experiment

import (
	"math/rand/v2"
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/search"
)

// Probabilities of proposals, before any run was made for them. The freedoms share the runs by that of the best which
// each has left.
const (
	ofFact      = 0.4   // a cause that recorded runs show
	ofSuggested = 0.25  // a place that a hint is about, the first
	ofTests     = 0.3   // other tests, where recorded runs or hints say so
	ofHold      = 0.048 // where nothing is known 60 of 100 runs are holds, for as long as there are any
	ofSuite     = 0.002 // 1 of the 35 tests of the corpus
)

// A proposer proposes causes.
type proposer func() []search.Proposal

func (p proposer) Propose() []search.Proposal { return p() }

// freedoms returns those that are to be tried: first those of positions and choices. If the proposals of one fail, it has
// none: they are only guesses.
func (b *bench) freedoms() (list []search.Proposer) {
	add := func(kind string, p proposer) {
		if b.does(kind) {
			list = append(list, p)
		}
	}
	seen := make(map[*freedom.Proposer]bool)
	of := func(where freedom.Where) {
		for _, f := range freedom.Settable() {
			for _, p := range f.Propose {
				if f.Where == where && b.does(f.Name) && !seen[p] {
					seen[p] = true
					add(f.Name, func() []search.Proposal { return b.guesses(p.Guesses(f, offer{b})) })
				}
			}
		}
	}
	add("tests", b.proposeTests)
	of(freedom.ByDraws)
	add("stall", b.proposeHolds)
	of(freedom.ByPosition)
	list = append(list, proposer(b.proposeFacts))
	of(freedom.ByAnswers)
	return list
}

// guesses returns the guesses of a freedom as proposals.
func (b *bench) guesses(list []freedom.Guess) (all []search.Proposal) {
	for _, g := range list {
		p := search.Proposal{Fails: b.plan(g.Fails, act{}), Passes: b.plans(g.Passes, act{}), Prior: g.Prior}
		if a := p.Fails[0].(act); g.Passes == nil && (a.Sets() || a.Collects()) {
			p.Passes = only(a.Opposites(), a)
		}
		all = append(all, p)
	}
	return all
}

// does reports whether a kind of perturbation is to be tried.
func (e *Experimenter) does(kind string) bool {
	return e.Kinds == nil || slices.Contains(e.Kinds, kind)
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

// concurrent reports whether more than one goroutine ran code with probes: else there is no order that could differ.
func (b *bench) concurrent() bool { return len(b.p.Goroutines) > 1 }

// proposeFacts proposes settings of the values that recorded runs show to differ by outcome.
func (b *bench) proposeFacts() (list []search.Proposal) {
	if !slices.ContainsFunc(b.hints(), func(h freedom.Hint) bool { return slices.ContainsFunc(h.Fails, b.tries) }) ||
		b.survey() != nil {
		return nil
	}
	for _, h := range b.hints() {
		var passes []search.Plan
		for _, acts := range h.Passes {
			if b.may(acts) {
				passes = append(passes, b.plan(freedom.Lift(acts...), act{}))
			}
		}
		for i, acts := range h.Fails {
			if b.may(acts) {
				list = append(list, search.Proposal{Fails: b.plan(freedom.Lift(acts...), act{}), Passes: passes,
					Prior: freedom.Lesser(h.Prior(ofFact), 3*i)})
			}
		}
	}
	return list
}

// tries reports whether acts are of freedoms that are tried.
func (b *bench) tries(acts []freedom.Step) bool {
	return !slices.ContainsFunc(acts, func(a freedom.Step) bool { return !b.does(a.Kind.String()) })
}

func (b *bench) may(acts []freedom.Step) bool {
	return b.tries(acts) && freedom.OneClock(acts, offer{b})
}

const (
	maxReadings = 20 // blocks that ask for one thing, for these to be tried one by one
	maxAskers   = 5  // for all of them to be named
)
