package divergence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A Neighbour is another test of the same process that goes with the outcome:
// because it had been run before the test under analysis, or because something
// that it started was still running.
type Neighbour struct {
	Test string
	// Lingers: goroutines of the other test ran in the time of the test under
	// analysis. Otherwise the other test had ended before.
	Lingers bool
	// Missing: it is failing runs in which that was not so. The test needs
	// something that the other one does.
	Missing bool

	Run       int              // the run that Blocks and Goroutine are of: a failing one, unless Missing
	Blocks    []Count          // what the other test ran before; with Lingers, in that time
	Goroutine *trace.Goroutine // with Lingers, one that did so

	// Table counts failing and passing runs in which that was so, or with
	// Missing in which it was not.
	Table Table
	P     float64 // Fisher's exact test on Table, two-sided, times the number of neighbours
}

const (
	maxNeighbours      = 3
	minNeighbourExcess = 0.6
	maxNeighbourP      = 0.01
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

// neighbours looks for other tests that go with the outcome.
func (a *analysis) neighbours() {
	stays := a.stays()
	var list []Neighbour
	names := a.otherTests()
	for _, name := range names {
		for _, lingers := range []bool{false, true} {
			if n := a.neighbour(name, lingers, stays, 2*len(names)); n != nil {
				list = append(list, *n)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Neighbour) int { return cmp.Compare(x.P, y.P) })
	a.out.Neighbours = list[:min(len(list), maxNeighbours)]
}

// otherTests returns the tests without those that the test under analysis is
// part of, or that are part of it.
func (a *analysis) otherTests() []string {
	var names []string
	for _, r := range a.in.Runs {
		for _, t := range r.Trace.Tests {
			mine := t.Name == a.in.Test || strings.HasPrefix(t.Name, a.in.Test+"/") || strings.HasPrefix(a.in.Test, t.Name+"/")
			sub := strings.Contains(t.Name, "/") && !strings.HasPrefix(t.Name, parentOf(a.in.Test)+"/")
			if !mine && !sub && !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func parentOf(test string) string {
	i := strings.LastIndexByte(test, '/')
	return test[:max(i, 0)]
}

// neighbour tests whether it goes with the outcome that another test had ended
// before, or lingered.
func (a *analysis) neighbour(name string, lingers bool, stays []stay, tests int) *Neighbour {
	fail, pass := 0, 0
	with, without := -1, -1 // a failing run with it, and a passing one
	for i, r := range a.in.Runs {
		had := stays[i].start > 0 && a.had(r.Trace, name, lingers, stays[i])
		switch {
		case had && r.Failed:
			fail++
			with = i
		case had:
			pass++
			without = i
		}
	}
	t := a.cohort.table(fail, pass)
	n := &Neighbour{Test: name, Lingers: lingers, Table: t}
	run := with
	if t.excess() < 0 {
		n.Missing, run = true, without
		n.Table = Table{FailTaken: t.FailNot, FailNot: t.FailTaken, PassTaken: t.PassNot, PassNot: t.PassTaken}
	}
	n.P = min(1, a.cohort.fact.fisher(t)*float64(tests))
	if run < 0 || n.Table.excess() < minNeighbourExcess || n.P > maxNeighbourP {
		return nil
	}
	n.Run = a.in.Runs[run].N
	a.describe(n, a.in.Runs[run].Trace, stays[run])
	return n
}

// had reports whether another test had ended when the stay began, or something
// of it was run in that time.
func (a *analysis) had(t *trace.Trace, name string, lingers bool, s stay) bool {
	if !lingers {
		return slices.ContainsFunc(t.Tests, func(r trace.TestRun) bool {
			return r.Name == name && r.End > 0 && r.End <= s.start
		})
	}
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
	end := s.end
	if end == 0 {
		return from, g.Len()
	}
	to, _ = progress(g, end, end)
	return from, to
}

// describe fills in what the other test ran.
func (a *analysis) describe(n *Neighbour, t *trace.Trace, s stay) {
	counts := make(map[int]int64)
	var order []int
	for _, g := range t.GoroutinesOf(n.Test) {
		from, to := int64(0), g.Len()
		if n.Lingers {
			if from, to = within(g, s); to <= from {
				continue
			}
			n.Goroutine = g
		}
		eachChunk(g, from, func(pos int64, events []trace.Event) bool {
			for _, e := range events[:max(0, min(int64(len(events)), to-pos))] {
				if b, ok := e.Block(); ok && a.in.Sites.Has(b) {
					if counts[b]++; counts[b] == 1 {
						order = append(order, b)
					}
				}
			}
			return pos+int64(len(events)) < to
		})
	}
	for _, b := range order {
		n.Blocks = append(n.Blocks, Count{b, counts[b]})
	}
}
