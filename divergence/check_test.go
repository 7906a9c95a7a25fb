package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// In failing runs a subtest fails its check (block 6) before the test itself fails its own (block
// 4). The place of the reported failure says which of them counts. If it is unknown, the earlier
// one counts.
func TestReportedCheck(t *testing.T) {
	stacks := map[uint32][]trace.Frame{
		7: {{Func: "TestX", File: "/m/p/a_test.go", Line: 27}}, 9: {{Func: "TestX.func1", File: "/m/p/a_test.go", Line: 16}},
	}
	run := func(n int, failed bool) Run {
		own, sub := []trace.Event{1, 2, 3}, []trace.Event{5, 8}
		if failed {
			own = []trace.Event{1, 2, 4, trace.CheckEvent(trace.CheckFail, 7)}
			sub = []trace.Event{5, 6, trace.CheckEvent(trace.CheckFailNow, 9)}
		}
		test, child := trace.NewGoroutine(1, "TestX", own), trace.NewGoroutine(2, "TestX/a", sub)
		test.Root, test.Start, test.End = true, 10, 120
		test.Stamps = []trace.Stamp{{Pos: 1, Time: 20}, {Pos: 1, Time: 100, GoesOn: true}}
		child.Root, child.Parent, child.Start, child.End = true, 1, 30, 60
		return Run{N: n, Failed: failed, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{test, child}, Stacks: stacks}}
	}
	var runs []Run
	for n := range 15 {
		runs = append(runs, run(n+1, n >= 10))
	}
	for _, tt := range []struct {
		check trace.Frame
		want  trace.Event
	}{
		{trace.Frame{File: "/elsewhere/a_test.go", Line: 27}, 4},
		{trace.Frame{File: "/elsewhere/a_test.go", Line: 16}, 6},
		{trace.Frame{}, 6},
	} {
		a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites(), Check: tt.check})
		if err != nil {
			t.Fatal(err)
		}
		if d := a.Chain[len(a.Chain)-1]; d.FailNext != tt.want {
			t.Errorf("%v: the last divergence goes on with %d, want %d", tt.check, d.FailNext, tt.want)
		}
		for _, d := range a.Chain {
			if d.OtherFailed != (d.FailNext != tt.want) {
				t.Errorf("%v: goroutine that goes on with %d: OtherFailed %v", tt.check, d.FailNext, d.OtherFailed)
			}
		}
	}
}
