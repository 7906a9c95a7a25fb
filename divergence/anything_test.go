package divergence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// anyRun returns a run of a test and up to three goroutines of two classes: any may be missing, end early, wait, or fail
// the check.
func anyRun(r *rand.Rand, ways [][]trace.Event, n int, failed bool) Run {
	x := Run{N: n, Failed: failed, Trace: &trace.Trace{Stacks: map[uint32][]trace.Frame{7: {{Func: "TestX", File: "/m/p/a_test.go", Line: 27}}}}}
	for g := range 4 {
		if g > 0 && r.IntN(3) == 0 {
			continue
		}
		events := slices.Clone(ways[r.IntN(len(ways))])
		if failed && r.IntN(2) == 0 {
			events = append(events, trace.CheckEvent(trace.CheckFail, 7))
		}
		o := trace.NewGoroutine(trace.GoroutineID(g+1), "TestX", events)
		o.Root, o.Start, o.End = g == 0, int64(10*g), int64(200+r.IntN(100))
		if g > 0 {
			o.Parent, o.Class = 1, uint64(1+g/2)
		}
		if k := len(events); k > 0 {
			o.Stamps = []trace.Stamp{{Pos: int64(r.IntN(k)), Time: int64(60 + r.IntN(100)), GoesOn: r.IntN(2) == 0}}
		}
		x.Trace.Goroutines = append(x.Trace.Goroutines, o)
	}
	return x
}

// Whatever runs do, the analysis ends, and counts no more runs than there are.
func TestAnalyzeAnything(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		ways := [][]trace.Event{stream(r, r.IntN(6)), stream(r, r.IntN(6)), stream(r, r.IntN(12))}
		var runs []Run
		for n := range 4 + r.IntN(8) {
			runs = append(runs, anyRun(r, ways, n+1, n == 0 || n > 1 && r.IntN(2) == 0))
		}
		a := analyzed(t, seed, Input{Test: "TestX", Runs: runs, Sites: orderSites()})
		for _, d := range a.Chain {
			if d.PassTook > len(runs) {
				t.Errorf("seed %d: %+v of %d runs", seed, d, len(runs))
			}
		}
	}
}

func analyzed(t *testing.T, seed uint64, in Input) *Analysis {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("seed %d: %v", seed, p))
		}
	}()
	a, err := Analyze(in)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return a
}
