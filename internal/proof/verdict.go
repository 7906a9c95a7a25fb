package proof

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/stats"
)

// A Verdict says what an experiment has shown.
type Verdict uint8

const (
	// None: it cannot be told from chance.
	None Verdict = iota
	// Reproduced: the perturbation suffices for the failure, or makes it more likely.
	// That nothing else brings it was not shown.
	Reproduced
	// Proved: the outcome follows the perturbation. With it the test fails in 19 of 20 runs, without what it does in
	// at most 1 of 20, and the same perturbation elsewhere changes nothing.
	Proved
)

func (v Verdict) String() string {
	switch v {
	case Proved:
		return "proved"
	case Reproduced:
		return "reproduced"
	}
	return "none"
}

// MarshalText makes a verdict its word in files.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the word of a verdict; what is none of them shows nothing.
func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Verdict(max(0, slices.Index([]string{"none", "reproduced", "proved"}, string(text))))
	return nil
}

// A Confirmation is the four counts that a verdict follows from, of runs that were made for it alone.
type Confirmation struct {
	With  Count `json:"with"`
	Plain Count `json:"plain"`
	Sham  Count `json:"sham,omitzero"` // the same elsewhere, zero if there was no other site
	Cure  Count `json:"cure,omitzero"` // zero if none is known, or none is needed
	// Held is how long goroutines were held in the runs of With, the median: longer than
	// asked for where the timers of the system are coarse or it is busy; as long as asked for
	// where the process ended before. 0 if none was held, or that was not kept.
	Held time.Duration `json:"held_ns,omitempty"`
}

const (
	ConfirmRuns = 20 // of each kind
	mostFail    = 19 // of ConfirmRuns, for proved
	mostPass    = 1  // at most that many failures, for proved
	mostMissed  = 10 // of 100 runs, in which a cure may not have acted

	ShamDiffers = stats.Chance // p below which the sham is told from plain
	Reproduces  = stats.Strong // p below which the perturbation is
)

// Verdict returns the verdict that follows from the counts.
func (c *Confirmation) Verdict() Verdict {
	switch {
	case c.Plain.Of == 0, !c.decides():
		return None
	case c.Sufficient() && c.necessary() && c.Specific():
		return Proved
	case c.With.Of > 0 && c.With.Unmet <= mostPass && c.fair(c.With, (Count).failing) && More(c.With, c.Plain) &&
		Chance(c.With, c.Plain) < Reproduces:
		return Reproduced
	}
	return None
}

// None is the number of runs that did not come to the test.
func (c *Confirmation) None() int { return c.With.None + c.Plain.None + c.Sham.None + c.Cure.None }

// decides: it does not act only where the outcome is settled, as before a check that has failed, where it fails
// whenever it acts and makes nothing fail. So it acts in nearly all runs; or the test fails more often than without
// it, with the runs in which it did not act taken for ones that pass; or it passes with the opposite at the same
// place, which acts in no more runs: a cure that acts in nearly all is elsewhere, and says nothing of this.
func (c *Confirmation) decides() bool {
	all := c.With.Made()
	return c.With.Acts() || More(all, c.Plain) && Chance(all, c.Plain) < Reproduces ||
		c.Passes(c.Cure) && !c.Cure.Acts()
}

// Sufficient: with it the test fails.
func (c *Confirmation) Sufficient() bool {
	return c.With.Of >= ConfirmRuns && c.With.Failed >= mostFail*c.With.Of/ConfirmRuns && c.With.Unmet <= mostPass &&
		c.fair(c.With, (Count).failing)
}

// necessary: without it, or with the cure, the test passes.
func (c *Confirmation) necessary() bool {
	return Passes(c.Plain) || c.Cured()
}

// Cured reports whether the cure shows one: with it the test passes.
func (c *Confirmation) Cured() bool { return c.Passes(c.Cure) && c.Cure.Acts() }

// Passes reports whether the test passes with a control.
func (c *Confirmation) Passes(control Count) bool {
	return Passes(control) && c.fair(control, (Count).passing)
}

// fair reports whether runs that fail in another way leave an outcome as it is among those that count. They do not
// where the perturbation brings them in place of the other outcome: of runs that fail or crash, and never pass, all
// that count fail.
func (c *Confirmation) fair(x Count, outcome func(Count) Count) bool {
	return !Told(x.other(), c.Plain.other()) || Told(outcome(x), outcome(c.Plain))
}

// Specific: the same elsewhere cannot be told from plain runs. Where there is no
// elsewhere, or it is no control, a cure of the very same site has shown it.
func (c *Confirmation) Specific() bool {
	if !c.Controls(c.Sham) {
		return c.Cured()
	}
	return !More(c.Sham, c.Plain) || Chance(c.Sham, c.Plain) >= ShamDiffers
}

// Controls reports whether a sham is a control. None is what only passing runs come to, as behind the check, which
// passes whenever it acts, nor what makes the test fail in another way.
func (c *Confirmation) Controls(sham Count) bool {
	return sham.Acts() && sham.Of >= ConfirmRuns && c.fair(sham, (Count).failing)
}
