package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A Leftover is a thing beside variables that a test changed before this one, which found it changed.
type Leftover struct {
	By      string        // the test
	Thing   int           // trace.TouchEnv and so on
	Changed []trace.Frame // the stack of the last change by that test, innermost first
	Found   []trace.Frame // that of this test
}

// A foundLeft is a leftover with its stacks as runs know them.
type foundLeft struct {
	by             string
	thing          int
	changed, found uint32
}

// left returns the leftovers that this test found in failing runs alone, or in passing ones alone: those of most runs
// first, of several in as many the one that was found last.
func (a *analysis) left() (left []Leftover) {
	var list []foundLeft
	runs, stacks := map[bool]map[foundLeft]int{true: {}, false: {}}, make(map[uint32][]trace.Frame)
	failing, passing := runs[true], runs[false]
	for run, r := range a.in.Runs {
		for _, l := range a.leftIn(run) {
			stacks[l.changed], stacks[l.found] = r.Trace.Stacks[l.changed], r.Trace.Stacks[l.found]
			if failing[l]+passing[l] == 0 {
				list = append(list, l)
			}
			runs[r.Failed][l]++
		}
	}
	slices.Reverse(list)
	list = slices.DeleteFunc(list, func(l foundLeft) bool { return failing[l] > 0 && passing[l] > 0 })
	slices.SortStableFunc(list, func(x, y foundLeft) int {
		return failing[y] + passing[y] - failing[x] - passing[x]
	})
	for _, l := range list {
		left = append(left, Leftover{l.by, l.thing, stacks[l.changed], stacks[l.found]})
	}
	return left
}

// leftIn returns the leftovers that this test found in a run before it failed, in that order.
func (a *analysis) leftIn(run int) (list []foundLeft) {
	type change struct {
		foundLeft
		was int // before the first change of the test
	}
	last := make(map[int]*change)
	t, own, check := a.in.Runs[run].Trace, trace.TopTest(a.in.Test), &a.checks[run]
	for _, n := range t.Notes {
		if n.Kind != trace.ActLeft || n.Goroutine == 0 || check.lane != nil && n.Time > check.hi {
			continue
		}
		x, by := trace.TouchOf(n.Value), trace.TopTest(t.Goroutines[n.Goroutine-1].Test)
		c := last[x.Number]
		if x.Looks && c != nil && by == own && c.by != own && c.was != x.Was {
			l := c.foundLeft
			l.found = x.Stack
			list = append(slices.DeleteFunc(list, func(o foundLeft) bool { return o == l }), l)
		}
		if x.Changes && (c == nil || c.by != by) {
			c = &change{foundLeft{by: by, thing: x.Thing}, x.Was}
			last[x.Number] = c
		}
		if x.Changes {
			c.changed = x.Stack
		}
	}
	return list
}
