package hang

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// An outcome is how a wait went on in one passing run.
type outcome int

const (
	never   outcome = iota // no such goroutine, or it did not come there
	past                   // it went on
	waiting                // it waits there too
	unknown                // the stream was not kept
)

// inPassing counts how a wait went on in passing runs.
func (f *finder) inPassing(w *finding.Wait, s *state) {
	for _, m := range f.passing {
		switch f.same(m, s) {
		case never:
			w.Never++
		case waiting:
			w.Waiting++
		case past:
			w.Past++
		}
	}
}

// maxAlike is how many goroutines of one origin are tried.
const maxAlike = 20

// same says how the wait of a goroutine went on in another run. Where its partner by identity did not come there, or
// there is none, one of the same origin that did stands for it: which of several that are started alike it is, is
// chance.
func (f *finder) same(m *moment, s *state) outcome {
	list := slices.DeleteFunc(slices.Clone(m.Trace.Goroutines), func(g *trace.Goroutine) bool { return !alike(g, s.g) })
	list = list[:min(len(list), maxAlike)]
	if partner := m.byID[s.g.ID]; partner != nil {
		list = slices.Insert(list, 0, partner)
	}
	for _, g := range list {
		if o := f.visitOf(m, g, s); o != never {
			return o
		}
	}
	return never
}

// alike reports whether two goroutines of different runs have the same origin.
func alike(a, b *trace.Goroutine) bool {
	return a.Root == b.Root && a.Spawn == b.Spawn && a.Entry == b.Entry &&
		trace.TopTest(a.Test) == trace.TopTest(b.Test)
}

// visitOf looks for the same visit of the block that s waits in.
func (f *finder) visitOf(m *moment, g *trace.Goroutine, s *state) outcome {
	if now := f.stateOf(m, g); now != nil && now.block == s.block {
		return waiting
	}
	list, ok := f.visits(g, s.block, m.time)
	if !ok {
		return unknown
	}
	if len(list) == 0 {
		return never
	}
	if v := list[min(f.nth(s), len(list))-1]; !v.past {
		return waiting
	}
	return past
}

// nth returns how many times the goroutine had run the block it waits in, with
// this time.
func (f *finder) nth(s *state) int {
	list, _ := f.visits(s.g, s.block, f.shown.time)
	n := 0
	for _, v := range list {
		if v.pos <= s.pos {
			n++
		}
	}
	return max(n, 1)
}

// waitLike returns the same wait that a failing run ends with, nil if it does not.
func (f *finder) waitLike(m *moment, s *state) *state {
	for _, t := range f.statesAt(m) {
		if t.block == s.block && (t.g.ID == s.g.ID || alike(t.g, s.g)) {
			return t
		}
	}
	return nil
}
