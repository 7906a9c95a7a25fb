package freedom

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

const (
	maxAnswers = 100 // of a kind that are looked at, by place and number
	maxNth     = 4   // of a goroutine at one place that are told apart
)

// An answer is what the system gave a goroutine at a place, in the runs that asked before they failed.
type answer struct {
	kind  trace.ActKind
	id    trace.GoroutineID
	block int // the last one before it
	nth   int // of its kind there, from 1

	hit   int           // visit of the block
	at    int64         // after the start of the test, about
	notes []*trace.Note // by run
	runs  int
}

// An asker is a goroutine and the place at which it asks the system.
type asker struct {
	id    trace.GoroutineID
	block int
}

// notes returns the notes of a kind, in order.
func (x *Run) notes(kind trace.ActKind) (list []*trace.Note) {
	if x.Trace == nil {
		return nil
	}
	for i := range x.Trace.Notes {
		if n := &x.Trace.Notes[i]; n.Kind == kind {
			list = append(list, n)
		}
	}
	return list
}

// asked calls visit with each note of a kind that a run has before it failed, and with who got it at which event.
func (r *Runs) asked(x *Run, kind trace.ActKind, visit func(a asker, event int, n *trace.Note)) {
	for _, n := range x.notes(kind) {
		if n.Time > x.cut || n.Goroutine == 0 {
			continue
		}
		g := x.Trace.Goroutines[n.Goroutine-1]
		s, event := x.streams[g.ID], int(n.Event)-1
		if s == nil || s.g != g || event < 0 || event >= len(s.events) {
			continue
		}
		if block, ok := s.events[event].Block(); ok {
			visit(asker{g.ID, block}, event, n)
		}
	}
}

// answers returns the answers of a kind, the earliest first.
func (r *Runs) answers(kind trace.ActKind) (list []*answer) {
	type key struct {
		asker
		nth int
	}
	all := make(map[key]*answer)
	for i, x := range r.List {
		count := make(map[asker]int)
		r.asked(x, kind, func(from asker, event int, n *trace.Note) {
			if count[from]++; count[from] > maxNth {
				return
			}
			k := key{from, count[from]}
			a := all[k]
			if a == nil {
				a = &answer{kind: kind, id: from.id, block: from.block, nth: k.nth,
					hit: x.streams[from.id].visit(event), notes: make([]*trace.Note, len(r.List))}
				all[k] = a
				list = append(list, a)
			}
			a.notes[i], a.runs, a.at = n, a.runs+1, a.at+n.Time-x.start
		})
	}
	for _, a := range list {
		a.at /= int64(a.runs)
	}
	slices.SortFunc(list, func(a, b *answer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id), cmp.Compare(a.block, b.block),
			cmp.Compare(a.nth, b.nth))
	})
	return list[:min(len(list), maxAnswers)]
}

// visit returns how many times a goroutine had come to the block of an event, that included.
func (s *stream) visit(event int) (n int) {
	for _, e := range s.events[:event+1] {
		if e == s.events[event] {
			n++
		}
	}
	return n
}

// observe returns an observation of an answer, by a number that it is in a run.
func (a *answer) observe(r *Runs, what Measure, shape fact.Shape,
	value func(run int, n *trace.Note) float64) fact.Observation {
	s := &Seen{Measure: what, At: []Place{r.place(a.id, key{a.block, a.hit})}}
	return fact.Observation{Kind: a.kind.String(), Shape: shape, Prefer: []float64{float64(a.at)}, What: s,
		Values: r.each(func(i int, _ *Run) float64 {
			if a.notes[i] == nil {
				return nan
			}
			return value(i, a.notes[i])
		})}
}
