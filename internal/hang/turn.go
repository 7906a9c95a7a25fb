package hang

import "github.com/fdebug/fdebug/trace"

// turn returns where a goroutine left the path on which it ends a wait in passing
// runs, zero if it stopped on it: it went the way of all of them up to some block, and
// then a way that none of them went before it ended the wait.
func (f *finder) turn(g *trace.Goroutine, wakes []wake) (at trace.Frame) {
	here, ok := eventsOf(g)
	if !ok {
		return at
	}
	here = here[:f.shown.writtenBy(g)]
	common := 0
	var passing [][]trace.Event
	for _, w := range wakes {
		there, ok := eventsOf(w.g)
		if !ok || w.pos > int64(len(there)) || w.g.ID != g.ID {
			return at
		}
		there = there[:w.pos]
		passing = append(passing, there)
		common = max(common, trace.CommonLen(here, there))
	}
	if common == 0 || common >= len(here) {
		return at
	}
	for _, there := range passing {
		if len(there) <= common || wentThere(there, here[common-1], here[common]) {
			return at
		}
	}
	return f.code.endOf(f.decided(here[:common], here[common], passing[0][common]))
}

// decided returns the block at whose end two ways part: the last one, or that from
// which its function was called, if it returned on one of them.
func (f *finder) decided(common []trace.Event, nexts ...trace.Event) int {
	for i := len(common) - 1; i >= 0; i-- {
		b, ok := common[i].Block()
		if !ok || !f.Sites.Has(b) {
			continue
		}
		for _, e := range nexts {
			if n, ok := e.Block(); ok && f.Sites.Has(n) && f.Sites.Blocks[n].Func == f.Sites.Blocks[b].Func {
				return b
			}
		}
	}
	b, _ := common[len(common)-1].Block()
	return b
}

// wentThere reports whether a stream has two events in a row.
func wentThere(events []trace.Event, from, to trace.Event) bool {
	for i := 1; i < len(events); i++ {
		if events[i-1] == from && events[i] == to {
			return true
		}
	}
	return false
}
