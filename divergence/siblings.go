package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// Siblings are the goroutines that one goroutine starts at the same place, in all runs.
type siblings struct {
	lanes []*lane
	class *relatives
	ranks map[*lane]int // see order; nil if not yet computed
}

// A siblingsKey identifies siblings.
type siblingsKey struct {
	parent trace.GoroutineID
	spawn  trace.Frame
	root   bool
	test   string
	nth    int
}

// Relatives counts the parents and the goroutines of a class in one execution of the test.
type relatives struct{ parents, lanes int }

// A relativeKey is a class in one execution of the test.
type relativeKey struct{ class, nth int }

// join adds a new lane, with goroutine g, to its siblings.
func (m *matcher) join(l *lane, g *trace.Goroutine) {
	k := siblingsKey{g.Parent, g.Spawn, g.Root, g.Test, g.Nth}
	if m.siblings[k] == nil {
		r := relativeKey{l.class, g.Nth}
		if m.relatives[r] == nil {
			m.relatives[r] = &relatives{}
		}
		m.relatives[r].parents++
		m.siblings[k] = &siblings{class: m.relatives[r]}
	}
	l.siblings = m.siblings[k]
	l.siblings.lanes = append(l.siblings.lanes, l)
	l.siblings.class.lanes++
}

// among says which one the goroutine is among its siblings, from 1 in the order in which they
// start, and how many there are. Runs that ended early do not have all of them, so all runs
// count. nth is 0 if no run has them all, or if other goroutines start some of its class, because
// then a place does not identify it.
func (l *lane) among() (nth, of int) {
	f := l.siblings
	switch {
	case f.class.parents > 1:
		return 0, f.class.lanes
	case len(f.lanes) == 1:
		return 1, 1
	}
	return f.order()[l], len(f.lanes)
}

// named reports whether it is known which one of its class a goroutine is.
func (l *lane) named() bool {
	nth, _ := l.among()
	return nth > 0
}

// order returns the number of each lane in the order of starting, from 1, in a run that has all
// of them. It returns nothing if none has.
func (f *siblings) order() map[*lane]int {
	if f.ranks != nil {
		return f.ranks
	}
	f.ranks = make(map[*lane]int)
	for run := range f.lanes[0].streams {
		if byStart := f.inRun(run); byStart != nil {
			for i, l := range byStart {
				f.ranks[l] = i + 1
			}
			break
		}
	}
	return f.ranks
}

// inRun returns the lanes in the order in which they started in a run, or nil if the run does not
// have all of them or their order is unknown.
func (f *siblings) inRun(run int) []*lane {
	list := slices.Clone(f.lanes)
	if slices.ContainsFunc(list, func(l *lane) bool { return l.streams[run] == nil }) {
		return nil
	}
	start := func(l *lane) int64 { return l.streams[run].Start }
	slices.SortFunc(list, func(x, y *lane) int { return cmp.Compare(start(x), start(y)) })
	for i := 1; i < len(list); i++ {
		if start(list[i-1]) == start(list[i]) {
			return nil
		}
	}
	return list
}
