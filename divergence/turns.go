package divergence

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// LastTests knows which tests of the process were the last to run each block
// before the test under analysis began. Tests that share state take turns in
// setting it up, and the one under analysis finds what the last of them has left.
type LastTests struct {
	Names  []string // of tests, by number; "" is number 0 and stands for none
	Failed []bool   // by run, in the order of Input.Runs
	// Turn holds, by block and run, the test that was the last to run it; zero for none.
	Turn map[int][]Turn
}

// A Turn is a test, by number, and its place in the order of tests of a run, from
// 1 on.
type Turn struct{ Place, Test int32 }

// Turns says how the outcome goes with which test was the last to run any of some
// blocks.
type Turns struct {
	// Failing and Passing are those tests, in runs of either outcome, with the
	// number of runs; "" for none. Most runs come first.
	Failing, Passing []TestCount
	// P is how likely it is that the tests tell as many of the outcomes by chance.
	P float64
}

// A TestCount is a test and a number of runs.
type TestCount struct {
	Test string
	N    int
}

const (
	maxTurnEvents = 1 << 14 // of one goroutine that are looked at
	maxTurnTotal  = 1 << 26 // of all tests in all runs; beyond it nothing is said
	maxTurns      = 1 << 22 // likewise, blocks times runs: 32 MB
)

// lastTests collects which test that had ended before the one under analysis
// began was the last to run each block; nil if all runs have the same tests
// before, or if they are too many to look at.
func (a *analysis) lastTests() *LastTests {
	if len(varying(a.testsBefore())) == 0 {
		return nil
	}
	l := &LastTests{Names: []string{""}, Turn: make(map[int][]Turn)}
	events := int64(0)
	for run, r := range a.in.Runs {
		l.Failed = append(l.Failed, r.Failed)
		goroutines := byTest(r.Trace)
		for place, name := range a.endedBefore(r.Trace) {
			for _, g := range goroutines[name] {
				events += min(g.Len(), maxTurnEvents)
			}
			if events > maxTurnTotal || len(l.Turn)*len(a.in.Runs) > maxTurns {
				return nil
			}
			turn := Turn{int32(place + 1), l.number(name)}
			for b := range a.ranBy(goroutines[name]) {
				if l.Turn[b] == nil {
					l.Turn[b] = make([]Turn, len(a.in.Runs))
				}
				l.Turn[b][run] = turn
			}
		}
	}
	return l
}

func (l *LastTests) number(name string) int32 {
	i := slices.Index(l.Names, name)
	if i < 0 {
		i = len(l.Names)
		l.Names = append(l.Names, name)
	}
	return int32(i)
}

// endedBefore returns the tests that had ended when the one under analysis
// began, in the order in which they began.
func (a *analysis) endedBefore(t *trace.Trace) []string {
	var list []string
	own, others := a.begunBefore(t)
	for _, other := range others {
		if other.End > 0 && other.End <= own.Start {
			list = append(list, other.Name)
		}
	}
	return list
}

// byTest returns the goroutines of each test and its subtests.
func byTest(t *trace.Trace) map[string][]*trace.Goroutine {
	out := make(map[string][]*trace.Goroutine)
	for _, g := range t.Goroutines {
		name, _, _ := strings.Cut(g.Test, "/")
		out[name] = append(out[name], g)
	}
	return out
}

// ranBy returns the blocks that goroutines ran. What can't be read is left out.
func (a *analysis) ranBy(gs []*trace.Goroutine) map[int]bool {
	ran := make(map[int]bool)
	for _, g := range gs {
		eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
			for _, e := range events {
				if b, ok := e.Block(); ok && a.in.Sites.Has(b) {
					ran[b] = true
				}
			}
			return pos < maxTurnEvents
		})
	}
	return ran
}

// Of returns how the outcome goes with which test was the last to run any of
// some blocks.
func (l *LastTests) Of(blocks []int) Turns {
	last := make([]Turn, len(l.Failed))
	for _, b := range blocks {
		for run, t := range l.Turn[b] {
			if t.Place > last[run].Place {
				last[run] = t
			}
		}
	}
	failed := slices.Clone(l.Failed)
	found, as := l.tells(last, failed), 1
	r := rand.New(rand.NewPCG(1, 2))
	for range permutations {
		r.Shuffle(len(failed), func(i, j int) { failed[i], failed[j] = failed[j], failed[i] })
		if l.tells(last, failed) >= found {
			as++
		}
	}
	return Turns{Failing: l.count(last, true), Passing: l.count(last, false), P: float64(as) / (permutations + 1)}
}

// tells returns in how many runs the outcome is that of most runs with the same test.
func (l *LastTests) tells(last []Turn, failed []bool) int {
	n := make([][2]int, len(l.Names))
	for run, t := range last {
		if failed[run] {
			n[t.Test][1]++
		} else {
			n[t.Test][0]++
		}
	}
	sum := 0
	for _, k := range n {
		sum += max(k[0], k[1])
	}
	return sum
}

// count counts the runs of an outcome by test.
func (l *LastTests) count(last []Turn, failed bool) []TestCount {
	n := make(map[int32]int)
	for run, t := range last {
		if l.Failed[run] == failed {
			n[t.Test]++
		}
	}
	var list []TestCount
	for test, k := range n {
		list = append(list, TestCount{l.Names[test], k})
	}
	slices.SortFunc(list, func(x, y TestCount) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Test, y.Test)) })
	return list
}
