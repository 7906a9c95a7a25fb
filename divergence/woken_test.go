package divergence

import (
	"reflect"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// In each run of an order case TestX waits after block 1. The table says who ends that wait,
// after which events, and what it was for. The wakes by the worker, after its blocks 5 and 6 in
// most runs and after 5 in one, are listed once each. Wakes by a timer, for a lock and after the
// divergence (after 3) are not.
func TestWoken(t *testing.T) {
	type end struct {
		waker    int32
		pos      int64
		lock     bool
		diverged bool
	}
	ends := []end{{2, 2, false, false}, {2, 2, false, false}, {2, 1, false, false}, {trace.WakerTimer, 0, false, false}, {2, 2, true, false}, {2, 3, false, true}}
	var runs []Run
	for n, e := range ends {
		r := orderRun(n+1, n >= 3, 60)
		r.Trace.Reasons = []string{"", "chan receive", "sync.Mutex.Lock"}
		r.Trace.Goroutines[1].Spawn = trace.Frame{Func: "TestX", File: "p/a.go", Line: 1}
		park, on := trace.Stamp{Pos: 1, Time: 20, Reason: 1}, trace.Stamp{Pos: 1, Time: 100, GoesOn: true, Waker: e.waker, WakerPos: e.pos}
		if e.lock {
			park.Reason = 2
		}
		if e.diverged {
			park.Pos, on.Pos = 3, 3
		}
		r.Trace.Goroutines[0].Stamps = []trace.Stamp{park, on}
		runs = append(runs, r)
	}
	by := trace.Frame{Func: "TestX", File: "p/a.go", Line: 1}
	want := []Wake{
		{At: 1, By: by, From: 6, Ran: []Count{{5, 1}, {6, 1}}},
		{At: 1, By: by, From: 5, Ran: []Count{{5, 1}}},
	}
	a := analyzeRuns(t, runs)
	if d := a.Chain[len(a.Chain)-1]; d.LastCommon != 2 || !reflect.DeepEqual(d.Woken, want) {
		t.Errorf("at %d: got %+v, want %+v", d.LastCommon, d.Woken, want)
	}
}
