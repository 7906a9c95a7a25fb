package divergence

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// maxPassShare is the share of passing runs that may have taken an edge in a loop whose counts
// differ, for it still to be a candidate. It is small, because the number of iterations of such a
// loop is timing, and so are the edges that come with one more iteration.
const maxPassShare = 0.1

// A step is an edge within one goroutine.
type step struct{ last, next trace.Event }

func (s step) compare(o step) int {
	return cmp.Or(cmp.Compare(s.last, o.last), cmp.Compare(s.next, o.next))
}

// An edgeSet holds the edges taken in parts of some streams, with the place where each run took each first.
type edgeSet map[step][]place

// compareLoops compares streams that repeat a loop different numbers of times. Their iterations
// have no partners: polling twice or ten times is timing. It compares the sets of edges taken, in
// the loop's function and in everything it called, and the way out of the loop.
func (w *walker) compareLoops(ms []*member, n *callStack, j junction) {
	l := &n.loops[j.loop]
	past := w.past(l)
	set, rounds := edgeSet{}, make([]int64, len(ms))
	for i, m := range ms {
		from, to := l.at[m.run], j.pos[i]
		if from < 0 {
			from = m.pos
		}
		if j.inner {
			to++ // the edge to where they meet
		}
		rounds[i] = set.collect(n.code, &m.cursor, m.run, from, min(to, m.end), past)
	}
	// Evidence from this iteration compared it with the same iteration of runs with other counts.
	w.evidenceTable.drop(l.at)
	if w.judgeLoop(set, past, ms, l) > stats.Chance {
		w.judgeRounds(ms, n, j, rounds)
	}
}

// past returns the edges that were taken in the loop's complete iterations.
func (w *walker) past(l *loop) edgeSet {
	set := edgeSet{}
	for _, sp := range append(slices.Clone(l.old), l.cur) {
		m := w.members[sp.run]
		set.collect(w.code, &m.cursor, int(sp.run), sp.from, min(sp.to+1, m.end), nil)
	}
	return set
}

// collect adds the edges of the given run between from and to, except those in known. It returns
// how often the first event occurred in the function activation that it belongs to, including the
// first time: if it begins a loop, that is the number of iterations.
func (set edgeSet) collect(code *code, at *cursor, run int, from, to int64, known edgeSet) (rounds int64) {
	n := callStack{code: code}
	var header trace.Event
	var recent [1024]step // loops take the same edges again and again
	for start, win := range at.windows(from, to) {
		for i, e := range win {
			pos := start + int64(i)
			last := n.before(e)
			n.step(e, int32(run), pos)
			if pos == from {
				header = e
			}
			if e == header && len(n.frames) == 1 {
				rounds++
			}
			s := step{last, e}
			slot := &recent[(uint32(last)*31+uint32(e))%uint32(len(recent))]
			if last == 0 || *slot == s {
				continue
			}
			*slot = s
			set.add(s, place{run, pos}, known)
		}
	}
	return rounds
}

func (set edgeSet) add(s step, p place, known edgeSet) {
	if _, ok := known[s]; ok {
		return
	}
	list := set[s]
	if len(list) == 0 || list[len(list)-1].run != p.run {
		set[s] = append(list, p)
	}
}

// before returns the event before e in the function activation that e belongs to; for a call, the
// block of the caller.
func (n *callStack) before(e trace.Event) trace.Event {
	if isCheck(e) {
		return n.last()
	}
	i := n.find(e)
	if i == len(n.frames) {
		i--
	}
	if i < 0 {
		return 0
	}
	return n.frames[i].last
}

// judgeLoop enters the edges that separate the streams into the evidence table. It returns the smallest
// p-value of an edge, or 0 if one separates them perfectly.
func (w *walker) judgeLoop(set, past edgeSet, ms []*member, l *loop) float64 {
	least := 1.0
	passes := 0
	for _, m := range ms {
		if !m.failed {
			passes++
		}
	}
	exits := w.exits(set)
	for _, s := range set.steps() {
		list := set[s]
		fail, pass := w.outcomes(list)
		if fail+pass == len(ms) {
			continue
		}
		for _, p := range list {
			if pass == 0 || !w.members[p.run].failed && pass == 1 && passes > 1 {
				w.evidenceTable.novel(branchPoint{class: w.lane.class, last: s.last}, p.run)
			}
		}
		e := edge{class: w.lane.class, last: s.last, next: s.next}
		st := w.evidenceTable.edge(e)
		st.visits++
		for _, p := range list {
			st.runs.add(p.run)
		}
		t := w.evidenceTable.table(fail, pass)
		if fail > 0 && t.Excess() > 0 && stats.Share(t.PassTaken, t.PassNot) <= maxPassShare {
			w.sightLoop(e, t, list, exits, set, past, ms, l)
			if least = min(least, w.evidenceTable.fact.Fisher(t)); t.Perfect() {
				least = 0
			}
		}
	}
	return least
}

// steps returns the edges in an order that is the same in every analysis.
func (set edgeSet) steps() []step {
	return slices.SortedFunc(maps.Keys(set), step.compare)
}

func (w *walker) outcomes(list []place) (fail, pass int) {
	for _, p := range list {
		if w.members[p.run].failed {
			fail++
		} else {
			pass++
		}
	}
	return fail, pass
}

// exits returns the edges that passing runs took and failing runs did not, the most common first.
// In a poll loop these are the exits that mean success.
func (w *walker) exits(set edgeSet) []step {
	var list []step
	passes := map[step]int{}
	for _, s := range set.steps() {
		if fail, pass := w.outcomes(set[s]); fail == 0 {
			list = append(list, s)
			passes[s] = pass
		}
	}
	slices.SortStableFunc(list, func(a, b step) int { return cmp.Compare(passes[b], passes[a]) })
	return list
}

// sightLoop makes a candidate from an edge of failing runs. Passing runs did instead an edge of theirs from the same
// block. If there is none, but their exit starts at a block that failing runs came by too, that block is the place of
// the parting: "if q.done", not the end of the iteration after which failing runs gave up.
func (w *walker) sightLoop(e edge, t Table, list []place, exits []step, set, past edgeSet, ms []*member, l *loop) {
	p := w.evidenceTable.fact.Fisher(t)
	s := &candidate{edge: e, lane: w.lane, table: t, p: p}
	for _, pl := range list {
		if w.members[pl.run].failed {
			s.fails = append(s.fails, pl)
		}
	}
	i := slices.IndexFunc(exits, func(x step) bool { return x.last == e.last })
	if i < 0 && len(exits) > 0 && t.PassTaken == 0 && 2*len(set[exits[0]]) >= w.evidenceTable.nPass &&
		w.cameBy(exits[0].last, s.fails, l) {
		i, s.rewind, s.from = 0, true, e.last
		s.last = exits[0].last
		w.evidenceTable.edge(s.edge).take(w.evidenceTable.edge(e))
	}
	way, ok := step{}, i >= 0
	if ok {
		way = exits[i]
	} else if way, ok = w.usual(set, e); !ok {
		way.next = past.after(e.last)
	}
	s.passNext = way.next
	s.passes = w.passing(set[way])
	if !ok {
		for _, m := range ms {
			if !m.failed {
				s.passes = append(s.passes, place{m.run, m.pos})
			}
		}
	}
	if len(s.passes) > 0 && w.evidenceTable.worth(s.edge, p) {
		w.evidenceTable.add(s)
	}
}

// cameBy reports whether all of some runs had run a block in a loop before they came to the given places.
func (w *walker) cameBy(block trace.Event, places []place, l *loop) bool {
	first := w.members[l.before.run]
	if first.ran(block, l.before.from, min(l.before.to, first.end)) {
		return true // it is the same in all of them
	}
	return !slices.ContainsFunc(places, func(p place) bool {
		from := l.start[p.run]
		return from < 0 || !w.members[p.run].ran(block, from, p.pos)
	})
}

// ran reports whether a stream has an event between two positions.
func (m *member) ran(e trace.Event, from, to int64) bool {
	for _, win := range m.windows(from, to) {
		if slices.Contains(win, e) {
			return true
		}
	}
	return false
}

// usual returns the edge that most passing runs took from the beginning of e.
func (w *walker) usual(set edgeSet, e edge) (best step, ok bool) {
	most := 0
	for _, s := range set.steps() {
		if _, pass := w.outcomes(set[s]); s.last == e.last && s.next != e.next && pass > most {
			best, most, ok = s, pass, true
		}
	}
	return best, ok
}

// passing returns the places of passing runs.
func (w *walker) passing(list []place) []place {
	return slices.DeleteFunc(slices.Clone(list), func(p place) bool { return w.members[p.run].failed })
}

// after returns the event of a complete iteration after last, or 0 if it never came there.
func (set edgeSet) after(last trace.Event) trace.Event {
	for _, s := range set.steps() {
		if s.last == last {
			return s.next
		}
	}
	return 0
}

// take adds the visits and runs of an edge to another edge under which it is shown.
func (st *edgeStat) take(from *edgeStat) {
	if st != from {
		st.visits = max(st.visits, from.visits)
		st.runs.merge(from.runs)
	}
}
