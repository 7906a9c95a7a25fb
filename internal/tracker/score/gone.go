package score

import (
	"math"

	"github.com/fdebug/fdebug/internal/stats"
)

// A Gone says whether a flake is over. The rule is that of watchflakes (golang/go#81166), but the
// test's own runs are its clock, because a time without failures means nothing if there were no
// runs. A flake is over
//
//   - if the later runs outnumber those between any two failures, and the chance that all
//     failures but the first fall so early among the runs since the first is below 1 %: for n
//     failures, (span/(span+later))^(n-1). Later runs are those since the last failure that may
//     be of other code: of another commit or, where that is unknown, of another day. A slow
//     minute makes several of the runs beside it fail, and nothing is over when it ends;
//   - or if the last failure is 90 days ago, and so many runs without a failure have a
//     chance below 1 % by what was known at the last failure.
type Gone struct {
	Yes     bool
	Silence int     // runs since the last failure
	Chance  float64 // of that silence, if the flake still happens
}

const quietDays = 90

// gone applies the rule to points, in order.
func gone(points []Point, now int32) Gone {
	var at, first, last, failures, failed, gap int
	var lastMinute int32
	for _, p := range points {
		if p.Failed > 0 {
			if failures == 0 {
				first = at
			} else {
				gap = max(gap, at-last)
			}
			last = at + int(p.Runs) - 1
			failures++
			failed += int(p.Failed)
			lastMinute = max(lastMinute, p.Minute)
		}
		at += int(p.Runs)
	}
	if failures == 0 {
		return Gone{Yes: true, Silence: at, Chance: 0}
	}
	g := Gone{Silence: at - 1 - last}
	fresh := later(points)
	g.Chance = allBefore(last-first+g.Silence-fresh, fresh, failed)
	if g.Chance < stats.Strong && fresh > gap {
		g.Yes = true
		return g
	}
	passed := float64(last+1-failed) + 0.5
	k := float64(failed) + 0.5
	known := math.Exp(stats.LogBeta(k, passed+float64(g.Silence)) - stats.LogBeta(k, passed))
	if known < g.Chance || failures == 1 {
		g.Chance = known
	}
	quiet := float64(newest(points, now)-lastMinute) >= quietDays*24*60
	g.Yes = quiet && known < stats.Strong
	return g
}

// later counts the runs since the last failure that may be of other code.
func later(points []Point) (n int) {
	i := lastFailure(points)
	for _, p := range points[i+1:] {
		known := p.Commit >= 0 && points[i].Commit >= 0
		if known && p.Commit != points[i].Commit || !known && p.Minute-points[i].Minute >= 24*60 {
			n += int(p.Runs)
		}
	}
	return n
}

// allBefore is the chance that, given the first of n failures, all others are among the next span
// runs and none among the silence runs after these.
func allBefore(span, silence, n int) float64 {
	chance := 1.0
	for i := range n - 1 {
		if span-i <= 0 {
			return chance // several in one run say no more
		}
		chance *= float64(span-i) / float64(span+silence-i)
		if chance < 1e-12 {
			return 0
		}
	}
	return chance
}
