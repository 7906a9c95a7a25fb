package divergence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A Lingering is another test of the process of which goroutines were still
// running in the time of the test under analysis, where that goes with the outcome.
type Lingering struct {
	Test      string
	Run       int              // the failing run that what follows is of
	Goroutine *trace.Goroutine // one of those
	Blocks    []int            // what they ran in that time, in the order in which it was first run
	Table     Table            // failing and passing runs in which that was so, or not
	P         float64          // Fisher's exact test on Table, times the number of other tests
}

const (
	maxLingering       = 2
	minLingeringExcess = 0.5
	maxLingeringP      = 0.01
)

// A stay is the time of the test under analysis in one run.
type stay struct{ start, end int64 }

// stays returns the time of the test in each run: up to its failed check.
func (a *analysis) stays() []stay {
	list := make([]stay, len(a.in.Runs))
	for i, r := range a.in.Runs {
		for _, t := range r.Trace.Tests {
			if t.Name == a.in.Test {
				list[i] = stay{t.Start, t.End}
				break
			}
		}
		if c := a.checks[i]; c.lane != nil {
			list[i].end = c.hi
		}
	}
	return list
}

// lingering looks for other tests that had left something running.
func (a *analysis) lingering() {
	stays := a.stays()
	names := a.otherTests()
	for _, name := range names {
		if l := a.lingeringOf(name, stays, len(names)); l != nil {
			a.out.Lingering = append(a.out.Lingering, *l)
		}
	}
	slices.SortStableFunc(a.out.Lingering, func(x, y Lingering) int { return cmp.Compare(x.P, y.P) })
	a.out.Lingering = a.out.Lingering[:min(len(a.out.Lingering), maxLingering)]
}

// otherTests returns the tests without those that the test under analysis is
// part of, or that are part of it, or of others.
func (a *analysis) otherTests() []string {
	m := matcher{test: a.in.Test}
	parent := a.in.Test[:max(0, strings.LastIndexByte(a.in.Test, '/')+1)]
	var names []string
	for _, r := range a.in.Runs {
		for _, t := range r.Trace.Tests {
			sibling := strings.HasPrefix(t.Name, parent) && !strings.Contains(t.Name[len(parent):], "/")
			if sibling && !m.own(t.Name) && !m.above(t.Name) && !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (a *analysis) lingeringOf(name string, stays []stay, tests int) *Lingering {
	fail, pass, shown := 0, 0, -1
	for i, r := range a.in.Runs {
		switch {
		case stays[i].start == 0 || !lingers(r.Trace, name, stays[i]):
		case r.Failed:
			fail++
			shown = i
		default:
			pass++
		}
	}
	l := &Lingering{Test: name, Table: a.cohort.table(fail, pass)}
	l.P = min(1, a.cohort.fact.fisher(l.Table)*float64(tests))
	if shown < 0 || l.Table.excess() < minLingeringExcess || l.P > maxLingeringP {
		return nil
	}
	l.Run = a.in.Runs[shown].N
	for _, g := range a.in.Runs[shown].Trace.GoroutinesOf(name) {
		if from, to := within(g, stays[shown]); to > from {
			l.Goroutine = g
			a.blocksIn(g, from, to, &l.Blocks)
		}
	}
	return l
}

// lingers reports whether something of a test was run in a stay.
func lingers(t *trace.Trace, name string, s stay) bool {
	return slices.ContainsFunc(t.GoroutinesOf(name), func(g *trace.Goroutine) bool {
		from, to := within(g, s)
		return to > from
	})
}

// within returns the events of a goroutine that certainly happened in a stay.
func within(g *trace.Goroutine, s stay) (from, to int64) {
	if g.End > 0 && g.End <= s.start {
		return 0, 0
	}
	_, from = progress(g, s.start, s.start)
	if s.end == 0 {
		return from, g.Len()
	}
	to, _ = progress(g, s.end, s.end)
	return from, to
}

// maxBlocksIn is how many different blocks of a stretch of a stream are listed.
const maxBlocksIn = 500

// blocksIn adds the blocks of events from..to-1, each once. What can't be read
// is left out: the list serves to name a place, not to count.
func (a *analysis) blocksIn(g *trace.Goroutine, from, to int64, list *[]int) {
	seen := make(map[int]bool)
	for _, b := range *list {
		seen[b] = true
	}
	eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for _, e := range events[:max(0, min(int64(len(events)), to-pos))] {
			if b, ok := e.Block(); ok && a.in.Sites.Has(b) && !seen[b] {
				seen[b] = true
				*list = append(*list, b)
			}
		}
		return pos+int64(len(events)) < to && len(*list) < maxBlocksIn
	})
}
