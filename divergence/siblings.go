package divergence

import "github.com/fdebug/fdebug/trace"

// Siblings are the goroutines that one goroutine starts at the same place, in all runs.
type siblings struct {
	lanes   []*lane
	parents *int // goroutines that start some of their class in this execution of the test
}

// A siblingsKey identifies siblings.
type siblingsKey struct {
	parent trace.GoroutineID
	spawn  trace.Frame
	root   bool
	test   string
	nth    int
}

// A relativeKey is a class in one execution of the test.
type relativeKey struct{ class, nth int }

// join adds a new lane, with goroutine g, to its siblings.
func (m *matcher) join(l *lane, g *trace.Goroutine) {
	k := siblingsKey{g.Parent, g.Spawn, g.Root, g.Test, g.Nth}
	if m.siblings[k] == nil {
		r := relativeKey{l.class, g.Nth}
		if m.parents[r] == nil {
			m.parents[r] = new(int)
		}
		*m.parents[r]++
		m.siblings[k] = &siblings{parents: m.parents[r]}
	}
	l.siblings = m.siblings[k]
	l.siblings.lanes = append(l.siblings.lanes, l)
}

// named reports whether it is known which one of its class a goroutine is: whether no other
// goroutine starts some of the class, and in some run all its siblings start, at different times.
// Runs that ended early do not have all of them.
func (l *lane) named() bool {
	f := l.siblings
	if *f.parents > 1 || len(f.lanes) == 1 {
		return *f.parents == 1
	}
	for run := range f.lanes[0].streams {
		if f.ordered(run) {
			return true
		}
	}
	return false
}

// ordered reports whether a run has all siblings, and it is known in which order they started.
func (f *siblings) ordered(run int) bool {
	starts := make(map[int64]bool)
	for _, l := range f.lanes {
		if g := l.streams[run]; g == nil || starts[g.Start] {
			return false
		}
		starts[l.streams[run].Start] = true
	}
	return true
}
