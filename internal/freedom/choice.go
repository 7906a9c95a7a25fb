package freedom

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

// A drawer is a goroutine and a place at which it draws.
type drawer struct {
	kind  trace.ActKind
	id    trace.GoroutineID
	block int
}

// drawn has the draws of runs at a place.
type drawn struct {
	drawer
	ordinals map[int][]uint32 // by run: what the numbers follow from, in the order of the draws
	visit    map[int]int      // by run: draws of one visit, 0 if that is not known
	early    map[int]bool     // whether it drew before it failed
}

// A sequence is what a goroutine would draw at a place in each run: numbers for the ordinals that
// most passing runs have.
type sequence struct {
	drawer
	numbers [][]uint64 // by run; nil where choices were free
	visit   int        // draws of one visit, 0 if that is not known
}

const (
	drawSlots = 32   // as the probe runtime has them: blocks that share one share a count
	drewEarly = 0.8  // share of failing runs that drew before they failed, or it is no cause
	maxDraws  = 2000 // of one place that are looked at
)

func slotOf(kind trace.ActKind, block int) int { return (block + 11*int(kind)) % drawSlots }

// number is a draw of the probe runtime.
func (d drawer) number(seed uint64, ordinal uint32) uint64 {
	mix := trace.Mix
	return mix(mix(mix(seed+uint64(d.kind), uint64(d.id)), uint64(d.block)), uint64(ordinal))
}

// observeChoices tells what the runtime drew for the program: which case of a select, in which order
// a map is walked, what math/rand returns. In a recorded run that follows from its seed, so that
// a run says what it would have drawn at a place whether it came there or not.
func observeChoices(r *Runs) (list []fact.Observation) {
	all := make(map[drawer]*drawn)
	for i, x := range r.List {
		if x.Trace != nil && x.Seed != 0 {
			r.drawnIn(i, x, all)
		}
	}
	var order []drawer
	for d := range all {
		order = append(order, d)
	}
	slices.SortFunc(order, func(a, b drawer) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.block, b.block), cmp.Compare(a.id, b.id))
	})
	for _, d := range order {
		q := r.sequence(all[d])
		if q == nil {
			continue
		}
		switch d.kind {
		case trace.ActSelect:
			list = append(list, q.cases(r)...)
		case trace.ActMap:
			list = append(list, q.mapOrders(r)...)
		case trace.ActRand:
			list = append(list, q.randoms(r)...)
		}
	}
	return list
}

// A what is a place that draws, of any goroutine.
type what struct {
	kind  trace.ActKind
	block int
}

var drawKinds = [...]trace.ActKind{trace.ActSelect, trace.ActMap, trace.ActRand}

// drawnIn notes what one run drew.
func (r *Runs) drawnIn(run int, x *Run, all map[drawer]*drawn) {
	counts, visits, among := make(map[uint64]map[what]int64), make(map[uint64]map[int]int64), make(map[uint64]int)
	for _, d := range x.Trace.Draws {
		if d.Block == 0 || byKind[d.Kind].Where != ByDraws {
			continue
		}
		if counts[d.Class] == nil {
			counts[d.Class] = make(map[what]int64)
		}
		counts[d.Class][what{d.Kind, int(d.Block)}] += d.Count
	}
	for _, g := range r.goroutines(x) {
		among[g.Class]++
	}
	for _, s := range x.streams {
		if visits[s.g.Class] == nil {
			visits[s.g.Class] = make(map[int]int64)
		}
		for e, n := range s.hits {
			visits[s.g.Class][int(e)] += int64(n)
		}
	}
	for _, s := range x.streams {
		w := &drawing{stream: s, run: run, cut: x.cut, counts: counts[s.g.Class], all: all, used: make(map[int]uint32)}
		w.perVisit(visits[s.g.Class])
		w.atEvents()
		if among[s.g.Class] == 1 {
			w.others()
		}
	}
}

// A drawing is what one goroutine drew in a run. The trace counts draws by class of goroutines: how many a visit
// makes follows if they are the same number each time.
type drawing struct {
	*stream
	run    int
	cut    int64
	counts map[what]int64
	per    map[what]int64 // of a visit
	used   map[int]uint32 // of a slot, so far
	all    map[drawer]*drawn
}

func (w *drawing) perVisit(visits map[int]int64) {
	w.per = make(map[what]int64)
	for d, n := range w.counts {
		if v := visits[d.block]; w.whole && v > 0 && n%v == 0 {
			w.per[d] = n / v
		}
	}
}

// atEvents notes what was drawn at each event.
func (w *drawing) atEvents() {
	for i, e := range w.events {
		for _, kind := range drawKinds {
			if d := (what{kind, int(e)}); w.per[d] > 0 {
				w.note(d, w.per[d], w.lo[i] <= w.cut)
			}
		}
	}
}

// others notes what a goroutine that is the only one of its class drew in slots of their own: there draws are counted
// from 1, however many a visit makes.
func (w *drawing) others() {
	slots := make(map[int]int)
	for d := range w.counts {
		slots[slotOf(d.kind, d.block)]++
	}
	for d, n := range w.counts {
		if w.per[d] == 0 && slots[slotOf(d.kind, d.block)] == 1 {
			w.note(d, n, true)
		}
	}
}

// note notes n draws.
func (w *drawing) note(at what, n int64, early bool) {
	key := drawer{at.kind, w.g.ID, at.block}
	d := w.all[key]
	if d == nil {
		d = &drawn{key, make(map[int][]uint32), make(map[int]int), make(map[int]bool)}
		w.all[key] = d
	}
	slot := slotOf(at.kind, at.block)
	for range min(n, maxDraws) {
		w.used[slot]++
		d.ordinals[w.run] = append(d.ordinals[w.run], w.used[slot])
	}
	d.visit[w.run] = int(w.per[at])
	d.early[w.run] = d.early[w.run] || early
}

// sequence returns the draws that all runs would make at a place, nil if failing runs fail without
// drawing there, or passing runs do not come there.
func (r *Runs) sequence(d *drawn) *sequence {
	failing, early := 0, 0
	lengths, visits := make(map[int]int), make(map[int]int)
	for i, x := range r.List {
		switch {
		case x.Trace == nil || x.Seed == 0:
		case x.Failed:
			failing++
			if d.early[i] {
				early++
			}
		case len(d.ordinals[i]) > 0:
			lengths[len(d.ordinals[i])]++
			visits[d.visit[i]]++
		}
	}
	n := most(lengths)
	if failing == 0 || float64(early) < drewEarly*float64(failing) || n == 0 {
		return nil
	}
	ordinals := make([]uint32, min(n, maxDraws))
	for j := range ordinals {
		count := make(map[int]int)
		for _, o := range d.ordinals {
			if j < len(o) {
				count[int(o[j])]++
			}
		}
		ordinals[j] = uint32(most(count))
	}
	q := &sequence{drawer: d.drawer, visit: most(visits), numbers: make([][]uint64, len(r.List))}
	for i, x := range r.List {
		for _, o := range ordinals {
			if x.Seed != 0 {
				q.numbers[i] = append(q.numbers[i], q.number(x.Seed, o))
			}
		}
	}
	return q
}

// most returns the commonest, the greatest of several.
func most(count map[int]int) (best int) {
	for v, n := range count {
		if n > count[best] || n == count[best] && v > best {
			best = v
		}
	}
	return best
}

// observe returns an observation of the numbers that each run would draw.
func (q *sequence) observe(r *Runs, s Seen, shape fact.Shape, prefer float64,
	value func(numbers []uint64) float64) fact.Observation {
	if s.At == nil {
		p := Place{Site: Site{Block: q.block, G: Goroutine{ID: q.id}}}
		p.Span, _ = r.Sites.Pos(q.block)
		s.At = []Place{p}
	}
	return fact.Observation{Kind: q.kind.String(), Exogenous: true, Shape: shape, Prefer: []float64{prefer}, What: &s,
		Values: r.each(func(i int, _ *Run) float64 {
			if q.numbers[i] == nil {
				return nan
			}
			return value(q.numbers[i])
		})}
}

// one returns the n-th number, NaN if there are not so many.
func one(f func(x uint64) float64, n int) func([]uint64) float64 {
	return func(list []uint64) float64 {
		if n < 0 || n >= len(list) {
			return nan
		}
		return f(list[n])
	}
}

// extreme returns the greatest or, with sign -1, the least number.
func extreme(f func(x uint64) float64, sign float64) func([]uint64) float64 {
	return func(list []uint64) float64 {
		best := math.Inf(-1)
		for _, x := range list {
			best = max(best, sign*f(x))
		}
		return best
	}
}
