package divergence

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// When TestX looks at 100, the worker has run blocks 5 and 6 and waits, to go on with 7 at 200.
// In passing runs it had done everything by then.
func TestConcurrent(t *testing.T) {
	var runs []Run
	for n := range 10 {
		runs = append(runs, orderRun(n+1, false, int64(60+n)))
	}
	for n := range 6 {
		runs = append(runs, orderRun(n+11, true, 200))
	}
	a := analyzeRuns(t, runs)
	if len(a.Concurrent) != 1 || fmt.Sprint(a.Concurrent[0].Blocks) != "[7 8]" {
		t.Errorf("got %+v, want blocks 7 and 8 of the worker", a.Concurrent)
	}
	if c, late := a.Concurrent[0], (ConcurrentRuns{Runs: 6}); c.Ran[0] != late || c.Ran[1] != late {
		t.Errorf("blocks ran %+v, want them run in each of 6 and around the time of the divergence in none: they ran at 200", c.Ran)
	}
}

// In one of six failing runs the worker goes on with 7 and 8 around the time, in two with 8 at
// 200 only, in the others never.
func TestConcurrentInSome(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 110)
		if 0 < n && n < 6 {
			worker := r.Trace.Goroutines[1]
			events, stamps := []trace.Event{5, 6, 7}, slices.Clone(worker.Stamps)
			if stamps[2].Pos = 3; n < 3 {
				events, stamps = append(events, 8), append(stamps, trace.Stamp{Pos: 3, Time: 200, GoesOn: true})
			}
			some := trace.NewGoroutine(worker.ID, worker.Test, events)
			some.Parent, some.Spawn, some.Start, some.Stamps = worker.Parent, worker.Spawn, worker.Start, stamps
			r.Trace.Goroutines[1] = some
		}
		runs = append(runs, r)
	}
	c := analyzeRuns(t, runs).Concurrent // the worker's own divergence, after 7, comes first
	if last := c[len(c)-1]; fmt.Sprint(last.Blocks, last.Ran) != "[7 8] [{6 6} {3 1}]" {
		t.Errorf("got %+v, want 7 around the time in all of 6 runs, and 8 in 3, in one of them around the time", c)
	}
}

func analyzeRuns(t *testing.T, runs []Run) *Analysis {
	t.Helper()
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// With -count the test runs again after it has failed, and a subtest ran before: neither is
// concurrent. Another test is, if more than one run has it.
func TestConcurrentTests(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 110)
		add := func(id trace.GoroutineID, test string) {
			g := trace.NewGoroutine(id, test, []trace.Event{1, 2, 3})
			g.Root, g.Start = true, 90
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		add(3, "TestX")
		add(4, "TestX/sub")
		add(5, "TestParallel")
		if n == 0 {
			add(6, "TestRare")
		}
		runs = append(runs, r)
	}
	var got []string
	for _, c := range analyzeRuns(t, runs).Concurrent {
		if c.Goroutine.Root {
			got = append(got, c.Goroutine.Test)
		}
	}
	if fmt.Sprint(got) != "[TestParallel]" {
		t.Errorf("got tests %v, want TestParallel", got)
	}
}
