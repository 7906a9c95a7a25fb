package hang

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A wake is how a wait ended in one passing run.
type wake struct {
	g     *trace.Goroutine // the waker
	pos   int64            // how many events it had written
	block int              // the last of them
}

// atEnd reports whether a wait was ended on the way out of the goroutines. Nothing
// is known of goroutines that the end of the process overtook.
func atEnd(wakes []wake) bool {
	ended := 0
	for _, w := range wakes {
		if w.g.End == 0 {
			continue
		}
		if w.pos != w.g.Len() {
			return false
		}
		ended++
	}
	return ended > 0
}

// waker finds the goroutine that ended a wait in passing runs, and what kept it from that in
// the failing run that is shown. There is none if it was the clock in more runs.
func (f *finder) waker(k *known) {
	var wakes []wake
	runs := make(map[int]int) // by block
	timers, waited := 0, 0
	for _, m := range f.passing {
		v, o := f.same(m, k.state)
		if o != past || v.until == 0 {
			continue
		}
		waited++
		switch g := m.Trace.Waker(v.resume); {
		case v.resume.Waker == trace.WakerTimer:
			timers++
		case g != nil && v.resume.WakerPos > 0:
			w := wake{g, v.resume.WakerPos, blockAt(g, v.resume.WakerPos-1)}
			wakes = append(wakes, w)
			runs[w.block]++
		}
	}
	if len(wakes) == 0 {
		return
	}
	often := slices.MaxFunc(wakes, func(a, b wake) int { return cmp.Compare(runs[a.block], runs[b.block]) }).block
	if timers <= runs[often] {
		k.Waker = f.describeWaker(slices.DeleteFunc(wakes, func(w wake) bool { return w.block != often }), k.state)
		k.Waker.Of = waited
	}
}

func (f *finder) describeWaker(wakes []wake, s *state) *finding.Waker {
	first := wakes[0]
	w := &finding.Waker{By: finding.Actor{Root: first.g.Root, Started: first.g.Spawn}, At: f.code.endOf(first.block), Runs: len(wakes), Next: -1}
	rel := f.code.release(first.block, s.reason, f.entryFunc(wakes))
	if rel.at.Line > 0 {
		w.At, w.Code = rel.at, rel.code
	}
	f.instead(w, wakes, s, rel.deferred || rel.at.Line == 0 && atEnd(wakes))
	return w
}

// entryFunc returns the function that a goroutine which ended a wait on its way
// out was started with, -1 for others: its deferred calls come last.
func (f *finder) entryFunc(wakes []wake) int {
	if b := blockAt(wakes[0].g, 0); atEnd(wakes) && f.Sites.Has(b) {
		return f.Sites.Blocks[b].Func
	}
	return -1
}

// instead finds what kept a goroutine from ending a wait in the run shown. The same goroutine as in passing runs
// has ended, was made to end, or waits itself. If others of its kind did so there, or if it has done so here too, one
// that has not is told: a WaitGroup needs all of them. But it says nothing that one of several has returned.
func (f *finder) instead(w *finding.Waker, wakes []wake, s *state, deferred bool) {
	list := f.shown.Trace.Goroutines
	own := f.shown.byID[wakes[0].g.ID]
	if own != nil && oneGoroutine(wakes) && !f.did(own, wakes, deferred) {
		list = []*trace.Goroutine{own}
		if own.End != 0 && own.End <= f.shown.time {
			w.Ended = f.code.endOf(blockAt(own, own.Len()-1))
		}
	}
	for _, g := range list {
		if g == s.g || !f.ofTest(g) || !alike(g, wakes[0].g) || f.did(g, wakes, deferred) {
			continue
		}
		if at, failed := f.failNow(g); failed {
			w.FailNow, w.Ended, w.Next = true, at, -1
			return
		}
		if w.Next < 0 && f.stateOf(f.shown, g) != nil {
			w.Next = slices.IndexFunc(f.known, func(k known) bool { return k.state.g == g })
		}
	}
}

// failNow reports whether FailNow ended a goroutine, and where. After that only its deferred calls run.
func (f *finder) failNow(g *trace.Goroutine) (trace.Frame, bool) {
	events, ok := eventsOf(g)
	if !ok || g.End == 0 || g.End > f.shown.time {
		return trace.Frame{}, false
	}
	i := slices.IndexFunc(events, func(e trace.Event) bool {
		kind, _, ok := e.Check()
		return ok && kind == trace.CheckFailNow
	})
	if i < 0 {
		return trace.Frame{}, false
	}
	return f.code.endOf(blockAt(g, int64(i))), true
}

// did reports whether a goroutine of the run shown has done what ends a wait in passing runs: on its way out, or by
// going on from the block that does so as many times as there.
func (f *finder) did(g *trace.Goroutine, wakes []wake, deferred bool) bool {
	if deferred {
		return g.End != 0 && g.End <= f.shown.time
	}
	least := math.MaxInt
	for _, w := range wakes {
		there, _ := f.visits(w.g, w.block, math.MaxInt64)
		n := sort.Search(len(there), func(i int) bool { return there[i].pos > w.pos })
		least = min(least, max(n, 1))
	}
	here, _ := f.visits(g, wakes[0].block, f.shown.time)
	now := f.stateOf(f.shown, g)
	return len(here) >= least && (now == nil || now.pos > here[least-1].pos)
}

// oneGoroutine reports whether a wait was ended by the same goroutine in all runs.
func oneGoroutine(wakes []wake) bool {
	return !slices.ContainsFunc(wakes, func(w wake) bool { return w.g.ID != wakes[0].g.ID })
}

// ofTest reports whether a goroutine belongs to the test, to one that it is part of
// or that is part of it, or to none: those of other subtests of the same test, which
// may run in parallel, do their work for themselves.
func (f *finder) ofTest(g *trace.Goroutine) bool {
	return f.ours(g) && (g.Test == "" || g.Test == f.Test ||
		strings.HasPrefix(f.Test, g.Test+"/") || strings.HasPrefix(g.Test, f.Test+"/"))
}
