package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
)

// minExcess is by how much the shares of failing and passing runs that have a goroutine must
// differ for it to belong to one outcome.
const minExcess = 0.5

// A presence is a goroutine that runs of one outcome have and others do not.
type presence struct {
	lane  *lane
	table Table
	p     float64
}

// goroutineDiffs finds goroutines of one outcome only. In each class the one that separates best
// stands for all: a server that failing runs never reach has a hundred request goroutines in
// passing runs, which are one finding.
func (a *analysis) goroutineDiffs() {
	var list []presence
	best := map[[2]int]int{} // by class and outcome, index in list
	until := a.lastAnchors()
	for _, l := range a.lanes {
		if l.background || !l.named() {
			continue
		}
		p, ok := a.presence(l, until)
		if !ok {
			continue
		}
		k := [2]int{l.class, 0}
		if p.table.Excess() > 0 {
			k[1] = 1
		}
		if i, ok := best[k]; !ok {
			best[k] = len(list)
			list = append(list, p)
		} else if p.p < list[i].p {
			list[i] = p
		}
	}
	slices.SortStableFunc(list, func(x, y presence) int { return cmp.Compare(x.p, y.p) })
	for _, p := range list {
		if p.table.Excess() > 0 {
			a.out.OnlyFailing = append(a.out.OnlyFailing, GoroutineDiff{a.classes[p.lane.class].frames, p.table})
		} else {
			a.out.OnlyPassing = append(a.out.OnlyPassing, GoroutineDiff{a.classes[p.lane.class].frames, p.table})
		}
	}
}

// lastAnchors returns, by run, where passing runs came to the last divergence of the chain.
// Failing runs may lack what came later only because they had failed.
func (a *analysis) lastAnchors() map[int]anchor {
	by := map[int]anchor{}
	if n := len(a.shown); n > 0 {
		for _, s := range a.anchors(a.shown[n-1]) {
			if !a.in.Runs[s.run].Failed {
				by[s.run] = s
			}
		}
	}
	return by
}

// presence returns the table of the runs that have a goroutine, if it separates them. A failing
// run has it if it started it before it failed. If the goroutine is more common in failing runs,
// all passing runs that have it count. Otherwise a passing run counts if it started it before the
// last divergence; runs in which that is unknown are left out.
func (a *analysis) presence(l *lane, until map[int]anchor) (presence, bool) {
	all, known := newRunSet(len(a.in.Runs)), newRunSet(len(a.in.Runs))
	for run, r := range a.in.Runs {
		g, at, c := l.streams[run], until[run], a.checks[run]
		switch {
		case r.Failed && g != nil && c.lane != nil && g.Start > c.lo && g.Start < c.hi: // about when it failed
		case r.Failed, at.g != nil && (g == nil || g.Start <= at.lo || g.Start >= at.hi):
			all.add(run)
			known.add(run)
		default:
			all.add(run)
		}
	}
	if 3*known.count(a.cohort.fail) < 2*a.cohort.nFail {
		return presence{}, false
	}
	has := func(run int) bool {
		g := l.streams[run]
		return g != nil && !a.afterFailure(run, g.Start)
	}
	if t := a.cohort.tableAmong(all, has); t.Excess() > 0 {
		return a.separates(l, t)
	}
	if 3*known.count(a.cohort.pass) < 2*a.cohort.nPass {
		return presence{}, false
	}
	t := a.cohort.tableAmong(known, func(run int) bool {
		return has(run) && (a.in.Runs[run].Failed || l.streams[run].Start <= until[run].lo)
	})
	if t.Excess() >= 0 { // the two outcomes do not cover the same time here
		return presence{}, false
	}
	return a.separates(l, t)
}

// separates makes a presence from a table, and reports whether the table separates the outcomes.
func (a *analysis) separates(l *lane, t Table) (presence, bool) {
	p := t.Fisher()
	perfect := t.Perfect() || t.Inverse().Perfect()
	return presence{l, t, p}, max(t.Excess(), -t.Excess()) >= minExcess && (p <= stats.Chance || perfect)
}

// afterFailure reports whether a failing run had failed by the given time: a
// goroutine started later is a consequence.
func (a *analysis) afterFailure(run int, start int64) bool {
	c := a.checks[run]
	return c.lane != nil && start > 0 && start >= c.hi
}
