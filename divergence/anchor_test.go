package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// orderRun is an order case: TestX runs block 1, sleeps until 100, runs block 2, which looks at
// what the worker has done, and then block 3 if it passes, or block 4 and a failed check if it
// fails. The worker runs blocks 5 and 6, waits, goes on at some time and runs 7 and 8.
//
//	TestX   1 |------ sleeps ------| 2 3
//	worker    5 6 |-- waits --| 7 8
func orderRun(n int, failed bool, goesOn int64) Run {
	events := []trace.Event{1, 2, 3}
	if failed {
		events = []trace.Event{1, 2, 4, trace.CheckEvent(trace.CheckFail, 9)}
	}
	test := trace.NewGoroutine(1, "TestX", events)
	test.Root, test.Start, test.End = true, 10, 120
	test.Stamps = []trace.Stamp{{Pos: 1, Time: 20}, {Pos: 1, Time: 100, GoesOn: true}}
	worker := trace.NewGoroutine(2, "TestX", []trace.Event{5, 6, 7, 8})
	worker.Parent, worker.Spawn, worker.Start = 1, trace.Frame{Func: "TestX", Line: 1}, 15
	worker.Stamps = []trace.Stamp{{Pos: 2, Time: 30}, {Pos: 2, Time: goesOn, GoesOn: true}, {Pos: 4, Time: goesOn + 5}}
	return Run{N: n, Failed: failed, Trace: &trace.Trace{
		Goroutines: []*trace.Goroutine{test, worker}, Stacks: map[uint32][]trace.Frame{},
	}}
}

func orderSites() *trace.Sites {
	s := &trace.Sites{Files: []trace.File{{Path: "p/a.go"}}, Funcs: []trace.Func{{Name: "TestX", Line: 1, End: 9}, {Name: "worker", Line: 10, End: 19}}, Blocks: make([]trace.Block, 1)}
	for b := 1; b <= 8; b++ {
		fn := 0
		if b >= 5 {
			fn = 1
		}
		s.Blocks = append(s.Blocks, trace.Block{Func: fn, StartLine: b, EndLine: b})
	}
	s.Blocks[1].Kind, s.Blocks[5].Kind = trace.BlockEntry, trace.BlockEntry
	return s
}

func TestProgress(t *testing.T) {
	g := trace.NewGoroutine(1, "T", []trace.Event{1, 2, 3, 4})
	g.Start = 10
	g.Stamps = []trace.Stamp{{Pos: 2, Time: 20}, {Pos: 2, Time: 50, GoesOn: true}, {Pos: 4, Time: 60}}
	for _, c := range []struct{ at, sure int64 }{
		{5, 0},  // before it was started
		{12, 0}, // while it ran the first two
		{25, 2}, // while it waited
		{45, 2}, // until it went on
		{70, 4}, // when it waited again
	} {
		if sure := progress(g, c.at); sure != c.sure {
			t.Errorf("at %d: %d, want %d", c.at, sure, c.sure)
		}
	}
}
