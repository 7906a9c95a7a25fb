package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A child is the set of members that go on with the same event.
type child struct {
	next       trace.Event // 0: the stream ends here
	ms         []*member
	fail, pass int
}

// partition groups ms by their next event.
func (w *walker) partition(ms []*member) []child {
	w.children = w.children[:0]
	for _, m := range ms {
		e := m.peek()
		i := slices.IndexFunc(w.children, func(k child) bool { return k.next == e })
		if i < 0 {
			i = len(w.children)
			var space []*member // memory of an earlier partition
			if i < cap(w.children) {
				space = w.children[:i+1][i].ms[:0]
			}
			w.children = append(w.children, child{next: e, ms: space})
		}
		k := &w.children[i]
		k.ms = append(k.ms, m)
		if m.failed {
			k.fail++
		} else {
			k.pass++
		}
		if e == 0 {
			m.ended = true
		}
	}
	slices.SortFunc(w.children, func(a, b child) int { return cmp.Compare(a.next, b.next) })
	return w.children
}

// note enters a parting into the evidence table.
func (w *walker) note(children []child, n *callStack, ms []*member) {
	if len(children) < 2 {
		return
	}
	passes := 0
	for _, k := range children {
		passes += k.pass
	}
	here := branchPoint{class: w.lane.class, last: n.prev}
	for i, k := range children {
		for _, m := range k.ms {
			if k.pass == 0 || !m.failed && k.pass == 1 && passes > 1 {
				w.evidenceTable.novel(here, m.run)
			}
		}
		st := w.evidenceTable.edge(edge{class: w.lane.class, last: n.prev, next: k.next})
		st.visits++
		for _, m := range k.ms {
			st.runs.add(m.run)
		}
		w.sight(children, i, n.prev)
	}
}

// sight makes a candidate of the i-th way if failing runs prefer it.
func (w *walker) sight(children []child, i int, last trace.Event) {
	k := children[i]
	t := w.evidenceTable.table(k.fail, k.pass)
	if t.Excess() <= 0 {
		return
	}
	p := w.evidenceTable.fact.Fisher(t)
	e := edge{class: w.lane.class, last: last, next: k.next}
	if k.pass > 0 && p > stats.Chance || !w.evidenceTable.worth(e, p) {
		return
	}
	s := &candidate{edge: e, lane: w.lane, table: t, p: p}
	for _, m := range k.ms {
		if m.failed {
			s.fails = append(s.fails, place{m.run, m.pos})
		}
	}
	best := -1
	for o, other := range children {
		if o != i && other.pass > 0 && (best < 0 || other.pass > children[best].pass) {
			best = o
		}
	}
	if best < 0 {
		return // there is no passing run to compare with
	}
	s.passNext = children[best].next
	for o, other := range children {
		for _, m := range other.ms {
			switch {
			case o == best && !m.failed:
				s.passes = append(s.passes, place{m.run, m.pos})
			case o != i || !m.failed:
				s.others = append(s.others, place{m.run, m.pos})
			}
		}
	}
	w.evidenceTable.add(s)
}
