package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// leaveOneOut returns the branch points at which passing runs leave the trie of the other passing runs, with the runs
// that do so: the noise of this lane. A single passing run, which says nothing about noise, leaves none.
func (a *analysis) leaveOneOut(l *lane, t *trie) (map[trace.Event]runSet, error) {
	branchPoints := map[trace.Event]runSet{}
	for i, g := range t.streams {
		if t.hasTwin(i) {
			continue
		}
		run := t.runs[i]
		p := t.leave(g, run)
		if p.err != nil {
			return nil, a.inRun(run, p.err)
		}
		if !p.left {
			continue
		}
		if branchPoints[p.last] == nil {
			branchPoints[p.last] = newRunSet(len(a.in.Runs))
		}
		branchPoints[p.last].add(run)
	}
	return branchPoints, nil
}

// A group is a set of failing runs that leave the passing ones in the same way. It replaces
// Algorithm 2's output for each failing run.
type group struct {
	last, next trace.Event
	runs       []int
	points     []point
}

// groups groups the points of failing runs, in the order of their runs.
func groups(runs []int, points []point) []*group {
	var list []*group
	for i, p := range points {
		if !p.left {
			continue
		}
		k := slices.IndexFunc(list, func(g *group) bool { return g.last == p.last && g.next == p.next })
		if k < 0 {
			k = len(list)
			list = append(list, &group{last: p.last, next: p.next})
		}
		list[k].runs = append(list[k].runs, runs[i])
		list[k].points = append(list[k].points, p)
	}
	return list
}

// settled reports whether Algorithm 1's points say everything about a lane, and enters them into the evidence table.
// Nearly every goroutine is like that, and costs no more than a look at its chunk hashes.
//
// A point is enough if it separates failing from passing runs, passing runs do not diverge there, and it is not in a
// loop. In a loop, the point may depend only on the number of iterations. If the points of failing runs differ, a
// closer look is needed: noise may hide a divergence that they all have.
func (a *analysis) settled(l *lane, passes int, runs []int, points []point, loo map[trace.Event]runSet) bool {
	settled := true
	for _, p := range points {
		if !p.left && len(p.with) < passes {
			settled = false // it went the way of some passing runs and not of others
		}
	}
	list := groups(runs, points)
	for _, g := range list {
		t := a.cohort.table(len(g.runs), 0)
		p := a.cohort.fact.Fisher(t)
		coarse := slices.ContainsFunc(g.points, func(p point) bool { return p.coarse })
		if !coarse && (a.alike(t.FailTaken, loo[g.last].count(a.cohort.pass)) ||
			!t.Perfect() && p > stats.Chance || a.inLoop(l, g)) {
			settled = false
			continue
		}
		a.enter(l, g, t, p, coarse)
	}
	return settled && len(list) <= 1
}

// alike reports whether fail failing and pass passing runs are about equal shares of all failing and passing runs.
func (a *analysis) alike(fail, pass int) bool {
	if pass == 0 {
		return false
	}
	t := a.cohort.table(fail, pass)
	return a.cohort.fact.Fisher(t) > stats.Chance ||
		stats.Share(t.FailTaken, t.FailNot) < 2*stats.Share(t.PassTaken, t.PassNot)
}

// inLoop reports whether a group's point is inside a loop.
func (a *analysis) inLoop(l *lane, g *group) bool {
	n, err := a.callStackAt(l.streams[g.runs[0]], int32(g.runs[0]), g.points[0].pos)
	return err != nil || len(n.loops) > 0
}

// callStackAt returns the nesting at position pos of a stream.
func (a *analysis) callStackAt(g *trace.Goroutine, run int32, pos int64) (*callStack, error) {
	n := &callStack{code: a.code}
	err := eachBefore(g, pos, func(at int64, events []trace.Event) {
		for i, e := range events {
			n.step(e, run, at+int64(i))
		}
	})
	return n, err
}

// enter enters a group's divergence into the evidence table.
func (a *analysis) enter(l *lane, g *group, t Table, p float64, coarse bool) {
	s := &candidate{
		edge: edge{class: l.class, last: g.last, next: g.next}, lane: l, passNext: g.points[0].other,
		table: t, p: p, exact: true, coarse: coarse,
	}
	st := a.evidenceTable.edge(s.edge)
	for i, run := range g.runs {
		s.fails = append(s.fails, place{run, g.points[i].pos})
		st.runs.add(run)
		a.evidenceTable.novel(s.edge.branchPoint(), run)
		for _, with := range g.points[i].with {
			s.passes = append(s.passes, place{with, g.points[i].pos})
		}
	}
	a.evidenceTable.add(s)
}
