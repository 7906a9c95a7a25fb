package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// countWays counts how many runs took each of the two ways at a divergence.
func (a *analysis) countWays(f *finding, d *Divergence, fail, pass place) {
	d.Pooled, d.Left = f.pool != nil, f.rewind
	passes := f.passes
	if ends := a.endAfter(f, d); len(ends) > 0 {
		passes = ends
	}
	d.InLoop = f.inLoop && (f.rewind || !a.atOneVisit(f.lane, d.LastCommon, append(slices.Clone(passes), f.fails...)))
	took, like := newRunSet(len(a.in.Runs)), newRunSet(len(a.in.Runs))
	for _, p := range passes {
		if f.exact && !f.coarse {
			like.add(p.run)
		}
		if eventAt(f.lane.streams[p.run], p.pos) == d.PassNext && !f.coarse {
			took.add(p.run)
		}
	}
	for _, p := range f.fails {
		if f.exact && p.pos != fail.pos { // at another visit of the same line
			d.Pooled = true
			continue
		}
		took.add(p.run)
	}
	d.PassTook, d.FailTook = took.count(a.cohort.pass), took.count(a.cohort.fail)
	d.PassAlike = like.count(a.cohort.pass)
	if !d.SamePath || f.coarse {
		return
	}
	d.Resumed = slices.ContainsFunc(f.fails, func(p place) bool { return blockFrom(f.lane.streams[p.run], p.pos) == d.PassNext })
	d.Followed = a.followed(f)
}

// countThere recounts the failing runs that went on with FailNext if the way is counted at any
// visit. It counts those that did so at the visit shown, or at any if passing runs are counted so
// too. Parting elsewhere says nothing about what they did there.
func (a *analysis) countThere(f *finding, d *Divergence) {
	if !d.Pooled || f.coarse {
		return
	}
	visit := d.Iteration
	if d.InLoop && !d.Left {
		visit = 0
	}
	streams, _ := f.lane.in(a.cohort.fail)
	n := 0
	for _, g := range streams {
		went, err := a.wentOn(g, step{d.LastCommon, d.FailNext}, visit)
		if err != nil {
			return
		}
		if went {
			n++
		}
	}
	d.FailTook = n
}

// wentOn reports whether a goroutine took an edge at the given visit of its first line; 0 for
// any.
func (a *analysis) wentOn(g *trace.Goroutine, s step, visit int64) (went bool, err error) {
	n, visits := callStack{code: a.code}, int64(0)
	err = eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if s.next != 0 && e == s.next && n.before(e) == s.last && (visit == 0 || visits == visit) {
				went = true
				return false
			}
			n.step(e, 0, pos+int64(i))
			if e == s.last {
				visits++
			}
		}
		return visit == 0 || visits <= visit
	})
	if s.next == 0 { // it ends there
		went = g.Len() > 0 && eventAt(g, g.Len()-1) == s.last && (visit == 0 || visits == visit)
	}
	return went, err
}

// endAfter returns the ends of passing runs that end with LastCommon. Failing runs go on there
// from a loop by an edge that passing runs are not known to have avoided.
func (a *analysis) endAfter(f *finding, d *Divergence) (ends []place) {
	if !f.inLoop || f.rewind || f.coarse || d.PassNext != 0 {
		return nil
	}
	streams, runs := f.lane.in(a.cohort.pass)
	for i, g := range streams {
		if n := g.Len(); n > 0 && eventAt(g, n-1) == d.LastCommon {
			ends = append(ends, place{runs[i], n})
		}
	}
	return ends
}

// followed counts the failing runs of a failed check that did exactly what some passing run did,
// each up to where it failed.
func (a *analysis) followed(f *finding) (n int) {
	at := slices.Clone(f.fails)
	all := a.runsOf(f.candidate)
	for run, c := range a.checks {
		if all.has(run) && c.lane != nil && !slices.ContainsFunc(at, func(p place) bool { return p.run == run }) {
			at = append(at, place{run, c.pos})
		}
	}
	tries := make(map[*lane]*trie)
	for _, p := range at {
		l := f.lane
		if c := a.checks[p.run]; c.lane != nil && c.lane.class == f.class {
			l = c.lane
		}
		if tries[l] == nil {
			tries[l] = newTrie(l.in(a.cohort.pass))
		}
		if x := tries[l].leave(l.streams[p.run], -1); x.err == nil && x.pos >= p.pos {
			n++
		}
	}
	return n
}

// blockFrom returns the first block that g ran from a position on, or 0 if there is none.
func blockFrom(g *trace.Goroutine, pos int64) (next trace.Event) {
	if err := eachChunk(g, pos, func(_ int64, events []trace.Event) bool {
		if i := slices.IndexFunc(events, func(e trace.Event) bool { return !isCheck(e) }); i >= 0 {
			next = events[i]
		}
		return next == 0
	}); err != nil {
		return 0
	}
	return next
}

// atOneVisit reports whether runs had run a block equally often by the given places. Then it is
// the same visit of the block in all of them.
func (a *analysis) atOneVisit(l *lane, last trace.Event, places []place) bool {
	visit := int64(0)
	for _, p := range places {
		t := newTally(a.code)
		if err := t.read(l.streams[p.run], p.pos, last); err != nil || t.lastCount == 0 || visit > 0 && t.lastCount != visit {
			return false
		}
		visit = t.lastCount
	}
	return true
}

// countAlike counts the runs that did the same as the failing run shown, up to the end of the
// common prefix.
func (a *analysis) countAlike(f *finding, d *Divergence, fail, pass place) {
	g := f.lane.streams[fail.run]
	alike := func(run int) bool {
		o := f.lane.streams[run]
		return o != nil && (run == fail.run || common(g, o) >= d.CommonPrefix)
	}
	d.Alike = a.cohort.tableWhere(alike)
	d.Exact = pass.run >= 0 && alike(pass.run) && !f.coarse
}
