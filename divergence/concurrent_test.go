package divergence

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// When TestX looks at 100, the worker has run blocks 5 and 6 and waits, to go on
// with 7 at 200; in passing runs it had done all by then.
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
	if c := a.Concurrent[0]; len(c.Around) != 0 {
		t.Errorf("blocks %v ran around the time of the divergence, want none: they ran at 200", c.Around)
	}
}

// The worker runs 7 and 8 while TestX looks at 100 to 120, and in failing runs 7 again at
// 200: that is certainly after it.
func TestConcurrentAgain(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 110)
		if n < 6 {
			worker := r.Trace.Goroutines[1]
			again := trace.NewGoroutine(worker.ID, worker.Test, []trace.Event{5, 6, 7, 8, 7})
			again.Parent, again.Spawn, again.Start = worker.Parent, worker.Spawn, worker.Start
			again.Stamps = append(worker.Stamps, trace.Stamp{Pos: 4, Time: 200, GoesOn: true})
			r.Trace.Goroutines[1] = again
		}
		runs = append(runs, r)
	}
	c := analyzeRuns(t, runs).Concurrent
	if len(c) != 1 || fmt.Sprint(c[0].Around, c[0].After) != "[7 8] [7]" {
		t.Errorf("got %+v, want 7 and 8 around the time, and 7 after it", c)
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

// With -count the test is run again after it has failed, and a subtest ran before:
// that is not concurrent. Another test is, if it was there in more than one run.
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
