package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A Halfway says that another goroutine was in the middle of a function when a
// goroutine came to a divergence, and that this goes with the outcome: what the
// function does in several steps was seen between them.
type Halfway struct {
	Divergence int           // index in Analysis.Chain
	Class      []trace.Frame // of the other goroutine
	Func       int           // index in trace.Sites.Funcs
	Blocks     []int         // what it had run of the function by then in Fail, in order
	Fail       OrderRun
	// Table counts failing and passing runs in which it was in the function;
	// runs in doubt are left out.
	Table Table
	P     float64 // Fisher's exact test on Table, two-sided, times the number of functions
}

// maxHalfway is how far back the entry of a function is looked for, in events.
const maxHalfway = 8192

// halfway looks for other goroutines that were in the middle of something, at
// the divergence nearest the failed check first.
func (a *analysis) halfway() error {
	for i := len(a.shown) - 1; i >= 0 && len(a.out.Halfway) == 0; i-- {
		spots := a.anchors(a.shown[i])
		var list []*Halfway
		for _, l := range a.lanes {
			if l != a.shown[i].lane {
				list = append(list, a.halfwayOf(l, spots)...)
			}
		}
		slices.SortStableFunc(list, func(x, y *Halfway) int { return cmp.Compare(x.P, y.P) })
		for _, h := range list[:min(len(list), 1)] {
			h.Divergence = i
			if err := a.steps(h); err != nil {
				return err
			}
			a.out.Halfway = append(a.out.Halfway, *h)
		}
	}
	return nil
}

// halfwayOf tests for each function in which lane l stood whether that goes
// with the outcome.
func (a *analysis) halfwayOf(l *lane, spots []anchor) []*Halfway {
	at := make(map[int][]OrderRun) // by function
	failed := make(map[int]int)
	var known [2]int // passing and failing runs of which it is known
	for _, s := range spots {
		other := l.streams[s.run]
		r := OrderRun{Run: a.in.Runs[s.run].N, Anchor: s.g, AnchorPos: s.pos, Other: other}
		fn := -1
		if other != nil {
			sure, never := progress(other, s.lo, s.hi)
			if sure != never {
				continue // in doubt
			}
			r.Done, r.Last = sure, eventAt(other, sure-1)
			if b, ok := r.Last.Block(); ok && a.in.Sites.Has(b) && a.goesOnIn(other, sure, a.in.Sites.Blocks[b].Func) {
				fn = a.in.Sites.Blocks[b].Func
			}
		}
		if a.in.Runs[s.run].Failed {
			known[1]++
			failed[fn]++
			at[fn] = append([]OrderRun{r}, at[fn]...)
		} else {
			known[0]++
			at[fn] = append(at[fn], r)
		}
	}
	if 3*known[0] < 2*a.cohort.nPass || 3*known[1] < 2*a.cohort.nFail {
		return nil
	}
	var list []*Halfway
	for fn, runs := range at {
		t := Table{FailTaken: failed[fn], FailNot: known[1] - failed[fn], PassTaken: len(runs) - failed[fn]}
		t.PassNot = known[0] - t.PassTaken
		p := a.cohort.fact.fisher(t) * float64(len(at))
		if fn >= 0 && failed[fn] > 0 && t.excess() >= minOrderExcess && p <= maxOrderP {
			list = append(list, &Halfway{Class: a.classes[l.class].frames, Func: fn, Fail: runs[(failed[fn]-1)/2], Table: t, P: p})
		}
	}
	slices.SortFunc(list, func(x, y *Halfway) int { return cmp.Or(cmp.Compare(x.P, y.P), cmp.Compare(x.Func, y.Func)) })
	return list
}

// goesOnIn reports whether a goroutine will run more of a function before it
// enters it anew. A function that has returned leaves no event.
func (a *analysis) goesOnIn(g *trace.Goroutine, from int64, fn int) bool {
	on := false
	eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for _, e := range events {
			if b, ok := e.Block(); ok && a.in.Sites.Has(b) && a.in.Sites.Blocks[b].Func == fn {
				on = a.in.Sites.Blocks[b].Kind != trace.BlockEntry
				return false
			}
		}
		return pos-from < maxHalfway
	})
	return on
}

// steps fills in what the goroutine had run of the function.
func (a *analysis) steps(h *Halfway) error {
	seen := make(map[int]bool)
	from := max(0, h.Fail.Done-maxHalfway)
	return eachChunk(h.Fail.Other, from, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if pos+int64(i) >= h.Fail.Done {
				return false
			}
			b, ok := e.Block()
			if !ok || !a.in.Sites.Has(b) || a.in.Sites.Blocks[b].Func != h.Func {
				continue
			}
			if a.in.Sites.Blocks[b].Kind == trace.BlockEntry {
				h.Blocks, seen = nil, make(map[int]bool)
			}
			if !seen[b] {
				seen[b] = true
				h.Blocks = append(h.Blocks, b)
			}
		}
		return true
	})
}
