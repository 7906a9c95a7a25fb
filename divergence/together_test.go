package divergence

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// togetherRun is a run of TestX, which waits until 100 and looks, with workers
// that run block 5 and one more, from the first time to the second.
func togetherRun(n int, failed bool, workers ...[3]int64) Run {
	r := orderRun(n, failed, 60)
	r.Trace.Goroutines = r.Trace.Goroutines[:1]
	for i, w := range workers {
		g := trace.NewGoroutine(trace.GoroutineID(i+2), "TestX", []trace.Event{5, trace.Event(w[0])})
		g.Parent, g.Start, g.End = 1, w[1], w[2]
		r.Trace.Goroutines = append(r.Trace.Goroutines, g)
	}
	return r
}

// Two workers run blocks 5 and 6 at the same time, and have ended when the test
// goes on at 100. The third runs block 7 after them; the last two run block 8
// together, and one of them has not ended then.
func TestTogether(t *testing.T) {
	for want, workers := range map[string][][3]int64{
		"[5 6]": {{6, 20, 40}, {6, 30, 50}, {7, 60, 70}},
		"[]":    {{6, 20, 30}, {6, 30, 50}, {7, 60, 70}},
		"[5]":   {{6, 20, 40}, {7, 30, 50}, {8, 60, 90}, {8, 70, 110}},
	} {
		var runs []Run
		for n := range 16 {
			runs = append(runs, togetherRun(n+1, n < 6, workers...))
		}
		if got := fmt.Sprint(analyzeRuns(t, runs).Together); got != want {
			t.Errorf("%v: got blocks %s, want %s", workers, got, want)
		}
	}
}
