package freedom

import (
	"math"

	"github.com/fdebug/fdebug/trace"
)

// A Hint is a guess at the cause, which comes from somewhere else. It only says what to
// try first: a find that it leads to is confirmed like any other.
type Hint struct {
	trace.Span          // at which a goroutine may be late or early, or where chance enters
	Draw       bool     // chance enters there
	Tests      []string // tests that decide by having run before, in place of lines
	P          float64  // of the fact that it is, corrected; 0 if it is none
	// Fails and Passes are settings with which the next run fails, and passes, if the hint is right; nil if
	// none are known.
	Fails, Passes [][]Step
}

// SiteAt returns the site at which a goroutine comes to a block, or a check, as an event; 0 for its end.
func SiteAt(id trace.GoroutineID, block uint32, hit int) Site {
	if block == 0 {
		block = End
	}
	return Site{G: Goroutine{ID: id}, Block: int(block), Hit: hit, ByHit: true}
}

// Touches reports whether a hint is of a block's lines.
func (h *Hint) Touches(sites *trace.Sites, block int) bool {
	if h.File == "" || !sites.Has(block) {
		return false
	}
	span, ok := sites.Pos(block)
	return ok && span.Meets(h.Span)
}

// InFunction reports whether a block comes after a hint's lines in their function.
func (h *Hint) InFunction(sites *trace.Sites, block int) bool {
	span, ok := sites.Pos(block)
	if !ok || h.File == "" || span.File != h.File || span.Start <= h.Start {
		return false
	}
	f := sites.Funcs[sites.Blocks[block].Func]
	return f.Line <= h.Start && h.Start <= f.End
}

const (
	ofFact  = 0.4  // probability of a cause that recorded runs show, if it can't be chance
	mostP   = 0.2  // corrected p-value of a hint at most
	nextOne = 0.85 // factor for each guess after the first
)

// Prior is the probability that a hint is right: that of its kind, or more if recorded runs show it.
func (h *Hint) Prior(ofKind float64) float64 {
	if h.P == 0 {
		return ofKind
	}
	return max(ofKind, ofFact*(1-h.P/(2*mostP)))
}

// Lesser is the probability of the i-th of some guesses, by that of the first.
func Lesser(first float64, i int) float64 { return first * math.Pow(nextOne, float64(i)) }
