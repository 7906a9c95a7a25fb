package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// Passing runs start one goroutine at 50, before they look at 100, and two when the
// failing runs have failed: one at 115, between the bounds of the time at which they
// look (100 to 120), and one at 125, as a Cleanup does. Failing runs have none. Only
// the first is told of: the others failing runs could not come to.
func TestOnlyPassing(t *testing.T) {
	var runs []Run
	for n := range 5 {
		r := orderRun(n+1, false, 60)
		for k, start := range []int64{50, 115, 125} {
			g := trace.NewGoroutine(trace.GoroutineID(10+k), "TestX", []trace.Event{5})
			g.Parent, g.Spawn, g.Start, g.End = 1, trace.Frame{Func: "TestX", Line: 5 + k}, start, start+1
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		runs = append(runs, r, orderRun(n+11, true, 60))
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.OnlyPassing) != 1 || a.OnlyPassing[0].Class[0].Line != 5 || a.OnlyPassing[0].Table != (Table{FailNot: 5, PassTaken: 5}) {
		t.Errorf("only in passing runs: %+v", a.OnlyPassing)
	}
}
