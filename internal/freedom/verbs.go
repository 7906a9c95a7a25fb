package freedom

import "github.com/fdebug/fdebug/trace"

// Verbs are what a search can make of an act of a freedom. A nil one makes nothing of it.
type Verbs struct {
	// Parts returns acts that together do what one did in a run with some draws; nil if it is one.
	Parts func(a Act[Site], drawn []trace.Draw, b Bench) []Act[Site]
	// Without returns acts in the place of one that is left out of a plan.
	Without func(a Act[Site], b Bench) []Act[Site]
	// Opposites returns the act turned round: plans that may make the test pass in its place, the best first.
	Opposites func(a Act[Site], b Bench) [][]Act[Site]
	// Elsewhere returns the same act where it should not matter, the best first.
	Elsewhere func(a Act[Site], b Bench) []Act[Site]
	// Narrower returns acts that may do the same, and tell more of the program, the best first.
	Narrower func(a Act[Site], b Bench) []Act[Site]
	// Partners returns acts that it may take besides, where this one suffices only sometimes.
	Partners func(a Act[Site], b Bench) []Act[Site]
	// Narrow returns the law of an act, or of what it took the place of if it makes the test pass; nil if none is found. It
	// asks whether the test fails with some plans.
	Narrow func(a Act[Site], passes bool, b Bench, fails Fails) *Law
	// Weaker returns the act with a dose that is not a time made smaller, and Surely as a proof is to have it; nil if
	// it can't be told from none.
	Weaker, Surely func(a Act[Site]) []Act[Site]
}

// Verbs returns the verbs of an act.
func (a Act[P]) Verbs() Verbs { return byKind[a.Kind].Verbs }
