package divergence

import (
	"encoding/json"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// waitRun is a run in which TestX waits, in two steps, after block 1 from 2 ms on. It does not
// wait before it diverges after block 2, unless last is set.
func waitRun(n int, failed bool, until int64, last bool) Run {
	r := orderRun(n, failed, until)
	test := r.Trace.Goroutines[0]
	const ms = 1_000_000
	test.Stamps = []trace.Stamp{
		{Pos: 1, Time: 2 * ms}, {Pos: 1, Time: 3 * ms, GoesOn: true},
		{Pos: 1, Time: 3*ms + 10}, {Pos: 1, Time: until * ms, GoesOn: true},
	}
	if last {
		test.Stamps = append(test.Stamps, trace.Stamp{Pos: 2, Time: until*ms + 10}, trace.Stamp{Pos: 2, Time: until*ms + 20, GoesOn: true})
	}
	test.End = 1000 * ms
	return r
}

// Ten passing runs go on at 5 to 14 ms, five failing runs at 20 to 24. They have waited 2 ms less
// than that. One passing run waits before it goes on with block 3, but too briefly to count.
func TestWaitTime(t *testing.T) {
	var runs []Run
	for n := range 10 {
		runs = append(runs, waitRun(n+1, false, int64(5+n), n == 4))
	}
	for n := range 5 {
		runs = append(runs, waitRun(n+11, true, int64(20+n), false))
	}
	a := analyzeRuns(t, runs)
	if len(a.WaitTimes) != 1 || a.WaitTimes[0].Block != 1 {
		t.Fatalf("got %+v, want block 1", a.WaitTimes)
	}
	h := a.WaitTimes[0]
	for limit, want := range map[int64]Table{
		0:          {FailTaken: 5, PassTaken: 10},
		7_000_000:  {FailTaken: 5, PassTaken: 6, PassNot: 4},
		19_000_001: {FailTaken: 3, FailNot: 2, PassNot: 10},
	} {
		if got := h.At(limit); got != want {
			t.Errorf("at %d: got %+v, want %+v", limit, got, want)
		}
	}
}

// Time added by a perturbation is not the program's wait: of 18 ms after block 1 TestX was held
// for 10, and another goroutine for 5.
func TestPerturbedIsNoWait(t *testing.T) {
	runs := []Run{waitRun(1, false, 5, false), waitRun(2, true, 20, false)}
	acts := `[{"Goroutine": 1, "Event": 1, "Held": 10000000}, {"Goroutine": 2, "Event": 1, "Held": 5000000}]`
	if err := json.Unmarshal([]byte(acts), &runs[1].Trace.Acts); err != nil {
		t.Fatal(err)
	}
	a := analyzeRuns(t, runs)
	if len(a.WaitTimes) != 1 || a.WaitTimes[0].Failing[0] != 8_000_000 || a.WaitTimes[0].Passing[0] != 3_000_000 {
		t.Errorf("%+v, want 8 ms and 3 ms behind block 1", a.WaitTimes)
	}
}
