package finding

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/divergence"
)

// A Begun is when the test began in a recorded run, by the wall clock.
type Begun struct {
	At     time.Time
	Failed bool
}

// A Fact is something that recorded runs did differently, by outcome: which freedom it is of, where,
// and in how many runs of each outcome it was so.
type Fact struct {
	Freedom string // "clock"
	Measure string // what of it was observed, as package freedom has it: "phase"
	// At are the places, the one to look at first before others: of an order what came late or
	// early, then what it came before or after.
	At     []Span
	Late   bool          // of an order: in failing runs the first place came after the other one
	More   bool          // of a quantity: failing runs have more of it; of what is so or not: it is so
	Test   string        // that ran before
	Unit   time.Duration // of a phase
	Chance bool          // nothing in the run can have caused it
	Behind bool          // it adds nothing to facts before it
	// Table counts the runs in which it was so and was not.
	Table  divergence.Table
	P      float64 // corrected for all that was looked at
	Likely bool    // P is low enough for it to be told as what is likely to decide
}

// Same reports whether two facts are of the same places.
func (f Fact) Same(o Fact) bool {
	return f.Test == o.Test && slices.EqualFunc(f.At, o.At, func(a, b Span) bool {
		return a.File == b.File && a.Start <= b.End && b.Start <= a.End
	})
}
