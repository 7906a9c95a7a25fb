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

// A wakerKey has the common traits of goroutines that end a wait.
type wakerKey struct {
	spawn trace.Frame
	root  bool
	block int
}

// A wake is how a wait ended in one passing run.
type wake struct {
	key wakerKey
	run *trace.Trace
	g   *trace.Goroutine // the waker
	pos int64
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

// waker finds the goroutine that ended a wait in passing runs, and its fate in
// the failing run that is shown.
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
			wakes[k] = append(wakes[k], wake{k, m.Trace, g, v.resume.WakerPos})
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
		if len(best) == 0 || cmp.Or(cmp.Compare(len(list), len(best)), best[0].key.compare(list[0].key)) > 0 {
			best = list
		}
	}
	return best
}

// compare is an order of keys that is the same in each comparison.
func (k wakerKey) compare(o wakerKey) int {
	return cmp.Or(cmp.Compare(k.block, o.block), cmp.Compare(k.spawn.File, o.spawn.File),
		cmp.Compare(k.spawn.Line, o.spawn.Line))
}

func (f *finder) describeWaker(wakes []wake, s *state) *finding.Waker {
	first := wakes[0]
	w := &finding.Waker{By: actor(first.run, first.g), At: f.code.endOf(first.key.block), Runs: len(wakes)}
	if !oneGoroutine(wakes) {
		w.By.Of = kinOf(first)
	}
	rel := f.code.release(first.key.block, s.reason, f.entryFunc(wakes))
	if rel.at.Line > 0 {
		w.At, w.Code, w.Deferred = rel.at, rel.code, rel.deferred
	}
	w.Deferred = w.Deferred || rel.at.Line == 0 && atEnd(wakes)
	w.Fate = f.fate(wakes, s, rel)
	w.Fate.Kin = w.Fate.Kin && w.By.Of > 1
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

// fate returns the fate, in the run shown, of the goroutine that should have ended a wait. If
// different goroutines ended it in passing runs, or this one did so here too, it reports a sibling that
// did not: a WaitGroup needs all of them. Where one would have sufficed, and they are at different
// places, it is not known which.
func (f *finder) fate(wakes []wake, s *state, rel release) finding.Fate {
	one := oneGoroutine(wakes)
	if g := f.shown.byID[wakes[0].g.ID]; g != nil && one {
		if x := f.fateOf(g, wakes, s, rel); x.State != finding.FateDid {
			return x
		}
	}
	best := finding.Fate{State: finding.FateMissing, Wait: -1}
	seen := make(map[trace.Frame]bool)
	for _, g := range f.kin(wakes[0].g, s) {
		x := f.fateOf(g, wakes, s, rel)
		if fateRank[x.State] < fateRank[best.State] {
			best, best.Kin = x, !one || g.ID != wakes[0].g.ID
		}
		seen[x.At] = true
	}
	if best.Kin && len(seen) > 1 && !waitsForAll(s.reason) { // any one would have sufficed
		return finding.Fate{State: finding.FateUnknown, At: best.At, Wait: -1, Kin: true}
	}
	return best
}

// waitsForAll reports whether a wait may be one for several goroutines, as that of a WaitGroup is.
func waitsForAll(reason string) bool {
	return reason == "sync.WaitGroup.Wait" || reason == "semacquire"
}

// maxFirst is how many events of a goroutine are looked at for its first call.
const maxFirst = 64

// kin returns the goroutines of the run shown that were started like one of another run: among the
// goroutines that a function starts for any func given to it, those that call the same first, if there are any.
func (f *finder) kin(waker *trace.Goroutine, s *state) (list []*trace.Goroutine) {
	for _, g := range f.shown.Trace.Goroutines {
		if g != s.g && f.ofTest(g) && alike(g, waker) {
			list = append(list, g)
		}
	}
	called := f.firstCalled(waker)
	same := func(g *trace.Goroutine) bool { return f.firstCalled(g) == called }
	if called >= 0 && slices.ContainsFunc(list, same) {
		list = slices.DeleteFunc(list, func(g *trace.Goroutine) bool { return !same(g) })
	}
	return list
}

// firstCalled returns the first function that a goroutine was seen to call, -1 if it is not known.
func (f *finder) firstCalled(g *trace.Goroutine) int {
	own := -1
	for i := range min(g.Len(), maxFirst) {
		b := blockAt(g, i)
		if !f.Sites.Has(b) {
			continue
		}
		switch fn := f.Sites.Blocks[b].Func; {
		case own < 0:
			own = fn
		case fn != own:
			return fn
		}
	}
	return -1
}

// kinOf counts the goroutines of a run that were started like one that ended a wait.
func kinOf(w wake) int {
	n := 0
	for _, g := range w.run.Goroutines {
		if alike(g, w.g) {
			n++
		}
	}
	return n
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

// fateRank says which of several goroutines explains most.
var fateRank = map[finding.FateState]int{
	finding.FateWaits: 0, finding.FateRuns: 1, finding.FateEnded: 2, finding.FateEarly: 3, finding.FateLate: 4,
	finding.FateUnknown: 5, finding.FateDid: 6, finding.FateMissing: 7,
}

// fateOf returns the fate of one goroutine.
func (f *finder) fateOf(g *trace.Goroutine, wakes []wake, s *state, rel release) finding.Fate {
	x := finding.Fate{Wait: -1}
	now := f.stateOf(f.shown, g)
	if now != nil {
		x.Wait = slices.IndexFunc(f.known, func(k known) bool { return k.state != nil && k.state.g == g })
	}
	switch d := f.done(g, wakes, s); {
	case d.maybe && now != nil && now.pos == d.pos && !f.behind(x.Wait, rel):
		x.State = finding.FateUnknown
		if f.before(x.Wait, rel) {
			x.State = finding.FateWaits
		}
	case d.maybe && now != nil && now.pos == d.pos, d.maybe && d.by <= f.stillWaited(s):
		x.State = finding.FateDid
		if s.park != 0 && d.allBy <= s.park && s.reason == condWait { // a channel keeps it
			x.State, x.Before = finding.FateEarly, time.Duration(s.park-d.allBy)
		}
	case d.maybe:
		x.State = finding.FateUnknown
	case d.by != math.MaxInt64 && (now == nil || now.pos > d.pos):
		x.State = finding.FateLate
	case now != nil:
		x.State = finding.FateWaits
	case g.End != 0 && g.End <= f.shown.time:
		x.State = finding.FateEnded
	default:
		x.State = finding.FateRuns
	}
	if x.State != finding.FateWaits {
		x.Wait = -1
	}
	x.At = f.lastPlace(g, now)
	if x.State == finding.FateEnded {
		if by, at := f.endedBy(g); by != "" {
			x.By, x.At = by, at
		}
	}
	if x.Wait >= 0 {
		x.At = f.out.Waits[x.Wait].At
	}
	return x
}

// A done says when a goroutine did the act that ends a wait in passing runs.
type done struct {
	maybe bool  // it may have begun to before the wait ended
	pos   int64 // how many events it had written then, if it did at all
	by    int64 // it had certainly done it then, MaxInt64: it is not known to have
	allBy int64 // the same for all that it may have done of the kind before the wait ended
}

// done looks for when a goroutine did the act that ends a wait in passing runs. A block
// is written when it begins: its act is done only when the goroutine has gone on.
func (f *finder) done(g *trace.Goroutine, wakes []wake, s *state) done {
	d := done{by: math.MaxInt64, allBy: math.MaxInt64}
	all, _ := f.visits(g, wakes[0].key.block, math.MaxInt64)
	n := max(f.rounds(g, wakes), 1)
	if len(all) < n {
		return d
	}
	inTime, _ := f.visits(g, wakes[0].key.block, s.end)
	d.maybe, d.pos = len(inTime) >= n, all[n-1].pos
	d.by, d.allBy = f.wentOn(g, d.pos), f.wentOn(g, all[max(len(inTime), n)-1].pos)
	if atEnd(wakes) {
		earliest, _ := g.Between(g.Len() - 1)
		d = done{earliest <= s.end, g.Len(), f.wentOn(g, g.Len()), f.wentOn(g, g.Len())}
		if f.stateOf(f.shown, g) != nil {
			d.maybe = false // it is not on its way out yet
		}
	}
	return d
}

// wentOn returns by when a goroutine had certainly gone on after its first so many
// events, MaxInt64 if it is not known to have.
func (f *finder) wentOn(g *trace.Goroutine, pos int64) int64 {
	switch {
	case pos < g.Len() && f.shown.gaveUp == nil:
		_, latest := g.Between(pos)
		return min(latest, f.shown.time) // the process had ended then
	case pos < g.Len():
		_, latest := g.Between(pos)
		return latest
	case g.End != 0:
		return g.End
	}
	return math.MaxInt64
}

// stillWaited returns up to when the wait certainly went on. A timer fires some time
// before the goroutine runs again.
func (f *finder) stillWaited(s *state) int64 {
	if s == f.shown.gaveUp {
		return s.park
	}
	return s.end
}

// behind reports whether the i-th wait is in a statement behind one that releases, in
// the same block; before, whether it is in one before it.
func (f *finder) behind(i int, rel release) bool { return f.compare(i, rel) > 0 }
func (f *finder) before(i int, rel release) bool { return f.compare(i, rel) < 0 }

// compare compares the lines of the i-th wait and of the release, 0 if they are the
// same or not known.
func (f *finder) compare(i int, rel release) int {
	if i < 0 || f.known[i].on.line == 0 || rel.at.Line == 0 || rel.deferred || f.out.Waits[i].At.File != rel.at.File {
		return 0
	}
	return cmp.Compare(f.out.Waits[i].At.Line, rel.at.Line)
}

// rounds returns how many times, at least, a goroutine had run the block with which it
// ends a wait when it did so in passing runs: the times before were for other waits.
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
	if now != nil {
		return f.code.endOf(now.block)
	}
	return f.code.endOf(blockAt(g, f.shown.writtenBy(g)-1))
}
