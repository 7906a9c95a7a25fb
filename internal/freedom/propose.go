package freedom

import (
	"iter"
	"regexp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Guess is acts that may decide.
type Guess struct {
	Fails  []Act[Site]   // make the test fail, if it is right
	Passes [][]Act[Site] // make it pass, if it is right; nil for the opposites of what is set
	Prior  float64       // probability that it is right, as far as is known before
}

// A Proposer makes guesses of a freedom, or of several, that share a part of the runs.
type Proposer struct {
	Guesses func(f *Freedom, b Bench) []Guess
}

// A Bench offers what acts of one test are made of: what is known of it before they are tried.
type Bench interface {
	// Seed returns the i-th seed for a purpose.
	Seed(purpose string, i int) uint64
	// Other returns a seed of all choices with which the test had the other outcome than with a given one, 0 if none is
	// known, FailingSeeds those with which recorded runs failed.
	Other(seed uint64) uint64
	FailingSeeds() []uint64
	// Drawn returns which blocks made random choices so far, and Chooses reports whether any may.
	Drawn() []trace.Draw
	Chooses() bool
	// Drawer returns the goroutine that draws at a block, and how many numbers; 0 if several do, or they are too many.
	// Random returns the one function of math/rand that the block calls, and below what its results are, and Outcomes by
	// the seed of all choices whether the test failed. Cases returns the lines of the cases of the select after the block,
	// as the runtime numbers them.
	Drawer(kind trace.ActKind, block int) (trace.GoroutineID, int)
	Random(block int) (function string, limit int64)
	Cases(block int) []int
	Outcomes() map[uint64]bool
	// Askers returns the blocks that ask the system for something of a kind, Asks reports whether any code does, and
	// SeesAnother whether the test may see another clock than the one that can be set.
	Askers(kind trace.ActKind) []uint32
	Asks(kind trace.ActKind) bool
	SeesAnother() bool
	// Waits returns the positions right before sleeps or, of waits for no goroutine that are over, those right after.
	Waits(over bool) []Site
	// Hints are what is known of the failure, and Blocks the code.
	Hints() []Hint
	Blocks() *trace.Sites
	// Mentions reports whether files that ran have such words, and Durations returns the times that are written in the
	// code that ran.
	Mentions(words *regexp.Regexp) bool
	Durations(least, most time.Duration) []time.Duration
	// AlwaysFails reports whether no run passes with nothing done, and Elapsed returns how long the test takes.
	AlwaysFails() bool
	Elapsed() time.Duration
	Now() time.Time
	CanLimit() bool // a process can be left part of a CPU

	// Sites returns one site for all that can't differ, Everywhere all others after them, Selects those right before
	// selects, and SomeVisits visits of one.
	Sites() []Site
	Everywhere() []Site
	Selects() []Site
	SomeVisits(Site) []Site
	// Others returns positions of other goroutines, those of each together.
	Others(Site) iter.Seq[[]Site]
	// Try makes a run with an act, and reports whether there was time for it.
	Try(Act[Site]) bool
	// Walk makes a run with an order of keys, if there is time for it.
	Walk(Act[Site]) (w Walk, ok bool)
}

const (
	ofSuggested = 0.25 // probability of an act at a place that a hint is about
	maxAskers   = 20   // blocks that ask for one thing, for these to be tried one by one
	usualDose   = 30 * time.Millisecond
)

// Lift makes acts without a goroutine ones that are searched.
func Lift(acts ...Step) (list []Act[Site]) {
	for _, a := range acts {
		list = append(list, Map(a, SiteOf))
	}
	return list
}

// each guesses single acts.
func each(prior float64, acts ...Step) (list []Guess) {
	for _, a := range acts {
		list = append(list, Guess{Fails: Lift(a), Prior: prior})
	}
	return list
}

// atAskers guesses the acts of a freedom at each block that asks for it: those that a hint is about are more probable.
func (f *Freedom) atAskers(b Bench) (list []Guess) {
	blocks := b.Askers(f.Act())
	for _, block := range blocks[:min(len(blocks), maxAskers)] {
		prior := f.Prior
		if slices.ContainsFunc(b.Hints(), func(h Hint) bool { return h.Touches(b.Blocks(), int(block)) }) {
			prior = ofSuggested
		}
		list = append(list, each(prior, f.Tries(block, b)...)...)
	}
	return list
}
