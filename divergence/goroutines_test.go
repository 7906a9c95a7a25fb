package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// Passing runs start one goroutine at 50, before they look at 100, and two after the failing runs
// have failed: one at 115, between the bounds of the time at which they look (100 to 120), and
// one at 125, as a Cleanup does. Failing runs have none of them. Only the first is reported,
// because failing runs could not reach the others. A fourth, which passing runs start at 130 and
// failing ones at 101, when they look, is not reported either.
func TestOnlyPassing(t *testing.T) {
	var runs []Run
	for n := range 5 {
		r := orderRun(n+1, false, 60)
		for k, start := range []int64{50, 115, 125} {
			g := trace.NewGoroutine(trace.GoroutineID(10+k), "TestX", []trace.Event{5})
			g.Parent, g.Spawn, g.Start, g.End = 1, trace.Frame{Func: "TestX", Line: 5 + k}, start, start+1
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		bad := orderRun(n+11, true, 60)
		for run, start := range map[*Run]int64{&r: 130, &bad: 101} {
			g := trace.NewGoroutine(20, "TestX", []trace.Event{5})
			g.Parent, g.Spawn, g.Start, g.End = 1, trace.Frame{Func: "TestX", Line: 8}, start, start+1
			run.Trace.Goroutines = append(run.Trace.Goroutines, g)
		}
		runs = append(runs, r, bad)
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.OnlyFailing) > 0 {
		t.Errorf("only in failing runs: %+v", a.OnlyFailing)
	}
	if len(a.OnlyPassing) != 1 || a.OnlyPassing[0].Class[0].Line != 5 || a.OnlyPassing[0].Table != (Table{FailNot: 5, PassTaken: 5}) {
		t.Errorf("only in passing runs: %+v", a.OnlyPassing)
	}
}

// A goroutine that starts between the bounds of the time at which runs fail (100 to 120) may have
// started before the failure or because of it, so it is not reported.
func TestAboutWhenItFailed(t *testing.T) {
	var runs []Run
	for n := range 5 {
		bad := orderRun(n+11, true, 60)
		g := trace.NewGoroutine(20, "TestX", []trace.Event{5})
		g.Parent, g.Spawn, g.Start, g.End = 1, trace.Frame{Func: "TestX", Line: 8}, 110, 111
		bad.Trace.Goroutines = append(bad.Trace.Goroutines, g)
		runs = append(runs, orderRun(n+1, false, 60), bad)
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.OnlyFailing)+len(a.OnlyPassing) > 0 {
		t.Errorf("found %+v, %+v", a.OnlyFailing, a.OnlyPassing)
	}
}
