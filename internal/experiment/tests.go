package experiment

import (
	"context"
	"math/rand"
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/search"
)

// FindOrder finds out which other tests make the test fail, or pass. It has failed in a run of all tests of the
// package in the order of the seed of -shuffle, 0 for that of the source. tests are all of them.
func (e *Experimenter) FindOrder(ctx context.Context, tests []string, seed int64) (*Finding, error) {
	return e.findTests(ctx, tests, seed)
}

// FewFiles is the trial of a run that may open few files.
func FewFiles() Trial { return do(freedom.FewFiles()) }

// FindLeak finds out which other tests leave so many files open that the test fails where a
// process may open few, as it did in such a run of all tests of the package. Alone it has
// enough, and so it has after them where it may open more.
func (e *Experimenter) FindLeak(ctx context.Context, tests []string) (*Finding, error) {
	return e.findTests(ctx, tests, 0, freedom.FewFiles())
}

// findTests looks only for other tests that decide, while something else is done besides.
func (e *Experimenter) findTests(ctx context.Context, tests []string, seed int64,
	besides ...freedom.Step) (*Finding, error) {
	defer func(was []string) { e.Tests = was }(e.Tests)
	e.Tests = tests
	asked := e.asked
	b := e.newBench(ctx)
	defer b.courses.close()
	if asked != nil { // a verdict rests on runs that no other one does
		e.asked = asked
	}
	alone, err := b.run(ctx, do(besides...), false)
	if err != nil {
		return nil, ignoreSpent(err)
	}
	if is := alone.Tells(nil); is == proof.TellsNothing ||
		is == proof.TellsFailure && len(besides) > 0 { // the other act suffices
		return nil, nil
	}
	b.expect(alone.Wall)
	if len(b.before(seed)) == 0 {
		return nil, nil
	}
	x, err := b.searchFor(b.unlike(), []search.Proposer{proposer(func() []search.Proposal {
		return []search.Proposal{b.proposeSuite(seed, 1, besides...)}
	})})
	if x == nil || err != nil {
		return nil, ignoreSpent(err)
	}
	f := b.finding(x)
	if f.Verdict == proof.None || len(f.Trial.Before)+len(f.Needs) == 0 {
		return nil, nil
	}
	f.Runs, f.Kept = e.madeAndKept()
	f.Took = e.now().Sub(b.started)
	return f, nil
}

// before returns the tests that run before this one in the order of a seed of -shuffle, 0 for that of the source. The
// specs of a suite have an order of their own, which is not known: any of them may.
func (b *bench) before(seed int64) (list []string) {
	own := slices.Index(b.Tests, b.Test)
	if own < 0 || ginkgo.SuiteOf(b.Test) != "" {
		return without(b.Tests, b.Test)
	}
	for _, i := range ShuffledOrder(len(b.Tests), seed) {
		if i == own {
			break
		}
		list = append(list, b.Tests[i])
	}
	return list
}

// ordersTried is how many seeds are tried for each of the tests that are to run in an order.
const ordersTried = 100

// orderOf returns a seed with which all of some tests run before this one: the given one if they do.
func (b *bench) orderOf(tests []string, seed int64) int64 {
	come := func(seed int64) bool {
		before := make(map[string]bool)
		for _, t := range b.before(seed) {
			before[t] = true
		}
		return !slices.ContainsFunc(tests, func(t string) bool { return !before[t] })
	}
	if come(seed) {
		return seed
	}
	for other := range int64(ordersTried * (len(tests) + 1)) {
		if come(other) {
			return other
		}
	}
	return seed
}

// ShuffledOrder returns the order in which package testing runs tests with a seed of -shuffle; 0 means the order of the
// source.
func ShuffledOrder(tests int, seed int64) []int {
	order := make([]int, tests)
	for i := range order {
		order[i] = i
	}
	if seed != 0 {
		rand.New(rand.NewSource(seed)).Shuffle(tests, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

// proposeSuite proposes that all tests decide that come before in an order.
func (b *bench) proposeSuite(seed int64, prior float64, besides ...freedom.Step) search.Proposal {
	p := search.Proposal{Fails: search.Plan{others{b: b, shuffle: seed}}, Passes: []search.Plan{{others{}}},
		Prior: prior}
	for _, a := range besides {
		x := b.act(freedom.Map(a, freedom.SiteOf))
		p.Fails, p.Passes[0] = append(p.Fails, x), append(p.Passes[0], x)
	}
	return p
}

// proposeTests proposes all other tests, in orders that recorded runs had, and those that hints name.
func (b *bench) proposeTests() (list []search.Proposal) {
	if len(b.Tests) < 2 {
		return nil
	}
	for i, seed := range b.shuffles() {
		prior := ofSuite
		if i == 0 && (namesTests(b.hints()) || b.differsAlone()) {
			prior = ofTests
		}
		if len(b.before(seed)) > 0 {
			list = append(list, b.proposeSuite(seed, prior))
		}
		for k, t := range b.hintedTests(without(b.Tests, b.Test)) {
			list = append(list, search.Proposal{Fails: search.Plan{others{b: b, test: t, shuffle: seed}},
				Passes: []search.Plan{{others{}}}, Prior: freedom.Lesser(ofTests, k+2*i)})
		}
	}
	return list
}

// shuffles returns orders of the tests: of the first run that failed, and of the first that passed if it is another
// one. Of a test that nearly always fails the latter counts.
func (b *bench) shuffles() []int64 {
	of := func(failed bool) int64 {
		i := slices.IndexFunc(b.Recorded, func(r Recorded) bool { return r.Failed == failed && r.Shuffle != 0 })
		if i < 0 {
			return 0
		}
		return b.Recorded[i].Shuffle
	}
	list := []int64{of(!b.AlwaysFails()), of(b.AlwaysFails())}
	return slices.Compact(list)
}

// differsAlone reports whether the test alone does otherwise than in recorded runs of all tests: it always fails though
// it passed in one of them, or fails less often.
func (b *bench) differsAlone() bool {
	if !b.OfSuite && !slices.ContainsFunc(b.Recorded, func(r Recorded) bool { return r.Shuffle != 0 }) {
		return false
	}
	alone, before := b.plainCount(nil), b.recorded(nil)
	return before.Failed > 0 && alone.Failed == 0 || alone.Failed == alone.Of && before.Failed < before.Of
}

func without(tests []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(tests), func(t string) bool { return t == name })
}

// An others runs other tests in the process: all that come before in an order, or one of them, or none.
type others struct {
	search.Whole
	b       *bench // nil for none
	test    string // "" for all
	shuffle int64
}

func (a others) add(t *Trial) {
	switch {
	case a.b == nil:
	case a.test == "":
		t.Before, t.Shuffle = a.b.before(a.shuffle), a.shuffle
	default:
		t.Before, t.Shuffle = append(slices.Clip(t.Before), a.test), a.shuffle
	}
}

func (a others) Surely() search.Act { return a }

func (a others) Opposites() []search.Plan {
	if a.b == nil {
		return nil
	}
	return []search.Plan{{others{}}}
}

// Parts are the tests of all, each alone.
func (a others) Parts(any) (list []search.Act) {
	if a.b == nil || a.test != "" {
		return nil
	}
	return a.each(a.b.before(a.shuffle))
}

func (a others) Elsewhere() []search.Act {
	if a.test == "" {
		return nil
	}
	return a.each(without(without(a.b.Tests, a.b.Test), a.test))
}

func (a others) each(tests []string) (list []search.Act) {
	for _, a.test = range tests {
		list = append(list, a)
	}
	return list
}
