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
	if last := c[len(c)-1]; fmt.Sprint(last.Blocks) != "[7 8]" {
		t.Errorf("got %+v, want 7 and 8, which not all of the runs came to", c)
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
// concurrent, nor is another test.
func TestConcurrentTests(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 110)
		for i, test := range []string{"TestX", "TestX/sub", "TestParallel"} {
			g := trace.NewGoroutine(trace.GoroutineID(3+i), test, []trace.Event{1, 2, 3})
			g.Root, g.Start = true, 90
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		runs = append(runs, r)
	}
	for _, c := range analyzeRuns(t, runs).Concurrent {
		if slices.Contains(c.Blocks, 1) {
			t.Errorf("got %v, want blocks of the worker alone", c.Blocks)
		}
	}
}

// TestDoneBeforeStart has a goroutine that runs 1 and 2 (line 20, a go statement) three times
// each, and starts two goroutines at line 20. One of these starts another. Everything before the
// go statement itself happened before everything that the child does.
func TestDoneBeforeStart(t *testing.T) {
	sites := &trace.Sites{
		Root: "/m", Files: []trace.File{{Path: "m.go"}}, Funcs: []trace.Func{{Name: "f"}},
		Blocks: []trace.Block{{}, {StartLine: 10, EndLine: 10, StartCol: 1, EndCol: 5}, {StartLine: 20, EndLine: 20, StartCol: 1, EndCol: 5}, {StartLine: 30, EndLine: 30, StartCol: 1, EndCol: 5}},
	}
	a := &analysis{in: Input{Sites: sites}}
	spawn := trace.Frame{File: "/m/m.go", Line: 20}
	g := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 1, 2, 1, 2})
	child := func(id, parent trace.GoroutineID, start int64, at trace.Frame) *trace.Goroutine {
		c := trace.NewGoroutine(id, "TestX", []trace.Event{2, 3})
		c.Parent, c.Start, c.Spawn = parent, start, at
		return c
	}
	first, second := child(2, 1, 100, spawn), child(3, 1, 200, spawn)
	grand, other, orphan := child(4, 3, 300, spawn), child(5, 1, 400, trace.Frame{File: "/else/x.go", Line: 20}), child(6, 9, 500, spawn)
	all := []*trace.Goroutine{g, second, first, grand, other, orphan}
	for _, tt := range []struct {
		h    *trace.Goroutine
		want int64
	}{{first, 1}, {second, 3}, {grand, 3}, {other, 0}, {orphan, 0}, {g, 0}} {
		if got := a.doneBeforeStart(all, g, tt.h); got != tt.want {
			t.Errorf("goroutine %v: %d events before it was started, want %d", tt.h.ID, got, tt.want)
		}
	}
	if got := a.doneBeforeStart(all, first, second); got != 0 {
		t.Errorf("%d events of a sibling", got)
	}
	// By the times the order is unknown, because both ran from 0 to 1000. By the go statement 1
	// event came before.
	if sure := a.startOrder(all, g, first); sure != 1 {
		t.Errorf("sure %d, want 1", sure)
	}
}

// startOrder is doneAt for a time about which nothing is known.
func (a *analysis) startOrder(all []*trace.Goroutine, g, h *trace.Goroutine) (sure int64) {
	a.in.Runs = []Run{{Trace: &trace.Trace{Goroutines: all}}}
	return a.doneAt(g, anchor{run: 0, g: h, lo: 0})
}
