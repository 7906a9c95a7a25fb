package proof

import "github.com/fdebug/fdebug/internal/stats"

// A Count is what became of the runs of one kind.
type Count struct {
	Failed int `json:"failed"`           // with the signature in question
	Of     int `json:"of"`               // runs that count: what is done was done, and the test passed or failed so
	Other  int `json:"other,omitempty"`  // runs that failed with another signature: they count on no side
	Missed int `json:"missed,omitempty"` // runs in which it was not done: they count on no side either
	None   int `json:"none,omitempty"`   // runs that did not come to the test, or skipped it: they count nowhere
	// Unmet are those of Of in which somebody waited for an order that did not come about.
	Unmet int `json:"unmet,omitempty"`
}

// A Tells is what a run tells of a failure. All that counts or compares runs goes by it.
type Tells uint8

const (
	TellsNothing Tells = iota // it did not come to the test, or skipped it: there is no outcome
	TellsMissed               // what was to be done was not done
	TellsOther                // it failed in another way: whether it would have failed so too isn't known
	TellsPass
	TellsFailure
)

// Add counts a run by what it tells.
func (c *Count) Add(is Tells, unmet bool) {
	switch is {
	case TellsNothing:
		c.None++
	case TellsMissed:
		c.Missed++
	case TellsOther:
		c.Other++
	case TellsFailure:
		c.Failed++
		fallthrough
	case TellsPass:
		if c.Of++; unmet {
			c.Unmet++
		}
	}
}

// Made returns a count with the runs in which nothing acted as ones that passed: what acts only
// once the test has failed, as before the statement that says so, adds nothing to a set.
func (c Count) Made() Count {
	c.Of += c.Missed
	return c
}

// Plus returns the count of the runs of both.
func (c Count) Plus(d Count) Count {
	return Count{Failed: c.Failed + d.Failed, Of: c.Of + d.Of, Other: c.Other + d.Other, Missed: c.Missed + d.Missed,
		None: c.None + d.None, Unmet: c.Unmet + d.Unmet}
}

const (
	mostElse  = 5  // runs that may fail in another way before one counts
	mostNone  = 10 // runs that may not come to the test
	elseShare = 3  // and for each that counts
)

// Lost reports whether so many runs failed in another way, or did not come to the test, that no more are made.
func (c Count) Lost() bool {
	return c.Other > mostElse+elseShare*c.Of || c.None > mostNone+elseShare*c.Of
}

// Wants returns how many more runs are made at once for n that count: none once there are n, or
// twice as many with those in which nothing acted, or it is lost.
func (c Count) Wants(n int) int {
	if c.Lost() {
		return 0
	}
	return max(0, min(n-c.Of, 2*n-c.Of-c.Missed))
}

// FailsRarely reports whether hardly any run failed.
func (c Count) FailsRarely() bool { return c.Failed*ConfirmRuns <= mostPass*c.Of }

// Acts reports whether it acted in nearly all runs: what did not may have come too late
// in the others, when the outcome was settled.
func (c *Count) Acts() bool { return actedIn(c.Of+c.Other, c.Missed) }

// actedIn is [Count.Acts] of so many runs in which it acted, and in which it did not.
func actedIn(of, missed int) bool { return missed <= mostMissed*(of+missed)/100 }

// Passes reports whether a test passes, in as many runs as count.
func Passes(c Count) bool {
	return c.Of >= ConfirmRuns && c.Failed <= mostPass*c.Of/ConfirmRuns && c.Unmet <= mostPass
}

// failing, passing and other return how many of all runs in which it acted did that.
func (c Count) failing() Count { return Count{Failed: c.Failed, Of: c.Of + c.Other} }
func (c Count) passing() Count { return Count{Failed: c.Of - c.Failed, Of: c.Of + c.Other} }
func (c Count) other() Count   { return Count{Failed: c.Other, Of: c.Of + c.Other} }

// Told reports whether what failed can be told from plain runs.
func Told(c, plain Count) bool { return More(c, plain) && Chance(c, plain) < ShamDiffers }

// More reports whether a larger share of a than of b failed.
func More(a, b Count) bool { return a.Failed*b.Of > b.Failed*a.Of }

// Chance returns the p-value of Fisher's exact test on two counts.
func Chance(a, b Count) float64 {
	return stats.Table{FailTaken: a.Failed, PassTaken: a.Of - a.Failed, FailNot: b.Failed,
		PassNot: b.Of - b.Failed}.Fisher()
}

// Differ reports whether two counts are told apart.
func Differ(a, b Count) bool { return Chance(a, b) < stats.Strong }
