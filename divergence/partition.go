package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A child is the members that go on with the same event.
type child struct {
	next       trace.Event // 0: the stream ends here
	ms         []*member
	fail, pass int
}

// partition groups ms by their next event.
func (w *walker) partition(ms []*member) []child {
	w.kids = w.kids[:0]
	for _, m := range ms {
		e := m.peek()
		i := slices.IndexFunc(w.kids, func(k child) bool { return k.next == e })
		if i < 0 {
			i = len(w.kids)
			var space []*member // of an earlier partition
			if i < cap(w.kids) {
				space = w.kids[:i+1][i].ms[:0]
			}
			w.kids = append(w.kids, child{next: e, ms: space})
		}
		k := &w.kids[i]
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
	slices.SortFunc(w.kids, func(a, b child) int { return cmp.Compare(a.next, b.next) })
	return w.kids
}

// note enters a parting into the ledger.
func (w *walker) note(kids []child, n *nest, ms []*member) {
	if len(kids) < 2 {
		return
	}
	passes := 0
	for _, k := range kids {
		passes += k.pass
	}
	here := spot{class: w.lane.class, last: n.prev}
	for i, k := range kids {
		for _, m := range k.ms {
			if k.pass == 0 || !m.failed && k.pass == 1 && passes > 1 {
				w.ledger.novel(here, m.run)
			}
		}
		st := w.ledger.edge(edge{class: w.lane.class, last: n.prev, next: k.next})
		st.visits++
		for _, m := range k.ms {
			st.runs.add(m.run)
		}
		w.sight(kids, i, n.prev)
	}
}

// sight makes a sighting of the i-th way, if failing runs prefer it.
func (w *walker) sight(kids []child, i int, last trace.Event) {
	k := kids[i]
	t := w.ledger.table(k.fail, k.pass)
	if t.excess() <= 0 {
		return
	}
	p := w.ledger.fact.fisher(t)
	e := edge{class: w.lane.class, last: last, next: k.next}
	if k.pass > 0 && p > maxP || !w.ledger.worth(e, p) {
		return
	}
	s := &sighting{edge: e, lane: w.lane, table: t, p: p, skipped: w.skipped - 1}
	for _, m := range k.ms {
		if m.failed {
			s.fails = append(s.fails, place{m.run, m.pos})
		}
	}
	best := -1
	for o, other := range kids {
		if o != i && other.pass > 0 && (best < 0 || other.pass > kids[best].pass) {
			best = o
		}
	}
	if best < 0 {
		return // no passing run is here to compare with
	}
	s.passNext = kids[best].next
	for _, m := range kids[best].ms {
		if !m.failed {
			s.passes = append(s.passes, place{m.run, m.pos})
		}
	}
	w.ledger.add(s)
}
