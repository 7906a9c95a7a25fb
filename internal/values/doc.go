// Package values chooses the places at which a second, targeted build records values. It does so
// for failures whose runs have been compared:
//
//   - the operands of the condition at which failing runs diverged from passing ones
//     ([divergence.Divergence])
//   - the arguments of the call with the failed check, if an assertion helper fails without
//     a branch in the user's code
//   - what enters from outside in functions that ran before: what a range over a channel
//     receives, random numbers, the clock, the environment, directories
//
// It asks package source what the code says: what decides at a block, which call is in a line,
// who calls a function, what draws. What can be wrapped is a matter of syntax and types, which
// the index does not keep. Which draws an operand may be computed from is asked later, when the
// values are evaluated ([source.Index.Origins]).
//
// It wraps only single values that are not constants. So the build compiles whenever the original
// does. What a range receives has a name, and is recorded at the start of the body.
package values

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// An Input is what is known from the first comparison.
type Input struct {
	Source   func(packages []string) *source.Index // returns the code of packages
	Sites    *trace.Sites
	Failures []Failure
}

// A Failure is one signature of one test.
type Failure struct {
	Chain  []*divergence.Divergence
	Stacks map[uint32][]trace.Frame // of check events
	Frame  trace.Frame              // where it failed; zero if unknown
	Died   bool                     // of a panic instead of a failed check
	Run    map[int]bool             // functions that ran, by index in Sites.Funcs; nil for none
}

// A Choice has the chosen places, for the build and for the comparison.
type Choice struct {
	Probes []instrument.ValueProbe
	// Sites describes them; a probe's number is its index. Sites[0] is unused.
	Sites []divergence.ValueSite
}

const (
	maxSites = 600 // in total
	maxFuncs = 300 // in which to look for sources
)
