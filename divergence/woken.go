package divergence

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A Wake is how another goroutine ended a wait of the one that diverged, before the divergence:
// the other made it runnable. A goroutine that was woken has waited, even if the source shows no
// wait. Waits for locks are left out, because they are not for an act of another goroutine.
type Wake struct {
	At   int         // the block in which it had waited
	By   trace.Frame // the go statement that started the other goroutine
	From int         // the last block that the other one had run by then, or 0
	Ran  []Count     // the blocks it had run by then, in the order in which they first ran
}

const maxWakes = 16 // for one divergence

// wokenAt returns the different wakes of the goroutine at a divergence, over all runs that came there.
func (a *analysis) wokenAt(f *finding) (list []Wake) {
	for _, s := range a.anchors(f) {
		t := a.in.Runs[s.run].Trace
		for i := 1; i < len(s.g.Stamps) && len(list) < maxWakes; i++ {
			park, on := s.g.Stamps[i-1], s.g.Stamps[i]
			by := t.Waker(on)
			if park.GoesOn || !on.GoesOn || park.Pos == 0 || park.Pos > s.pos || by == nil || by.Spawn.File == "" ||
				forLock(t.Reason(park)) {
				continue
			}
			w := Wake{By: by.Spawn}
			w.At, _ = eventAt(s.g, park.Pos-1).Block()
			if on.WakerPos > 0 {
				w.From, _ = eventAt(by, on.WakerPos-1).Block()
			}
			if !slices.ContainsFunc(list, func(x Wake) bool {
				return x.At == w.At && x.By == w.By && x.From == w.From
			}) {
				w.Ran = a.ranBefore(by, on.WakerPos)
				list = append(list, w)
			}
		}
	}
	return list
}

// ranBefore returns the blocks of a goroutine before a position, without those that can't be read.
func (a *analysis) ranBefore(g *trace.Goroutine, pos int64) (list []Count) {
	t := newTally(a.code)
	_ = t.read(g, pos, 0)
	for _, b := range t.order {
		list = append(list, Count{int(b), t.counts[b]})
	}
	return list
}

// forLock reports whether the runtime's reason for a wait is a lock.
func forLock(reason string) bool {
	return strings.HasPrefix(reason, "sync.Mutex.") || strings.HasPrefix(reason, "sync.RWMutex.")
}
