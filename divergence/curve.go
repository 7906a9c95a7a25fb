package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// curve computes the curve of the analysis along the stream of the failing run that d shows for
// finding f.
//
// The number of runs that share a prefix changes only where one of them leaves, so the curve has
// only these places. There is no curve if benign differences were skipped on the way, because
// then sharing a prefix means nothing, or if the failing run just ends where others go on.
func (a *analysis) curve(f *finding, d *Divergence) []CurvePoint {
	all := d.Alike.FailNot+d.Alike.PassNot == 0
	if !f.exact && !all || d.FailNext == 0 || d.Pooled {
		return nil
	}
	g := d.Goroutine
	shares := make([]int64, len(a.in.Runs)) // events each run shares with g
	end := g.Len()
	for i, o := range f.lane.streams {
		switch {
		case a.in.Runs[i].N == d.FailingRun:
			shares[i] = g.Len()
			end = a.endOf(f.lane, i, g)
		case o != nil:
			shares[i] = common(g, o)
		}
	}
	return a.points(g, shares, end, d.CommonPrefix)
}

// endOf returns the end of the part of a stream that is read.
func (a *analysis) endOf(l *lane, run int, g *trace.Goroutine) int64 {
	if c := a.checks[run]; c.cuts(l) {
		return c.cut[l]
	}
	return g.Len()
}

// points returns the curve: the beginning, both sides of each place where runs
// leave, and the end.
func (a *analysis) points(g *trace.Goroutine, shares []int64, end, main int64) []CurvePoint {
	at := []int64{0, end}
	for _, s := range shares {
		if s < end {
			at = append(at, s, s+1)
		}
	}
	slices.Sort(at)
	at = thin(slices.Compact(at), main, maxCurve)
	list := make([]CurvePoint, 0, len(at))
	for _, n := range at {
		p := CurvePoint{Prefix: n}
		for i, s := range shares {
			if s >= n {
				if a.in.Runs[i].Failed {
					p.Failing++
				} else {
					p.Passing++
				}
			}
		}
		if e := eventAt(g, n-1); e != 0 && !isCheck(e) {
			p.Block = int(e)
		}
		list = append(list, p)
	}
	return list
}

// thin returns at most n of the sorted places: the two around main, the ends, and an even
// selection of the others.
func thin(at []int64, main int64, n int) []int64 {
	if len(at) <= n {
		return at
	}
	keep := []int64{at[0], at[len(at)-1], main, main + 1}
	room := max(0, n-len(keep))
	for i := range room {
		keep = append(keep, at[i*len(at)/room])
	}
	slices.Sort(keep)
	return slices.Compact(keep)
}
