package score

import (
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
)

// A Since says from which commit on a test fails.
type Since struct {
	// Commit is the median of the posterior, an index in the order of commits; -1 if no commit is
	// known up to the first failure.
	Commit int32
	// With 95 % probability it began at From or later, up to Failed, the commit of the first
	// failure.
	From, Failed int32
	// Before is the probability that it began with the first commit of the history, or before.
	Before float64
}

// A start is a commit at which the failures may have begun.
type start struct {
	at     int // index of the first point that counts
	commit int32
	share  float64 // of the posterior
}

// leastShare is the posterior below which a start is dropped.
const leastShare = 1e-4

// startsOf returns the posterior over the commits up to the first failure. If none is known, the
// only start is the beginning.
func startsOf(points []Point) []start {
	first := slices.IndexFunc(points, func(p Point) bool { return p.Failed > 0 })
	runs, failed := total(points)
	list := candidates(points[:first+1])
	if len(list) == 0 {
		return []start{{at: 0, commit: -1, share: 1}}
	}
	before, at := 0, 0
	most := math.Inf(-1)
	for i := range list {
		for ; at < list[i].at; at++ {
			before += int(points[at].Runs)
		}
		list[i].share = stats.LogBeta(float64(failed)+0.5, float64(runs-before-failed)+0.5)
		most = max(most, list[i].share)
	}
	return normalise(list, most)
}

// candidates returns the commits of points, each at its first point. If the first failure has no
// known commit, the commit before it also stands for that.
func candidates(points []Point) []start {
	var list []start
	seen := int32(-1)
	for i, p := range points {
		if p.Commit > seen {
			list = append(list, start{at: i, commit: p.Commit})
			seen = p.Commit
		}
	}
	if len(list) > 0 {
		list[0].at = 0
	}
	return list
}

// normalise turns logarithms into shares, and drops the smallest.
func normalise(list []start, most float64) []start {
	sum := 0.0
	for i := range list {
		list[i].share = math.Exp(list[i].share - most)
		sum += list[i].share
	}
	kept := list[:0]
	left := 0.0
	for _, s := range list {
		if s.share /= sum; s.share >= leastShare {
			kept = append(kept, s)
			left += s.share
		}
	}
	for i := range kept {
		kept[i].share /= left
	}
	return kept
}

// sinceOf summarises a posterior.
func sinceOf(starts []start) Since {
	s := Since{Commit: -1, From: -1, Failed: starts[len(starts)-1].commit}
	if starts[0].at == 0 {
		s.Before = starts[0].share
	}
	sum := 0.0
	for i := len(starts) - 1; i >= 0; i-- {
		sum += starts[i].share
		if s.Commit < 0 && sum >= 0.5 {
			s.Commit = starts[i].commit
		}
		if s.From < 0 && sum >= 0.95 {
			s.From = starts[i].commit
		}
	}
	return s
}
