package divergence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// earlierRun is a run in which the given tests begin one after the other. TestX is among them.
func earlierRun(n int, failed bool, tests ...string) Run {
	r := valueRun(n, failed)
	for i, name := range tests {
		r.Trace.Tests = append(r.Trace.Tests, trace.TestRun{Name: name, Start: int64(10 * (i + 1))})
	}
	return r
}

// shuffledRuns makes n runs of TestX and tests TestA to TestH in random orders. fails decides
// from the tests before TestX whether a run fails.
func shuffledRuns(n int, fails func(before []string) bool) []Run {
	r := rand.New(rand.NewPCG(1, 2))
	var runs []Run
	for i := range n {
		tests := []string{"TestX", "TestA", "TestB", "TestC", "TestD", "TestE", "TestF", "TestG", "TestH"}
		r.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
		before := tests[:slices.Index(tests, "TestX")]
		runs = append(runs, earlierRun(i+1, fails(before), tests...))
	}
	return runs
}

func TestEarlier(t *testing.T) {
	has := slices.Contains[[]string]
	for name, c := range map[string]struct {
		fails func(before []string) bool
		want  string
	}{
		"polluter":  {func(b []string) bool { return has(b, "TestC") }, "[TestC] true"},
		"setter":    {func(b []string) bool { return !has(b, "TestC") }, "[TestC] false"},
		"polluters": {func(b []string) bool { return has(b, "TestC") || has(b, "TestF") }, "[TestC TestF] true"},
		"setters":   {func(b []string) bool { return !has(b, "TestC") && !has(b, "TestF") }, "[TestC TestF] false"},
	} {
		a := analyzeValues(t, shuffledRuns(80, c.fails))
		if a.Earlier == nil {
			t.Errorf("%s: nothing found", name)
			continue
		}
		slices.Sort(a.Earlier.Tests)
		if got := fmt.Sprint(a.Earlier.Tests, a.Earlier.FailsIf); got != c.want || !a.Earlier.Table.Perfect() {
			t.Errorf("%s: got %s %+v, want %s in all runs", name, got, a.Earlier.Table, c.want)
		}
	}
}

// In a fixed order, all runs have the same tests before.
func TestEarlierFixed(t *testing.T) {
	var runs []Run
	for n := range 20 {
		runs = append(runs, earlierRun(n+1, n%2 == 0, "TestA", "TestX", "TestB"))
	}
	if e := analyzeValues(t, runs).Earlier; e != nil {
		t.Errorf("got %+v", e)
	}
}

// Failing runs have no test before, as if they ran one test alone, and passing runs have all of
// them. So it is unknown which one is missing. Of two tests that are always together, both are
// returned.
func TestEarlierTwins(t *testing.T) {
	all := []string{"TestA", "TestB", "TestC", "TestD", "TestX"}
	var alone, pair []Run
	for n := range 20 {
		tests := all
		if n%2 == 0 {
			tests = []string{"TestX"}
		}
		alone = append(alone, earlierRun(n+1, n%2 == 0, tests...))
		tests = []string{"TestC", "TestX", "TestA", "TestB"}
		if n%2 == 0 {
			tests = []string{"TestA", "TestB", "TestX", "TestC"}
		}
		pair = append(pair, earlierRun(n+1, n%2 == 0, tests...))
	}
	if e := analyzeValues(t, alone).Earlier; e != nil {
		t.Errorf("of all tests at once: %+v", e)
	}
	if e := analyzeValues(t, pair).Earlier; e == nil || fmt.Sprint(e.Tests) != "[TestA TestB]" || !e.FailsIf {
		t.Errorf("of two tests: %+v", e)
	}
}

// If the outcomes have nothing to do with the order, at most a few of 200 tries seem to.
func TestEarlierNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 200 {
		runs := shuffledRuns(24, func([]string) bool { return r.IntN(3) == 0 })
		runs = append(runs, earlierRun(25, false, "TestX"), earlierRun(26, true, "TestX"))
		if analyzeValues(t, runs).Earlier != nil {
			found++
		}
	}
	if found > 2 {
		t.Errorf("found %d orders of tests in noise, of 200", found)
	}
}

// Blocks are sorted by their last visit, across goroutines by time. Block 1 runs first and last,
// and block 4 on a goroutine that began after the other one had ended.
func TestLastVisits(t *testing.T) {
	goroutine := func(id trace.GoroutineID, start, end int64, events ...trace.Event) *trace.Goroutine {
		g := trace.NewGoroutine(id, "TestX", events)
		g.Start, g.End = start, end
		return g
	}
	a := &analysis{in: Input{Sites: &trace.Sites{Blocks: make([]trace.Block, 6)}}}
	for _, c := range []struct {
		list []*trace.Goroutine
		want []int
	}{
		{[]*trace.Goroutine{goroutine(1, 10, 20, 1, 2, 3, 2, 1)}, []int{3, 2, 1}},
		{[]*trace.Goroutine{goroutine(2, 30, 40, 4, 2), goroutine(1, 10, 20, 1, 2, 3, 1)}, []int{3, 1, 4, 2}},
		{nil, []int{}},
	} {
		if got := a.lastVisits(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}
