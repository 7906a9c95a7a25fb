package divergence

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// finishedRun is a run of TestX, which waits until 100 and looks, with workers that run block 5
// and another block, from the first time to the second.
func finishedRun(n int, failed bool, workers ...[3]int64) Run {
	r := orderRun(n, failed, 60)
	r.Trace.Goroutines = r.Trace.Goroutines[:1]
	for i, w := range workers {
		g := trace.NewGoroutine(trace.GoroutineID(i+2), "TestX", []trace.Event{5, trace.Event(w[0])})
		g.Parent, g.Start, g.End = 1, w[1], w[2]
		r.Trace.Goroutines = append(r.Trace.Goroutines, g)
	}
	return r
}

// TestFinished has workers, some of them running at the same time, and some already ended when
// the test goes on at 100.
func TestFinished(t *testing.T) {
	for want, workers := range map[string][][3]int64{
		"2[5 6] 3[5 6]":        {{6, 20, 40}, {6, 30, 50}, {7, 60, 70}},
		"":                     {{6, 20, 30}, {6, 30, 50}, {7, 60, 70}},
		"2[5 6] 3[5 7]":        {{6, 20, 40}, {7, 30, 50}, {8, 60, 90}, {8, 70, 110}},
		"2[5 6] 3[5 7] 4[5 8]": {{6, 20, 90}, {7, 30, 40}, {8, 60, 70}}, // the first beside both
	} {
		var runs []Run
		for n := range 16 {
			runs = append(runs, finishedRun(n+1, n < 6, workers...))
		}
		got := ""
		for i, f := range analyzeRuns(t, runs).Finished {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%d%v", uint64(f.Goroutine.ID), f.Blocks)
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", workers, got, want)
		}
	}
}
