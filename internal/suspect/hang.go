package suspect

import (
	"fmt"
	"path"
	"sort"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// hang takes in who waited for what: from the test's own wait to what the
// goroutine did that should have ended it, and so on.
func (f *finder) hang() {
	h := f.Hang
	if h == nil {
		return
	}
	for _, i := range h.LockOrder {
		w := &h.Waits[i]
		held := w.Holds[len(w.Holds)-1]
		f.addFrame(w.At, 0.94, fmt.Sprintf("%s is locked here while %s is held; another goroutine holds one and waits for another too", w.For, held.Lock))
		f.addFrame(held.At, 0.84, fmt.Sprintf("%s is locked here and still held while %s is waited for", held.Lock, w.For))
	}
	told := make(map[int]bool)
	for i := 0; i >= 0 && i < len(h.Waits) && !told[i] && !h.Waits[i].Benign; {
		told[i] = true
		i = f.oneWait(h, i)
	}
}

// oneWait takes in one wait, and returns that of the goroutine which should have
// ended it, -1 if it is in none.
func (f *finder) oneWait(h *finding.Hang, i int) int {
	w := &h.Waits[i]
	failing := max(h.Failing, len(f.Analysis.Failing)) // those that did not hang too
	f.addFrame(w.At, 0.45, fmt.Sprintf("in %d of %d failing runs a goroutine waits here in the end", w.Failing, failing))
	for _, j := range w.Holders {
		if i == j {
			f.addFrame(w.At, 0.94, fmt.Sprintf("waits for %s, which the same goroutine seems to hold", w.For))
		}
	}
	for _, r := range w.Releasers {
		f.addFrame(r.At, 0.82, fmt.Sprintf("can end the wait at line %d; it was run in %d of %d passing and %d of %d failing runs", w.At.Line, r.Passing, r.Of, r.Failing, r.FailOf))
	}
	for _, l := range w.Leaked {
		f.addFrame(l.At, 0.9, fmt.Sprintf("%s is locked here and was not unlocked on the way out of the function", l.Lock))
	}
	k := w.Waker
	if k == nil || k.Timer {
		return -1
	}
	f.waker(h, w, k)
	return k.Fate.Wait
}

// waker takes in who ended a wait in passing runs, and what became of it.
func (f *finder) waker(h *finding.Hang, w *finding.Wait, k *finding.Waker) {
	what := k.Code
	if what == "" {
		what = fmt.Sprintf("line %d", k.At.Line)
	}
	if k.Fate.Turn != nil {
		f.turned(h, k, what)
	}
	switch k.Fate.State {
	case finding.FateEnded:
		f.addFrame(k.Fate.At, 0.93, fmt.Sprintf("the goroutine that ends the wait in passing runs, with %s, ended here without it", what))
	case finding.FateEarly:
		f.addFrame(w.At, 0.93, fmt.Sprintf("begins to wait when the one that ends the wait in passing runs, with %s, has already done so", what))
	}
	f.addFrame(k.At, 0.83, fmt.Sprintf("in passing runs this ends the wait at line %d", w.At.Line))
}

// turned takes in where the goroutine that ends a wait in passing runs took
// another way, and what those that wait change of what was looked at there: they
// may have come too late.
func (f *finder) turned(h *finding.Hang, k *finding.Waker, what string) {
	const another = "the goroutine that ends the wait in passing runs, with %s, took another way"
	t, score := k.Fate.Turn, 0.935
	if k.Fate.State == finding.FateEnded {
		score = 0.925 // where it ended says which way
	}
	f.addFrame(t.At, score, fmt.Sprintf(another+" here", what))
	at, _ := t.Goroutine.Between(t.Pos - 1)
	looked, best := f.lookedAfter(t.Block, nil), 0
	for i := range h.Waits {
		g := h.Waits[i].Goroutine
		if g == nil || g == t.Goroutine || h.Waits[i].Benign {
			continue
		}
		for _, b := range blocksAfter(g, at) {
			if f.src.changes(b, looked) {
				best = b
			}
		}
	}
	f.addBlock(best, 0.945, fmt.Sprintf("changes what is looked at in %s:%d, where "+another+": nothing orders the two", path.Base(t.At.File), t.At.Line, what))
}

// blocksAfter returns the blocks of a stream that are not certain to have been run
// before a time.
func blocksAfter(g *trace.Goroutine, time int64) (list []int) {
	i := int64(sort.Search(int(g.Len()), func(i int) bool {
		_, latest := g.Between(int64(i))
		return latest > time
	}))
	for i < g.Len() {
		events, first, err := g.LoadAt(i)
		if err != nil || first+int64(len(events)) <= i {
			break
		}
		for _, e := range events[i-first:] {
			if b, ok := e.Block(); ok {
				list = append(list, b)
			}
		}
		i = first + int64(len(events))
	}
	return list
}

// addFrame adds a line.
func (f *finder) addFrame(at trace.Frame, score float64, why string) {
	if path, ok := f.Sites.Rel(at.File); ok {
		f.add(finding.Suspect{File: path, Start: at.Line, End: at.Line, Score: score, Why: why})
	}
}
