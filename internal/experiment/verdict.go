package experiment

import (
	"time"

	"github.com/fdebug/fdebug/divergence"
)

// A Verdict says what an experiment has shown.
type Verdict uint8

const (
	// None: it cannot be told from chance.
	None Verdict = iota
	// Reproduced: the perturbation suffices for the failure, or makes it more likely.
	// That nothing else brings it was not shown.
	Reproduced
	// Proved: the outcome follows the perturbation. With it the test fails in 19 of
	// 20 runs, without what it does in at most 1 of 20, and the same perturbation
	// elsewhere changes nothing.
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

// A Confirmation is the four counts that a verdict follows from, of runs that were
// made for it alone.
type Confirmation struct {
	With  Count  `json:"with"`
	Plain Count  `json:"plain"`
	Sham  *Count `json:"sham,omitempty"` // nil if there was no other site
	Cure  *Count `json:"cure,omitempty"` // nil if none is known, or none is needed
	// Held is how long goroutines were held in the runs of With, the median: longer than
	// asked for where the timers of the system are coarse or it is busy; as long as asked for
	// where the process ended before. 0 if none was held.
	Held time.Duration `json:"held_ns,omitempty"`
}

const (
	confirmRuns = 20
	mostFail    = 19 // of confirmRuns, for proved
	mostPass    = 1  // at most that many failures, for proved
	mostMissed  = 10 // of 100 runs, in which a cure may not have acted

	shamDiffers = 0.05 // p below which the sham is told from plain
	reproduces  = 0.01 // p below which the perturbation is
)

// verdict returns what the counts show.
func (c *Confirmation) verdict() Verdict {
	switch {
	case !c.decides():
		return None
	case c.sufficient() && c.necessary() && c.specific():
		return Proved
	case c.With.Of > 0 && c.With.Unmet <= mostPass && c.fair(c.With, (Count).failing) && more(c.With, c.Plain) && fisher(c.With, c.Plain) < reproduces:
		return Reproduced
	}
	return None
}

// decides: it does not act only where the outcome is settled, as before a check that has
// failed, where it fails whenever it acts and makes nothing fail. So it acts in nearly all
// runs; or the test fails more often than without it, with the runs in which it did not
// act taken for ones that pass; or it passes with the opposite at the same place, which acts in
// no more runs: a cure that acts in nearly all is elsewhere, and says nothing of this.
func (c *Confirmation) decides() bool {
	all := c.With.made()
	return c.With.acts() || more(all, c.Plain) && fisher(all, c.Plain) < reproduces || c.Cure != nil && c.passes(*c.Cure) && !c.Cure.acts()
}

// sufficient: with it the test fails.
func (c *Confirmation) sufficient() bool {
	return c.With.Of >= confirmRuns && c.With.Failed >= mostFail*c.With.Of/confirmRuns && c.With.Unmet <= mostPass && c.fair(c.With, (Count).failing)
}

// necessary: without it, or with the cure, the test passes.
func (c *Confirmation) necessary() bool { return passes(c.Plain) || c.Cured() }

// Cured reports whether the cure shows one: with it the test passes.
func (c *Confirmation) Cured() bool { return c.Cure != nil && c.passes(*c.Cure) && c.Cure.acts() }

// acts reports whether it acted in nearly all runs: what did not may have come too late
// in the others, when the outcome was settled.
func (c *Count) acts() bool { return actedIn(c.Of+c.Other, c.Missed) }

func actedIn(of, missed int) bool { return missed <= mostMissed*(of+missed)/100 }

func passes(c Count) bool {
	return c.Of >= confirmRuns && c.Failed <= mostPass*c.Of/confirmRuns && c.Unmet <= mostPass
}

// passes reports whether the test passes with a control.
func (c *Confirmation) passes(control Count) bool {
	return passes(control) && c.fair(control, (Count).passing)
}

// fair reports whether runs that fail in another way leave an outcome as it is among those that count. They do not where the
// perturbation brings them in place of the other outcome: of runs that fail or crash, and never pass, all that count fail.
func (c *Confirmation) fair(x Count, outcome func(Count) Count) bool {
	return !told(x.other(), c.Plain.other()) || told(outcome(x), outcome(c.Plain))
}

// failing, passing and other return how many of all runs in which it acted did that.
func (c Count) failing() Count { return Count{Failed: c.Failed, Of: c.Of + c.Other} }
func (c Count) passing() Count { return Count{Failed: c.Of - c.Failed, Of: c.Of + c.Other} }
func (c Count) other() Count   { return Count{Failed: c.Other, Of: c.Of + c.Other} }

// specific: the same elsewhere cannot be told from plain runs. Where there is no
// elsewhere, or it is no control, a cure of the very same site has shown it.
func (c *Confirmation) specific() bool {
	if c.Sham == nil || !c.controls(*c.Sham) {
		return c.Cured()
	}
	return !more(*c.Sham, c.Plain) || fisher(*c.Sham, c.Plain) >= shamDiffers
}

// controls reports whether a sham is a control. None is what only passing runs come to, as behind the check, which passes
// whenever it acts, nor what makes the test fail in another way.
func (c *Confirmation) controls(sham Count) bool {
	return sham.acts() && sham.Of >= confirmRuns && c.fair(sham, (Count).failing)
}

// more reports whether a larger share of a than of b failed.
func more(a, b Count) bool { return a.Failed*b.Of > b.Failed*a.Of }

// fisher returns the p-value of Fisher's exact test on two counts.
func fisher(a, b Count) float64 {
	return divergence.Table{FailTaken: a.Failed, PassTaken: a.Of - a.Failed, FailNot: b.Failed, PassNot: b.Of - b.Failed}.Fisher()
}

// Differ reports whether two counts are told apart: by chance so great a difference has a
// probability of less than 1 %.
func Differ(a, b Count) bool { return fisher(a, b) < 0.01 }
