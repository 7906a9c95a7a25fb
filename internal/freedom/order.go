package freedom

import (
	"cmp"
	"go/types"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var orderFreedom = Freedom{
	Name:     "order",
	Varies:   "A goroutine waits at a position until another one reaches its own, up to a limit.",
	Legal:    goIndependent,
	Source:   spec + "Go_statements",
	Sites:    "pairs of positions",
	Category: "concurrency",
	Where:    ByPairs,
	observe:  observeOrder,
}

// Order holds the goroutines at a position until some goroutine has come to another one, at most for the limit. The
// position after a statement is that of the next event, or the end of the goroutine ([End]) if there is none.
func Order(hold, until Position, limit time.Duration) Step {
	return Step{Kind: trace.ActOrder, At: hold, Until: until, Dose: limit}
}

// An event is a visit of a block, with its time in each run.
type event struct {
	id trace.GoroutineID
	key
	at, lo, hi []int64 // never or none
	seen       int     // runs that came to it
	common     bool    // nearly all runs come to it before they fail
	mean       int64   // after the start of the test
}

const (
	never  = math.MaxInt64 // it would have come later: the goroutine was alive, or not begun
	none   = math.MinInt64 // the goroutine went elsewhere, or it is not known
	nearly = 0.95          // share of runs that come to an event that is common
	some   = 0.25          // share of runs that come to the other one at least
	maxEv  = 400           // events that are paired
	alike  = 40            // pairs that no run tells apart that are kept
)

// events returns the events to pair: first those that the source says are shared, then the earliest.
func (r *Runs) events(shared map[int]bool) []*event {
	all := make(map[key]map[trace.GoroutineID]*event)
	for i, x := range r.List {
		for id, s := range x.streams {
			for k, j := range s.visits {
				if all[k] == nil {
					all[k] = make(map[trace.GoroutineID]*event)
				}
				e := all[k][id]
				if e == nil {
					e = &event{id: id, key: k, at: fill(len(r.List)), lo: fill(len(r.List)), hi: fill(len(r.List))}
					all[k][id] = e
				}
				e.at[i], e.lo[i], e.hi[i] = s.at[j], s.lo[j], s.hi[j]
				e.seen++
				e.mean += s.at[j] - x.start
			}
		}
	}
	var list []*event
	for _, byID := range all {
		for _, e := range byID {
			if e.mean /= int64(e.seen); r.complete(e) {
				list = append(list, e)
			}
		}
	}
	slices.SortFunc(list, func(a, b *event) int {
		return cmp.Or(cmp.Compare(bit(shared[b.block]), bit(shared[a.block])), cmp.Compare(a.mean, b.mean),
			cmp.Compare(a.id, b.id), cmp.Compare(a.block, b.block), cmp.Compare(a.hit, b.hit))
	})
	return list[:min(len(list), maxEv)]
}

func fill(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = none
	}
	return list
}

// complete says of runs that did not come to an event whether it would have come later, and
// reports whether enough is known of it.
func (r *Runs) complete(e *event) bool {
	var of, before [2]int
	traced := 0
	for i, x := range r.List {
		if x.Trace == nil {
			continue
		}
		traced++
		out := int(bit(x.Failed))
		of[out]++
		if s := x.streams[e.id]; e.at[i] == none && (s == nil || s.whole && (s.g.End == 0 || s.g.End > x.cut)) {
			e.at[i], e.lo[i], e.hi[i] = never, never, never
		}
		if e.at[i] != none && e.at[i] <= x.cut && e.at[i] != never {
			before[out]++
		}
	}
	e.common = float64(before[0]) >= nearly*float64(of[0]) && float64(before[1]) >= nearly*float64(of[1])
	return float64(e.seen) >= some*float64(traced)
}

// observeOrder tells which of two events of two goroutines came first.
func observeOrder(r *Runs) (list []fact.Observation) {
	objects := r.objects()
	shared := make(map[int]bool)
	for b := range objects {
		shared[b] = true
	}
	events := r.events(shared)
	groups := make(map[string][]fact.Observation)
	var masks []string
	for i, a := range events {
		for _, b := range events[i+1:] {
			if a.id == b.id || !a.common && !b.common {
				continue
			}
			values, mask, ok := r.compare(a, b)
			if !ok {
				continue
			}
			if groups[mask] == nil {
				masks = append(masks, mask)
			}
			groups[mask] = append(groups[mask], r.pair(a, b, values, conflict(objects[a.block], objects[b.block])))
		}
	}
	for _, m := range masks {
		g := groups[m]
		slices.SortStableFunc(g, func(a, b fact.Observation) int { return slices.Compare(a.Prefer, b.Prefer) })
		list = append(list, g[:min(len(g), alike)]...)
	}
	for i := range list {
		list[i].What.(*Seen).places(r)
	}
	return list
}

// compare returns in which runs the first of two events came first, if both orders were seen. One of them
// must come before the run failed.
func (r *Runs) compare(a, b *event) (values []float64, mask string, ok bool) {
	var m strings.Builder
	first, then := 0, 0
	values = r.each(func(i int, x *Run) float64 {
		s, t := a.at[i], b.at[i]
		if x.Trace == nil || s == none || t == none || s == never && t == never || min(s, t) > x.cut || s == t {
			m.WriteByte('?')
			return nan
		}
		if s < t {
			first++
			m.WriteByte('1')
			return 1
		}
		then++
		m.WriteByte('0')
		return 0
	})
	return values, m.String(), first > 1 && then > 1
}

func (e *event) site() Site { return SiteAt(e.id, uint32(e.block), e.hit) }

// pair makes an observation of one. Preferred are pairs that, by the source,
// conflict, then those whose order is known for sure, then those near to each other.
func (r *Runs) pair(a, b *event, values []float64, conflict float64) fact.Observation {
	sure, known, gap, both := 0, 0, 0.0, 0
	for i := range values {
		if values[i] != values[i] {
			continue
		}
		known++
		if a.hi[i] < b.lo[i] || b.hi[i] < a.lo[i] || a.at[i] == never || b.at[i] == never {
			sure++
		}
		if a.at[i] != never && b.at[i] != never {
			gap, both = gap+math.Abs(float64(a.at[i]-b.at[i])), both+1
		}
	}
	s := &Seen{Measure: Sequence, At: []Place{{Site: a.site()}, {Site: b.site()}}}
	if a.common && (!b.common || r.isRoot(a.id)) { // the other one is who is late or early
		s.Moved = 1
	}
	doubt := math.Floor(10 * float64(known-sure) / float64(max(known, 1)))
	return fact.Observation{Kind: "order", Shape: fact.Bit, Values: values, What: s,
		Prefer: []float64{-conflict, doubt, gap / float64(max(both, 1)), float64(max(a.mean, b.mean))}}
}

func (r *Runs) isRoot(id trace.GoroutineID) bool {
	return slices.ContainsFunc(r.List, func(x *Run) bool { return x.root != nil && x.root.g.ID == id })
}

// places completes the places of a pair, who is late or early first.
func (s *Seen) places(r *Runs) {
	for i, p := range s.At {
		s.At[i] = r.place(p.G.ID, key{p.Block, p.Hit})
	}
}

// An access is what a block does to an object.
type access struct{ reads, writes bool }

// objects returns the operations of blocks on objects that several functions know, locks apart.
func (r *Runs) objects() map[int]map[types.Object]access {
	all := make(map[int]map[types.Object]access)
	if r.Source == nil {
		return all
	}
	for b := range r.Sites.Blocks {
		if !r.Sites.Has(b) {
			continue
		}
		for _, o := range r.Source.Block(b, source.Read, source.Write, source.Wait, source.Release) {
			obj := o.Obj()
			if obj == nil || o.Maybe || !r.Source.Shared(obj) || o.Locks() || o.Unlocks() {
				continue
			}
			if all[b] == nil {
				all[b] = make(map[types.Object]access)
			}
			x := all[b][obj]
			x.reads, x.writes = x.reads || o.Kind == source.Read || o.Kind == source.Wait,
				x.writes || o.Kind == source.Write || o.Kind == source.Release
			all[b][obj] = x
		}
	}
	return all
}

// conflict says how two blocks have to do with each other: 2 if one changes what the other one uses,
// 1 if both use one thing.
func conflict(a, b map[types.Object]access) (c float64) {
	for obj, x := range a {
		y, ok := b[obj]
		switch {
		case !ok:
		case x.writes || y.writes:
			return 2
		default:
			c = 1
		}
	}
	return c
}
