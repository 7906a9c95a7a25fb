package divergence

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
)

// A finding is a divergence that is not noise.
type finding struct {
	*candidate
	lo, hi int64 // bounds of the time at which the failing runs came there
	at     int64 // estimate of it
}

// findings returns the divergences that separate failing from passing runs, earliest first.
func (a *analysis) findings() []*finding {
	var list []*finding
	edges := slices.SortedFunc(maps.Keys(a.evidenceTable.edges), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.last, b.last), cmp.Compare(a.next, b.next),
			cmp.Compare(a.of, b.of))
	})
	for _, e := range edges {
		st := a.evidenceTable.edges[e]
		if len(st.candidates) == 0 {
			continue
		}
		if s := a.judge(st, len(edges)); s != nil {
			list = append(list, a.finding(s))
		}
	}
	slices.SortStableFunc(list, func(x, y *finding) int {
		if x.lane == y.lane {
			return cmp.Compare(x.fails[0].pos, y.fails[0].pos)
		}
		return cmp.Compare(x.at, y.at)
	})
	return list
}

// judge returns the candidate of an edge that survives, or nil if it is noise.
//
// There are many edges, and an edge was tested at each of its visits. A p-value is corrected for both (Bonferroni).
// With few runs no p-value can be that small. Then an edge that separates the runs perfectly is kept, unless passing
// runs part from each other at the same branch point about as often.
func (a *analysis) judge(st *edgeStat, edges int) *candidate {
	best := st.candidates[0]
	// failing runs that took the edge at another visit
	later := func(p place) bool { return a.cohort.fail.has(p.run) && st.runs.has(p.run) }
	best.others = slices.DeleteFunc(slices.Clone(best.others), later)
	if best.loop == nil {
		best = a.pooled(best, st)
	}
	if best.p*float64(max(1, st.visits))*float64(edges) <= stats.Chance {
		return best
	}
	novel := a.evidenceTable.novelties[best.branchPoint()]
	novelFail, novelPass := novel.count(a.cohort.fail), novel.count(a.cohort.pass)
	if a.alike(max(novelFail, best.table.FailTaken), novelPass) {
		return nil
	}
	if best.table.Perfect() || best.table.PassTaken == 0 && best.p <= stats.Chance && novelPass == 0 {
		return best
	}
	return nil
}

// pooled merges the candidates of an edge into one, if that says more: failing runs may part on
// different goroutines of a class.
func (a *analysis) pooled(best *candidate, st *edgeStat) *candidate {
	t := a.cohort.tableOf(st.runs)
	p := a.cohort.fact.Fisher(t)
	if t.PassTaken > 0 || p >= best.p {
		return best
	}
	pool := *best
	pool.table, pool.p, pool.pool = t, p, st.runs
	pool.others = nil
	for _, c := range st.candidates {
		if c.lane == best.lane {
			pool.others = slices.Concat(pool.others, c.fails)
		}
	}
	pool.others = slices.Concat(pool.others, best.others)
	return &pool
}

// runsOf returns the failing runs that have a divergence.
func (a *analysis) runsOf(s *candidate) runSet {
	set := newRunSet(len(a.in.Runs))
	for _, f := range s.fails {
		set.add(f.run)
	}
	for _, more := range []runSet{s.pool, s.taken} {
		for i := range more {
			set[i] |= more[i] & a.cohort.fail[i]
		}
	}
	return set
}

func (a *analysis) finding(s *candidate) *finding {
	f := &finding{candidate: s}
	rep := a.representative(s, -1)
	g := s.lane.streams[rep.run]
	f.lo, f.hi = g.Between(rep.pos)
	f.at = estimate(g, rep.pos)
	return f
}

// representative returns the failing run to show: the given one, if it has the divergence, or
// else the median by position. The run that got farthest shares the most, but is the odd one out
// where loops poll. Half of the others got as far as the median.
func (a *analysis) representative(s *candidate, run int) place {
	for _, f := range s.fails {
		if f.run == run {
			return f
		}
	}
	list := slices.Clone(s.fails)
	slices.SortFunc(list, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.pos, y.pos), cmp.Compare(x.run, y.run))
	})
	return list[(len(list)-1)/2]
}

// pick chooses at most limit of the findings of one class, which are sorted earliest first, so
// that as many failing runs as possible have one: later differences follow from earlier ones.
//
// It takes the earliest finding with at least half of the evidence (log p) of the best. A chance difference early on
// must not hide the cause, but a precursor that a few passing runs survive comes before the point of no return.
func (a *analysis) pick(list []*finding, limit int) []*finding {
	left := newRunSet(len(a.in.Runs))
	left.merge(a.cohort.fail)
	var picked []*finding
	for len(picked) < limit {
		i := a.first(list, left)
		if i < 0 {
			break
		}
		picked = append(picked, list[i])
		for k, word := range a.runsOf(list[i].candidate) {
			left[k] &^= word
		}
		list = slices.Delete(slices.Clone(list), i, i+1)
	}
	return picked
}

// first returns the index of the earliest finding with enough evidence among those that runs in
// left have, or -1 if there is none.
func (a *analysis) first(list []*finding, left runSet) int {
	best := math.Inf(1)
	for _, f := range list {
		if a.runsOf(f.candidate).count(left) > 0 {
			best = min(best, f.p)
		}
	}
	return slices.IndexFunc(list, func(f *finding) bool {
		return a.runsOf(f.candidate).count(left) > 0 && math.Log(f.p) <= math.Log(best)/2
	})
}
