package finding

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/divergence"
)

// A Fact is something that recorded runs did differently, by outcome: which freedom it is of, where,
// and in how many runs of each outcome it was so.
type Fact struct {
	Freedom string `json:"freedom"` // "clock"
	Measure string `json:"aspect"`  // what of it was observed, as package freedom has it: "phase"
	// At are the places, the one to look at first before others: of an order what came late or
	// early, then what it came before or after.
	At     []Span        `json:"at,omitempty"`
	Late   bool          `json:"late,omitempty"`    // of an order: in failing runs the first place came after the other one
	More   bool          `json:"more,omitempty"`    // failing runs have more of a quantity; what is so or not is so in them
	Unit   time.Duration `json:"unit_ns,omitempty"` // of a phase
	Chance bool          `json:"chance,omitempty"`  // nothing in the run can have caused it
	Behind bool          `json:"behind,omitempty"`  // it adds nothing to facts before it
	// Table counts the runs in which it was so and was not.
	Table  divergence.Table `json:"table"`
	P      float64          `json:"p_value"` // corrected for all that was looked at
	Likely bool             `json:"likely"`  // P is low enough for it to be told as what is likely to decide
}

// Same reports whether two facts are of the same places.
func (f Fact) Same(o Fact) bool {
	return slices.EqualFunc(f.At, o.At, Span.Meets)
}
