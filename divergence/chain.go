package divergence

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
)

// anchorPicks is how many divergences the goroutine that failed may have in the chain, because
// two ways may lead to one signature.
const anchorPicks = 2

// anchor returns the class of the goroutine that failed first in most failing runs, or that of the test's own
// goroutine if no failed check was seen. A process that runs no test has its main goroutine for that.
func (a *analysis) anchor() int {
	votes := map[int]int{}
	best := 0
	for _, c := range a.checks {
		if c.lane != nil {
			votes[c.lane.class]++
			if best == 0 || votes[c.lane.class] > votes[best] {
				best = c.lane.class
			}
		}
	}
	if best > 0 {
		return best
	}
	for _, l := range a.lanes {
		for _, g := range l.streams {
			if g != nil && g.Test == a.in.Test && (g.Root || g.Test == "" && g.Parent == 0) {
				return l.class
			}
		}
	}
	return 0
}

// buildChain makes the chain: the divergence of the goroutine that failed, preceded by earlier divergences of others,
// one for each class of goroutines. Later divergences of other goroutines are consequences, and are left out.
func (a *analysis) buildChain(list []*finding) error {
	anchor := a.anchor()
	byClass := map[int][]*finding{}
	var order []int
	for _, f := range list {
		if !slices.Contains(order, f.class) {
			order = append(order, f.class)
		}
		byClass[f.class] = append(byClass[f.class], f)
	}
	chain := a.pick(byClass[anchor], anchorPicks)
	if len(chain) == 0 {
		f, err := a.checkFinding(anchor)
		if err != nil {
			return err
		}
		if f != nil {
			chain = append(chain, f)
		}
	}
	var others []*finding
	for _, c := range order {
		if c != anchor {
			others = append(others, a.pick(a.before(byClass[c], chain), 1)...)
		}
	}
	return a.finishChain(chain, a.shorten(others, len(chain)))
}

// before returns the findings that may have come before the last of the chain, or before the failed check if there is
// none. It drops a finding that few failing runs have and whose evidence is far weaker than that of the chain.
func (a *analysis) before(list, chain []*finding) []*finding {
	return slices.DeleteFunc(slices.Clone(list), func(f *finding) bool {
		if a.cutShort(f) || a.laterInPassing(f, chain) {
			return true
		}
		if len(chain) > 0 && 2*f.table.FailTaken < a.cohort.nFail && math.Log(f.p) > math.Log(chain[len(chain)-1].p)/2 {
			return true
		}
		for _, c := range chain {
			if f.lo < c.hi {
				return false
			}
		}
		if len(chain) > 0 {
			return true
		}
		check := a.checks[f.fails[0].run]
		return check.lane != nil && f.lo >= check.hi
	})
}

// cutShort reports whether f only says that a goroutine ends in a loop, in a run that failed
// elsewhere. Its further way is unknown, so the counts of the loop are a consequence.
func (a *analysis) cutShort(f *finding) bool {
	if f.loop == nil || f.failNext() != 0 {
		return false
	}
	check := a.checks[f.fails[0].run]
	return check.lane != nil && check.lane != f.lane
}

// laterInPassing reports whether f is too late to matter: in passing runs it certainly came after they had gone on
// where the goroutine that failed does not, so that goroutine did not need it. This applies to a way not taken in
// failing runs, or seldom in a loop, and to the way taken instead while the goroutine that failed waits forever. If
// only some passing runs came there later, f may still matter.
func (a *analysis) laterInPassing(f *finding, chain []*finding) bool {
	lacks := f.loop == nil && f.failNext() == 0 || f.loop != nil && !f.loop.More
	if len(chain) == 0 || !lacks && !a.whileStopped(f, chain) {
		return false
	}
	for _, c := range chain {
		later, both := a.later(f, c)
		t := a.cohort.table(len(f.fails), later)
		if both == 0 || later == 0 || t.Excess() > 0 && a.cohort.fact.Fisher(t) <= stats.Chance {
			return false
		}
	}
	return true
}

// whileStopped reports whether the goroutine that failed only lacks to go on, and f came after it
// had stopped, in the failing run that f's times are from.
func (a *analysis) whileStopped(f *finding, chain []*finding) bool {
	run := a.representative(f.candidate, -1).run
	return !slices.ContainsFunc(chain, func(c *finding) bool {
		i := slices.IndexFunc(c.fails, func(p place) bool { return p.run == run })
		if c.loop != nil || c.failNext() != 0 || i < 0 {
			return true
		}
		_, stopped := c.lane.streams[run].Between(c.fails[i].pos - 1)
		return f.lo < stopped
	})
}

// later counts the passing runs that certainly went f's way after they had gone c's, and the
// passing runs in which both are known.
func (a *analysis) later(f, c *finding) (later, both int) {
	for _, p := range f.passes {
		i := slices.IndexFunc(c.passes, func(q place) bool { return q.run == p.run })
		if i < 0 {
			continue
		}
		both++
		lo, _ := f.lane.streams[p.run].Between(p.pos)
		if _, hi := c.lane.streams[p.run].Between(c.passes[i].pos); lo >= hi {
			later++
		}
	}
	return later, both
}

// shorten limits the number of findings in other goroutines. It prefers the test's own
// goroutines, then those that separate better, then the earlier ones.
func (a *analysis) shorten(others []*finding, used int) []*finding {
	room := max(0, maxChain-used)
	if len(others) <= room {
		return others
	}
	slices.SortStableFunc(others, func(x, y *finding) int {
		if x.lane.background != y.lane.background {
			if y.lane.background {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.p, y.p), cmp.Compare(x.at, y.at))
	})
	a.out.Warnings = append(a.out.Warnings, fmt.Errorf(
		"%d more divergences in other goroutines are not shown: they separate failing from passing runs less well",
		len(others)-room))
	return others[:room]
}

// finishChain sorts the chain and fills in its details. The goroutine that failed comes last.
func (a *analysis) finishChain(chain, others []*finding) error {
	byTime := func(x, y *finding) int { return cmp.Compare(x.at, y.at) }
	slices.SortStableFunc(chain, byTime)
	slices.SortStableFunc(others, byTime)
	run := -1
	if len(chain) > 0 {
		run = a.representative(chain[len(chain)-1].candidate, -1).run
	}
	for _, f := range append(others, chain...) {
		d, err := a.detail(f, run)
		if err != nil {
			return err
		}
		a.out.Chain = append(a.out.Chain, d)
		a.shown = append(a.shown, f)
	}
	return nil
}

// checkFinding returns the failed check itself as a divergence. It is used if nothing before it could be compared,
// because content was not kept or the streams could not be brought together again after noise.
func (a *analysis) checkFinding(anchor int) (*finding, error) {
	var s *candidate
	for run, c := range a.checks {
		if c.lane == nil || c.lane.class != anchor {
			continue
		}
		if s == nil {
			last := eventAt(c.lane.streams[run], c.pos-1)
			s = &candidate{edge: edge{class: anchor, last: last, next: c.event}, lane: c.lane}
		}
		if c.lane == s.lane && c.event == s.next {
			s.fails = append(s.fails, place{run, c.pos})
		}
	}
	if s == nil {
		return nil, nil
	}
	passes, runs := s.lane.in(a.cohort.pass)
	taken := 0
	for i, g := range passes {
		pos, ok, err := findEvent(g, s.next)
		if err != nil {
			return nil, a.inRun(runs[i], err)
		}
		if ok {
			taken++
		}
		s.passes = append(s.passes, place{runs[i], pos})
	}
	s.table = a.cohort.table(len(s.fails), taken)
	s.p = a.cohort.fact.Fisher(s.table)
	if s.table.Excess() <= 0 {
		return nil, nil
	}
	return a.finding(s), nil
}
