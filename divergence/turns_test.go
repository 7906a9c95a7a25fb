package divergence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// turnRun is a run of tests one after the other, of which TestA to TestD set
// something up in block 5, and TestX fails if the last of them was TestA.
func turnRun(n int, tests []string) Run {
	last := ""
	for _, name := range tests[:slices.Index(tests, "TestX")] {
		if name <= "TestD" {
			last = name
		}
	}
	r := valueRun(n, last == "TestA")
	for i, name := range tests {
		start := int64(10 * (i + 1))
		r.Trace.Tests = append(r.Trace.Tests, trace.TestRun{Name: name, Start: start, End: start + 9})
		if name == "TestX" {
			continue
		}
		events := []trace.Event{7}
		if name <= "TestD" {
			events = []trace.Event{7, 5}
		}
		g := trace.NewGoroutine(trace.GoroutineID(i+2), name+"/sub", events)
		g.Start, g.End = start, start+8
		r.Trace.Goroutines = append(r.Trace.Goroutines, g)
	}
	return r
}

func turnRuns(n int, shuffle func(n int, swap func(i, j int))) []Run {
	var runs []Run
	for i := range n {
		tests := []string{"TestA", "TestB", "TestC", "TestD", "TestE", "TestF", "TestX"}
		shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
		runs = append(runs, turnRun(i+1, tests))
	}
	return runs
}

// Who was the last to run block 5 tells the outcome of each run, who was the last
// to run block 7 (the test before TestX) that of some.
func TestLastTests(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, err := newAnalysis(Input{Test: "TestX", Runs: turnRuns(60, r.Shuffle), Sites: surroundingSites()})
	if err != nil {
		t.Fatal(err)
	}
	l := a.lastTests()
	if l == nil {
		t.Fatal("got nothing")
	}
	five, seven := l.Of([]int{5}), l.Of([]int{7, 5})
	if got, want := fmt.Sprint(five.Failing), fmt.Sprintf("[{TestA %d}]", a.cohort.nFail); got != want {
		t.Errorf("failing runs have %s, want %s", got, want)
	}
	if slices.ContainsFunc(five.Passing, func(c TestCount) bool { return c.Test == "TestA" || c.Test > "TestD" }) || five.P > 0.005 {
		t.Errorf("got %+v, want others in passing runs, and not by chance", five)
	}
	if !slices.ContainsFunc(seven.Passing, func(c TestCount) bool { return c.Test == "TestE" }) {
		t.Errorf("the last to run anything: got %+v, want TestE among them", seven)
	}
	if none := l.Of([]int{6}); fmt.Sprint(none.Failing) != fmt.Sprintf("[{ %d}]", a.cohort.nFail) || none.P < 1 {
		t.Errorf("a block that no test ran: got %+v, want no test, and chance", none)
	}
}

// With the same tests before TestX in all runs nothing is known: here those that
// come after it change places.
func TestLastTestsFixed(t *testing.T) {
	runs := turnRuns(20, func(_ int, swap func(i, j int)) { swap(4, 6); swap(5, 6) })
	runs = append(runs, turnRuns(1, func(_ int, swap func(i, j int)) { swap(4, 6) })...)
	runs[0].Failed = true
	a, err := newAnalysis(Input{Test: "TestX", Runs: runs, Sites: surroundingSites()})
	if err != nil {
		t.Fatal(err)
	}
	if l := a.lastTests(); l != nil {
		t.Errorf("got %+v", l)
	}
}
