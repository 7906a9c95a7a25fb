package divergence

import (
	"math/bits"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A runSet is a set of runs, by index in Input.Runs.
type runSet []uint64

func newRunSet(n int) runSet { return make(runSet, (n+63)/64) }

func (s runSet) add(i int)      { s[i>>6] |= 1 << (i & 63) }
func (s runSet) has(i int) bool { return s[i>>6]>>(i&63)&1 != 0 }

func (s runSet) merge(o runSet) {
	for i := range o {
		s[i] |= o[i]
	}
}

// count returns how many runs are both in s and in o.
func (s runSet) count(o runSet) (n int) {
	for i := range s {
		n += bits.OnesCount64(s[i] & o[i])
	}
	return n
}

// A cohort is the runs of an analysis by outcome.
type cohort struct {
	fail, pass   runSet
	nFail, nPass int
	fact         stats.Factorials
}

func newCohort(runs []Run) cohort {
	c := cohort{fail: newRunSet(len(runs)), pass: newRunSet(len(runs)), fact: stats.NewFactorials(len(runs))}
	for i, r := range runs {
		if r.Failed {
			c.fail.add(i)
			c.nFail++
		} else {
			c.pass.add(i)
			c.nPass++
		}
	}
	return c
}

// table returns the table of fail failing and pass passing runs against all.
func (c *cohort) table(fail, pass int) Table {
	return Table{FailTaken: fail, FailNot: c.nFail - fail, PassTaken: pass, PassNot: c.nPass - pass}
}

// tableOf returns the table of the runs in s against all.
func (c *cohort) tableOf(s runSet) Table { return c.table(s.count(c.fail), s.count(c.pass)) }

// tableWhere returns the table of the runs for which in holds against all.
func (c *cohort) tableWhere(in func(run int) bool) Table {
	all := newRunSet(c.nFail + c.nPass)
	for run := range c.nFail + c.nPass {
		all.add(run)
	}
	return c.tableAmong(all, in)
}

// tableAmong returns the table of the runs for which in holds against the others of a set.
func (c *cohort) tableAmong(set runSet, in func(run int) bool) Table {
	yes := newRunSet(c.nFail + c.nPass)
	for run := range c.nFail + c.nPass {
		if set.has(run) && in(run) {
			yes.add(run)
		}
	}
	t := Table{FailTaken: yes.count(c.fail), PassTaken: yes.count(c.pass)}
	t.FailNot, t.PassNot = set.count(c.fail)-t.FailTaken, set.count(c.pass)-t.PassTaken
	return t
}

// An edge is a step from one event to the next, on goroutines of one class. For the number of
// iterations of a loop, both events are the head of the loop.
type edge struct {
	class      int
	last, next trace.Event
	of         aspect
}

// A branchPoint is a place where streams part: all edges with the same last event.
type branchPoint struct {
	class int
	last  trace.Event
	of    aspect
}

func (e edge) branchPoint() branchPoint { return branchPoint{e.class, e.last, e.of} }

// A place is a position in the stream of a run.
type place struct {
	run int
	pos int64
}

// A candidate is a place where failing runs were seen to part from passing runs. It is a
// divergence unless it turns out to be noise.
type candidate struct {
	edge
	lane     *lane
	passNext trace.Event
	table    Table
	p        float64
	fails    []place // failing runs that took the edge
	pool     runSet  // failing runs that took it on any lane of the class; nil: those in fails
	passes   []place // passing runs that were there and went to passNext
	others   []place // other runs that were there, and those that took the edge at another visit
	exact    bool    // Algorithm 1's point on the unchanged streams
	coarse   bool    // content was not kept: the place is known only to a chunk
	// rewind shows the divergence after the last run of edge.last before it, because streams left
	// a loop in different ways. The failing runs' way out began at from.
	rewind bool
	from   trace.Event
	// loop is the difference counted in a loop, or nil if an edge was taken. If it is set, instead
	// is the next event of the runs in fails (after from, if they left a loop or repeated it), and
	// taken holds the runs that the table counts as having taken it.
	loop    *Loop
	instead trace.Event
	taken   runSet
}

// keepCandidates is how many candidates of one edge are kept, the best ones.
const keepCandidates = 8

// An edgeStat has the counts and candidates of an edge that some runs took and others did not.
type edgeStat struct {
	visits     int    // how many times some took it and others did not
	runs       runSet // runs that took it then
	candidates []*candidate
}

// An evidenceTable gathers the partings of all goroutines. Its size is limited by the number of
// edges in the code, not by the length of traces.
type evidenceTable struct {
	*cohort
	edges map[edge]*edgeStat
	// novelties holds failing runs that took an edge no passing run took, and passing runs that took one no other
	// passing run took (leave one out). If the latter are about as common as the former, the code just varies there.
	novelties map[branchPoint]runSet
	recent    []*candidate // on the lane being compared
}

func newEvidenceTable(c *cohort) *evidenceTable {
	return &evidenceTable{cohort: c, edges: map[edge]*edgeStat{}, novelties: map[branchPoint]runSet{}}
}

func (l *evidenceTable) edge(e edge) *edgeStat {
	s := l.edges[e]
	if s == nil {
		s = &edgeStat{runs: newRunSet(64 * len(l.fail))}
		l.edges[e] = s
	}
	return s
}

// novel notes that run diverged at a branch point in a way that no passing run took.
func (l *evidenceTable) novel(s branchPoint, run int) {
	if l.novelties[s] == nil {
		l.novelties[s] = newRunSet(64 * len(l.fail))
	}
	l.novelties[s].add(run)
}

// add keeps s if it is among the best candidates of its edge. Ties go to the one seen first.
func (l *evidenceTable) add(s *candidate) {
	st := l.edge(s.edge)
	i := len(st.candidates)
	for i > 0 && st.candidates[i-1].p > s.p {
		i--
	}
	if i >= keepCandidates {
		return
	}
	st.candidates = slices.Insert(st.candidates, i, s)
	st.candidates = st.candidates[:min(len(st.candidates), keepCandidates)]
	l.recent = append(l.recent, s)
}

// worth reports whether a candidate with p-value p would be kept.
func (l *evidenceTable) worth(e edge, p float64) bool {
	st := l.edges[e]
	return st == nil || len(st.candidates) < keepCandidates || st.candidates[keepCandidates-1].p > p
}

// drop removes the candidates on the current lane that, in every failing run, are at or after the
// position given for it (-1: none given).
func (l *evidenceTable) drop(from []int64) {
	kept := l.recent[:0]
	for _, s := range l.recent {
		st := l.edges[s.edge]
		i := slices.Index(st.candidates, s)
		switch {
		case i < 0: // better ones took its place
		case s.exact || !s.after(from):
			kept = append(kept, s)
		default:
			st.candidates = slices.Delete(st.candidates, i, i+1)
		}
	}
	clear(l.recent[len(kept):])
	l.recent = kept
}

// branchPoint returns the branch point whose noise the candidate is measured against.
func (s *candidate) branchPoint() branchPoint {
	if s.rewind {
		return branchPoint{class: s.class, last: s.from}
	}
	return s.edge.branchPoint()
}

func (s *candidate) after(from []int64) bool {
	for _, f := range s.fails {
		if from[f.run] < 0 || f.pos < from[f.run] {
			return false
		}
	}
	return true
}

// lastCommon and failNext return the step of the failing runs that is shown.
func (s *candidate) lastCommon() trace.Event {
	if s.loop != nil {
		return s.from
	}
	return s.last
}

func (s *candidate) failNext() trace.Event {
	if s.loop != nil {
		return s.instead
	}
	return s.next
}
