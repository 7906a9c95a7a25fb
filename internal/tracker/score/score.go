// Package score says how often a test fails now, since when, and whether that is over. It takes
// the runs of one test in the order of the history. It is only statistics: no files, no clocks,
// no words.
//
// # The model
//
// A test fails with one probability from some commit on, and did not fail before. The commit has
// a posterior distribution: all commits are equally likely a priori, and the probability of what
// was seen is a beta-binomial, with Jeffreys' prior for the rate.
//
// Recent runs weigh more in the rate. The weight of a run is halved for each HalfLife that it is
// older than the newest one. The weights w make a sample of the size (Σw)²/Σw², which has the
// same variance (Kish). The interval is that of a beta distribution with Jeffreys' prior, mixed
// over the commits at which it may have begun.
//
// A flake is over when so many runs without failure are unlikely: see [Gone].
package score

import (
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/stats"
)

// A Point is a sequence of runs of a test, of one commit. Each failed run has its own point;
// other runs share one while commit and hour stay the same.
type Point struct {
	Minute int32 // since 1970
	Commit int32 // index in the order of commits; -1 if unknown or with uncommitted changes
	Runs   int32
	Failed int32
}

// HalfLife is the age at which a run counts half.
const HalfLife = 30 * 24 * time.Hour

// A Score is what the runs of a test show.
type Score struct {
	Runs, Failed int // all runs, including those counted as broken
	Broken       int // runs in stretches in which it always failed, which is not a flake
	BrokenNow    bool
	NoFlake      bool // all failures are in such stretches, so there is no rate and no Since
	// Rate is the share of runs that fail now, or failed until the flake was over, with a 95 %
	// interval.
	Rate, Low, High float64
	Since           Since
	Gone            Gone
	Flips           int   // changes between failing and passing from one run to the next
	Mixed           int   // commits at which it both passed and failed
	First, Last     int32 // minutes of the first and the last failure
}

// Of computes the score of a test that has failed. points are in order. now is the minute of the newest run of the
// history; 0 stands for that of the test.
func Of(points []Point, now int32) Score {
	var s Score
	s.Runs, s.Failed = total(points)
	for i, p := range points {
		if p.Failed > 0 {
			if s.First == 0 {
				s.First = p.Minute
			}
			s.Last = max(s.Last, p.Minute)
		}
		if p.Failed > 0 && p.Failed < p.Runs || i > 0 && (p.Failed > 0) != (points[i-1].Failed > 0) {
			s.Flips++
		}
	}
	s.Mixed = mixed(points)
	kept, broken, still := withoutBroken(points)
	s.Broken, s.BrokenNow = broken, still
	if s.NoFlake = lastFailure(kept) < 0; s.NoFlake {
		s.Since.Commit = -1
		s.Gone.Silence, _ = total(points[lastFailure(points)+1:])
		return s
	}
	s.Gone = gone(kept, now)
	counted := kept
	if s.Gone.Yes {
		counted = kept[:lastFailure(kept)+1]
	}
	starts := startsOf(counted)
	s.Since = sinceOf(starts)
	if s.Gone.Yes && len(counted) > 1 { // the last failure ends the counted runs by choice, not by chance
		counted = counted[:len(counted)-1]
	}
	s.Rate, s.Low, s.High = rate(counted, starts, now)
	return s
}

// mixed counts the commits at which a test both passed and failed.
func mixed(points []Point) int {
	n := 0
	last := int32(-1)
	var passed, failed, counted bool
	for _, p := range points {
		if p.Commit < 0 {
			continue
		}
		if p.Commit != last {
			last, passed, failed, counted = p.Commit, false, false, false
		}
		passed, failed = passed || p.Failed < p.Runs, failed || p.Failed > 0
		if passed && failed && !counted {
			counted = true
			n++
		}
	}
	return n
}

const (
	leastStreak  = 3     // failures in a row that may not be a flake
	streakChance = 0.001 // chance that a flake has such a streak at all
)

// withoutBroken leaves out stretches in which a test failed in every run, for so long that a
// flake with the rate of its other runs would hardly do so: somebody broke it and fixed it. It
// returns how many runs it leaves out, and whether the last runs are among them.
func withoutBroken(points []Point) (kept []Point, broken int, now bool) {
	streaks := streaksOf(points)
	if len(streaks) == 0 {
		return points, 0, false
	}
	p, runs := highestElsewhere(points, streaks)
	last := 0
	for _, st := range streaks {
		if float64(runs+st.length)*math.Pow(p, float64(st.length)) >= streakChance {
			continue
		}
		kept = append(kept, points[last:st.from]...)
		last = st.to
		broken += st.length
		now = st.to == len(points)
	}
	if broken == 0 {
		return points, 0, false
	}
	return append(kept, points[last:]...), broken, now
}

// A streak is points[from:to], all of whose runs failed.
type streak struct{ from, to, length int }

// streaksOf returns the streaks that may not be a flake.
func streaksOf(points []Point) []streak {
	var list []streak
	for i := 0; i < len(points); i++ {
		st := streak{from: i, to: i}
		for st.to < len(points) && points[st.to].Failed == points[st.to].Runs {
			st.length += int(points[st.to].Runs)
			st.to++
		}
		if st.length >= leastStreak {
			list = append(list, st)
		}
		i = max(i, st.to-1)
	}
	return list
}

// highestElsewhere returns an upper bound of the rate outside streaks, and the number of runs it
// is based on: those since the first failure outside, or else all.
func highestElsewhere(points []Point, streaks []streak) (p float64, runs int) {
	var outside []Point
	at := 0
	for _, st := range streaks {
		outside = append(outside, points[at:st.from]...)
		at = st.to
	}
	outside = append(outside, points[at:]...)
	first := slices.IndexFunc(outside, func(p Point) bool { return p.Failed > 0 })
	runs, failed := total(outside[max(0, first):])
	return betas{{share: 1, a: float64(failed) + 0.5,
		b: float64(runs-failed) + 0.5}}.quantile((1 + stats.Confidence) / 2), runs
}

// total counts the runs of points.
func total(points []Point) (runs, failed int) {
	for _, p := range points {
		runs += int(p.Runs)
		failed += int(p.Failed)
	}
	return runs, failed
}

// lastFailure returns the index of the last point with a failure, or -1 if there is none.
func lastFailure(points []Point) int {
	for i := len(points) - 1; i >= 0; i-- {
		if points[i].Failed > 0 {
			return i
		}
	}
	return -1
}
