package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// AllChoices has the choices of all kinds follow a seed. A run is given a pin of each kind.
const AllChoices Aspect = 96

// Choices has all choices follow a seed.
func Choices(seed uint64) Act[Site] {
	return Act[Site]{Kind: trace.ActRand, What: AllChoices, Seed: seed}
}

// seedVerbs are those of choices, which follow a seed.
func seedVerbs(narrow func(Act[Site], bool, Bench, Fails) *Law) Verbs {
	return Verbs{Parts: seedParts, Without: seedWithout, Opposites: otherwise, Elsewhere: seedElsewhere,
		Partners: seedPartners, Narrow: narrow}
}

// at returns the choices of a place, by a seed.
func (d Chooser) at(seed uint64) Act[Site] {
	return Act[Site]{Kind: d.Kind, Seed: seed, At: Site{Block: int(d.Block)}}
}

// A Chooser is a block that chooses at random.
type Chooser struct {
	Kind  trace.ActKind
	Block uint32
}

// Choosers returns those among draws, in the order in which they begin to choose.
func Choosers(draws []trace.Draw) (list []Chooser) {
	for _, d := range draws {
		x := Chooser{d.Kind, d.Block}
		if Draws(d.Kind) && d.Block != 0 && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// Draws reports whether the kind is one of random choices.
func Draws(kind trace.ActKind) bool { return byKind[kind].Where == ByDraws }

func seedParts(a Act[Site], drawn []trace.Draw, b Bench) (list []Act[Site]) {
	if a.What != AllChoices {
		return nil
	}
	for _, d := range Choosers(slices.Concat(b.Drawn(), drawn)) {
		list = append(list, d.at(a.Seed))
	}
	return list
}

// seedWithout is all choices by a seed of the other outcome: those of blocks that have one of their own follow that.
func seedWithout(a Act[Site], b Bench) []Act[Site] {
	if seed := b.Other(a.Seed); seed != 0 && a.What != AllChoices {
		return []Act[Site]{Choices(seed)}
	}
	return nil
}

const (
	maxFlipped = 4  // blocks whose choices are made otherwise
	mostFlips  = 14 // of all of them
	flips      = 6  // seeds that are tried for another choice
)

// otherwise is a choice by other seeds. Of all choices it is those of one block, the others staying as they are, as
// where the outcome follows from these together with the keys of hashes; and all as in a run that passed. The last choice
// comes first: earlier ones are often seen only through it.
func otherwise(a Act[Site], b Bench) (list [][]Act[Site]) {
	var seeds []uint64
	if other := b.Other(a.Seed); other != 0 {
		seeds = append(seeds, other)
	}
	for i := range flips {
		seeds = append(seeds, b.Seed("flip", i))
	}
	if a.What != AllChoices {
		for _, seed := range seeds {
			list = append(list, []Act[Site]{a.Seeded(seed)})
		}
		return list
	}
	blocks := Choosers(b.Drawn())
	slices.Reverse(blocks)
	blocks = blocks[:min(len(blocks), maxFlipped)]
	for _, d := range blocks {
		for _, seed := range seeds[:min(len(seeds), mostFlips/len(blocks))] {
			list = append(list, []Act[Site]{a, d.at(seed)})
		}
	}
	return append(list, asPassed(a, b)...)
}

// asPassed is all choices as in a run that had the other outcome.
func asPassed(a Act[Site], b Bench) [][]Act[Site] {
	if seed := b.Other(a.Seed); seed != 0 {
		return [][]Act[Site]{{Choices(seed)}}
	}
	return nil
}

// seedElsewhere is the seed for other choices than those before the test begins, which say nothing of it.
func seedElsewhere(a Act[Site], b Bench) []Act[Site] {
	return elsewhere(a, b, func(block uint32) bool { return !initializes(block, b) })
}

// seedPartners are the choices of other blocks.
func seedPartners(a Act[Site], b Bench) []Act[Site] {
	return elsewhere(a, b, func(block uint32) bool { return block != 0 })
}

// elsewhere is the seed of one choice for others.
func elsewhere(a Act[Site], b Bench, is func(block uint32) bool) (list []Act[Site]) {
	for _, d := range b.Drawn() {
		if Draws(d.Kind) && a.What != AllChoices && int(d.Block) != a.At.Block && is(d.Block) {
			list = append(list, Chooser{d.Kind, d.Block}.at(a.Seed))
		}
	}
	return list
}

// seeds are the guesses at choices of all kinds together.
var seeds = Proposer{Guesses: proposeSeeds}

const (
	pinSeeds     = 200
	selectSeeds  = 8     // for each visit of a select
	selectVisits = 4     // visits of a select that are tried with seeds
	ofChoice     = 0.007 // 6 of the 35 tests of the corpus
	ofSeed       = 0.2   // a seed with which a recorded run failed
	ofSelect     = 0.001 // with choices, while somebody is held before it
)

// proposeSeeds has the choices that hints name, and all, follow those of recorded runs, and then other seeds. A first run
// shows whether the program makes any.
func proposeSeeds(_ *Freedom, b Bench) (list []Guess) {
	failing := b.FailingSeeds()
	first := b.Seed("pin", 0)
	if len(failing) > 0 {
		first = failing[0]
	}
	if !b.Try(Choices(first)) || len(failing) == 0 && !slices.ContainsFunc(b.Drawn(), decides) {
		return nil
	}
	for i, seed := range failing {
		list = append(list, Guess{Fails: []Act[Site]{Choices(seed)}, Passes: asPassed(Choices(seed), b),
			Prior: ofSeed / float64(int(1)<<i)})
	}
	list = append(list, hintedSeeds(failing, b)...)
	for i := range pinSeeds {
		list = append(list, Guess{Fails: []Act[Site]{Choices(b.Seed("pin", i))}, Prior: ofChoice})
	}
	return list
}

// hintedSeeds has single choices that hints name follow the seed of a run that failed.
func hintedSeeds(failing []uint64, b Bench) (list []Guess) {
	for _, h := range b.Hints() {
		for _, d := range b.Drawn() {
			if !h.Draw || !Draws(d.Kind) || !h.Touches(b.Blocks(), int(d.Block)) || len(failing) == 0 {
				continue
			}
			a := Chooser{d.Kind, d.Block}.at(failing[0])
			list = append(list, Guess{Fails: []Act[Site]{a}, Passes: otherwise(a, b),
				Prior: Lesser(h.Prior(ofSuggested), len(list))})
		}
	}
	return list
}

// proposeSelects holds a goroutine right before its selects while choices follow seeds: meanwhile several cases may
// become ready, and one is taken at random.
func proposeSelects(_ *Freedom, b Bench) (list []Guess) {
	for _, site := range b.Selects() {
		some := b.SomeVisits(site)
		for _, visit := range some[:min(len(some), selectVisits)] {
			for i := range selectSeeds {
				list = append(list, Guess{Fails: []Act[Site]{Hold(visit, usualDose), Choices(b.Seed("pin", i))},
					Prior: ofSelect})
			}
		}
	}
	return list
}

// decides reports whether a draw may be one of the program: package testing makes maps before its first statement.
func decides(d trace.Draw) bool { return Draws(d.Kind) && (d.Block != 0 || d.Kind != trace.ActMap) }

// initializes reports whether a choice is made by the initialization of a package: before the test
// begins another one says nothing of the test.
func initializes(block uint32, b Bench) bool {
	t := b.Blocks()
	return t.Has(int(block)) && trace.InInit(t.Funcs[t.Blocks[block].Func].Name)
}
