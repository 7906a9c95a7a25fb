package hang

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A wakerKey says what goroutines that end a wait have in common.
type wakerKey struct {
	spawn trace.Frame
	root  bool
	block int
}

// A wake is how a wait ended in one passing run.
type wake struct {
	key wakerKey
	g   *trace.Goroutine // the waker
	pos int64
}

// atEnd reports whether a wait was ended on the way out of the goroutines. Of
// those that the end of the process overtook, nothing is known.
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

// waker finds who ended a wait in passing runs, and what became of that
// goroutine in the failing run that is shown.
func (f *finder) waker(w *finding.Wait, s *state) {
	wakes := make(map[wakerKey][]wake)
	timers, waited := 0, 0
	for _, m := range f.passing {
		_, v, o := f.same(m, s)
		if o != past || v.until == 0 {
			continue
		}
		waited++
		switch g := m.Trace.Waker(v.resume); {
		case v.resume.Waker == trace.WakerTimer:
			timers++
		case g != nil && v.resume.WakerPos > 0:
			k := wakerKey{g.Spawn, g.Root, blockAt(g, v.resume.WakerPos-1)}
			wakes[k] = append(wakes[k], wake{k, g, v.resume.WakerPos})
		}
	}
	best := mostOften(wakes)
	switch {
	case timers > len(best):
		w.Waker = &finding.Waker{Timer: true, Runs: timers, Of: waited, Fate: finding.Fate{Wait: -1}}
	case len(best) > 0:
		w.Waker = f.describeWaker(best, s)
		w.Waker.Of = waited
	}
}

// mostOften returns the wakes of the key that has most of them.
func mostOften(wakes map[wakerKey][]wake) []wake {
	var best []wake
	for _, list := range wakes {
		if c := cmp.Or(cmp.Compare(len(list), len(best)), -cmp.Compare(blockOf(list), blockOf(best))); c > 0 {
			best = list
		}
	}
	return best
}

func blockOf(list []wake) int {
	if len(list) == 0 {
		return 0
	}
	return list[0].key.block
}

func (f *finder) describeWaker(wakes []wake, s *state) *finding.Waker {
	first := wakes[0]
	w := &finding.Waker{By: actor(first.g), Runs: len(wakes)}
	span, fn, ok := f.code.span(first.key.block)
	if ok {
		w.At = trace.Frame{Func: fn, File: f.code.abs(span.File), Line: span.End}
	}
	rel := f.code.release(first.key.block, s.reason, f.entryFunc(wakes))
	if rel.at.Line > 0 {
		w.At, w.Code, w.Deferred = rel.at, rel.code, rel.deferred
	}
	w.Deferred = w.Deferred || rel.at.Line == 0 && atEnd(wakes)
	w.Fate = f.fate(wakes, s)
	return w
}

// entryFunc returns the function that a goroutine which ended a wait on its way
// out was started with, -1 for others: what it deferred comes last.
func (f *finder) entryFunc(wakes []wake) int {
	if b := blockAt(wakes[0].g, 0); atEnd(wakes) && f.Sites.Has(b) {
		return f.Sites.Blocks[b].Func
	}
	return -1
}

// fate says what became, in the run shown, of the goroutine that should have
// ended a wait. If it is not the same one in all passing runs, or did it here
// too, it is one of their kind that did not do it: a WaitGroup waits for all.
func (f *finder) fate(wakes []wake, s *state) finding.Fate {
	one := !slices.ContainsFunc(wakes, func(w wake) bool { return w.g.ID != wakes[0].g.ID })
	if g := f.shown.byID[wakes[0].g.ID]; g != nil && one {
		if x := f.fateOf(g, wakes, s); x.State != finding.FateDid {
			return x
		}
	}
	best := finding.Fate{State: finding.FateMissing, Wait: -1}
	for _, g := range f.shown.Trace.Goroutines {
		if g == s.g || !f.ofTest(g) || !alike(g, wakes[0].g) {
			continue
		}
		if x := f.fateOf(g, wakes, s); fateRank[x.State] < fateRank[best.State] {
			best = x
		}
	}
	return best
}

// ofTest reports whether a goroutine belongs to the test, to one that it is part of
// or that is part of it, or to none: those of other subtests of the same test, which
// may run in parallel, do their work for themselves.
func (f *finder) ofTest(g *trace.Goroutine) bool {
	return f.ours(g) && (g.Test == "" || g.Test == f.Test ||
		strings.HasPrefix(f.Test, g.Test+"/") || strings.HasPrefix(g.Test, f.Test+"/"))
}

// fateRank says which of several goroutines explains most.
var fateRank = map[finding.FateState]int{
	finding.FateWaits: 0, finding.FateRuns: 1, finding.FateEnded: 2, finding.FateEarly: 3, finding.FateDid: 4, finding.FateMissing: 5,
}

// fateOf says what became of one goroutine.
func (f *finder) fateOf(g *trace.Goroutine, wakes []wake, s *state) finding.Fate {
	x := finding.Fate{Wait: -1}
	m, leaving := f.shown, atEnd(wakes)
	ended := g.End != 0 && g.End <= m.time
	list, _ := f.visits(g, wakes[0].key.block, m.time)
	if leaving && !ended {
		list = nil // it is not on its way out yet
	}
	now := f.stateOf(m, g)
	switch {
	case len(list) > 0 && len(list) >= f.rounds(g, wakes):
		x.State = finding.FateDid
		_, latest := g.Between(list[len(list)-1].pos - 1)
		if leaving {
			latest = g.End
		}
		if s.park != 0 && latest <= s.park && s.reason == condWait { // a channel keeps it
			x.State, x.Before = finding.FateEarly, time.Duration(s.park-latest)
		}
	case now != nil:
		x.State = finding.FateWaits
		x.Wait = slices.IndexFunc(f.known, func(k known) bool { return k.state != nil && k.state.g == g })
	case ended:
		x.State = finding.FateEnded
	default:
		x.State = finding.FateRuns
	}
	if x.State == finding.FateWaits || x.State == finding.FateEnded {
		x.Turn = f.turn(g, wakes)
	}
	x.At = f.lastPlace(g, now)
	if x.Wait >= 0 {
		x.At = f.out.Waits[x.Wait].At
	}
	return x
}

// rounds returns how many times, at least, a goroutine had run the block with which it
// ends a wait when it did so in passing runs: what it did before was for other waits.
// Of one that did not in any, those of its kind tell.
func (f *finder) rounds(g *trace.Goroutine, wakes []wake) int {
	least, own := 0, false
	for _, w := range wakes {
		if own && w.g.ID != g.ID {
			continue
		}
		list, _ := f.visits(w.g, w.key.block, math.MaxInt64)
		n := sort.Search(len(list), func(i int) bool { return list[i].pos > w.pos })
		if mine := w.g.ID == g.ID; least == 0 || n < least || mine && !own {
			least, own = n, mine
		}
	}
	return least
}

// lastPlace returns where a goroutine was last.
func (f *finder) lastPlace(g *trace.Goroutine, now *state) trace.Frame {
	block := blockAt(g, f.shown.writtenBy(g)-1)
	if now != nil {
		block = now.block
	}
	span, fn, ok := f.code.span(block)
	if !ok {
		return trace.Frame{}
	}
	return trace.Frame{Func: fn, File: f.code.abs(span.File), Line: span.End}
}
