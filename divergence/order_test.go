package divergence

import (
	"fmt"
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

// In passing runs the worker goes on at 60..69, before TestX looks at 100; in failing runs at
// 200. Block 7 is the first one it had not run by then.
func TestOrder(t *testing.T) {
	var runs []Run
	for n := range 10 {
		runs = append(runs, orderRun(n+1, false, int64(60+n)))
	}
	for n := range 5 {
		runs = append(runs, orderRun(n+11, true, 200))
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Orders) != 1 {
		t.Fatalf("%d orders, want 1: %+v", len(a.Orders), a.Orders)
	}
	o := a.Orders[0]
	if !o.Late || o.Event != 2 || o.Block != 7 || fmt.Sprint(o.Missing) != "[{7 2 1 {5 0 0 10}} {8 3 1 {5 0 0 10}}]" {
		t.Errorf("late %t, event %d, block %d, missing %v", o.Late, o.Event, o.Block, o.Missing)
	}
	if want := (Table{FailTaken: 5, PassNot: 10}); o.Table != want {
		t.Errorf("table %+v, want %+v", o.Table, want)
	}
	if o.Fail.Done != 2 || o.Fail.Last != 6 || o.Pass.Done != 4 || o.Pass.Last != 8 {
		t.Errorf("failing run: %d events, last %d; passing run: %d, last %d", o.Fail.Done, o.Fail.Last, o.Pass.Done, o.Pass.Last)
	}
}

// If the worker goes on while TestX looks, the order is unknown.
func TestOrderInDoubt(t *testing.T) {
	var runs []Run
	for n := range 10 {
		runs = append(runs, orderRun(n+1, false, 60))
	}
	for n := range 5 {
		runs = append(runs, orderRun(n+11, true, 102))
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Orders) != 0 {
		t.Errorf("got %+v, want no order", a.Orders)
	}
}

// If the worker is late as often in passing runs, its being late means nothing.
func TestOrderBenign(t *testing.T) {
	var runs []Run
	for n := range 20 {
		goesOn := int64(60)
		if n%2 == 0 {
			goesOn = 200
		}
		runs = append(runs, orderRun(n+1, n < 8, goesOn))
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Orders) != 0 {
		t.Errorf("got %+v, want no order", a.Orders)
	}
}

func TestProgress(t *testing.T) {
	g := trace.NewGoroutine(1, "T", []trace.Event{1, 2, 3, 4})
	g.Start = 10
	g.Stamps = []trace.Stamp{{Pos: 2, Time: 20}, {Pos: 2, Time: 50, GoesOn: true}, {Pos: 4, Time: 60}}
	for _, c := range []struct{ lo, hi, sure, never int64 }{
		{5, 8, 0, 0},   // before it was started
		{12, 14, 0, 2}, // while it ran the first two
		{25, 30, 2, 2}, // while it waited
		{45, 55, 2, 4}, // when it went on
		{70, 80, 4, 4}, // when it waited again
	} {
		if sure, never := progress(g, c.lo, c.hi); sure != c.sure || never != c.never {
			t.Errorf("at %d-%d: %d and %d, want %d and %d", c.lo, c.hi, sure, never, c.sure, c.never)
		}
	}
}

// The worker diverges first, and in failing runs starts a goroutine, which runs block 8 before
// TestX looks. No passing run has that goroutine: it was not early, but exists because the worker
// went another way.
func TestOrderLedTo(t *testing.T) {
	var runs []Run
	for n := range 15 {
		failed := n >= 10
		r := orderRun(n+1, failed, 60)
		if worker := r.Trace.Goroutines[1]; failed {
			*worker = *relabeled(worker, 5, 7)
			started := trace.NewGoroutine(3, "TestX", []trace.Event{8})
			started.Parent, started.Spawn, started.Start, started.End = 2, trace.Frame{Func: "worker", Line: 7}, 62, 70
			r.Trace.Goroutines = append(r.Trace.Goroutines, started)
		} else {
			*worker = *relabeled(worker, 5, 6)
		}
		runs = append(runs, r)
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Chain) != 2 || len(a.Orders) != 0 {
		t.Errorf("%d divergences and %d orders, want 2 and none: %+v", len(a.Chain), len(a.Orders), a.Orders)
	}
}

// A worker diverges first. Where it does so, TestX looks at 50 in place of 100, before another worker runs block 8 at 60
// to 64: that one was not late, TestX was early because of the first. If TestX looks at 100 as ever and the other
// worker runs at 200, it was late.
func TestOrderAfterDivergence(t *testing.T) {
	for _, c := range []struct {
		name          string
		looks, goesOn int64 // in failing runs
		orders        int
	}{{"sooner", 50, 60, 0}, {"late", 100, 200, 1}} {
		t.Run(c.name, func(t *testing.T) {
			var runs []Run
			for n := range 15 {
				failed, goesOn, path := n >= 10, int64(60), trace.Event(6)
				if failed {
					goesOn, path = c.goesOn, 7
				}
				r := orderRun(n+1, failed, 60)
				test, first := r.Trace.Goroutines[0], trace.NewGoroutine(2, "TestX", []trace.Event{5, path})
				if failed {
					test.Stamps[1].Time = c.looks
				}
				first.Parent, first.Spawn, first.Start, first.End = 1, trace.Frame{Func: "TestX", Line: 1}, 15, 25
				other := trace.NewGoroutine(3, "TestX", []trace.Event{5, 8})
				other.Parent, other.Spawn, other.Start = 1, trace.Frame{Func: "TestX", Line: 2}, 16
				other.Stamps = []trace.Stamp{{Pos: 1, Time: 30}, {Pos: 1, Time: goesOn, GoesOn: true}, {Pos: 2, Time: goesOn + 4}}
				r.Trace.Goroutines = []*trace.Goroutine{test, first, other}
				runs = append(runs, r)
			}
			a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Chain) != 2 || len(a.Orders) != c.orders {
				t.Errorf("%d divergences and %d orders, want 2 and %d: %+v", len(a.Chain), len(a.Orders), c.orders, a.Orders)
			}
		})
	}
}

// relabeled returns a goroutine like g that runs block first, waits until g goes
// on, and runs block second.
func relabeled(g *trace.Goroutine, first, second trace.Event) *trace.Goroutine {
	r := trace.NewGoroutine(g.ID, g.Test, []trace.Event{first, second})
	r.Parent, r.Spawn, r.Start, r.End = g.Parent, g.Spawn, g.Start, 80
	r.Stamps = []trace.Stamp{{Pos: 1, Time: 30}, {Pos: 1, Time: 60, GoesOn: true}, {Pos: 2, Time: 65}}
	return r
}

// The worker runs block 6 once before it waits and once afterwards, in runs of both outcomes. By
// the divergence, failing runs lack the second time. To say that the worker had not run the block
// would be false for all of them.
func TestOrderCountsTimes(t *testing.T) {
	again := func(n int, failed bool, goesOn int64) Run {
		r := orderRun(n, failed, goesOn)
		w := r.Trace.Goroutines[1]
		more := trace.NewGoroutine(w.ID, w.Test, []trace.Event{5, 6, 6, 8})
		more.Parent, more.Spawn, more.Start, more.Stamps = w.Parent, w.Spawn, w.Start, w.Stamps
		r.Trace.Goroutines[1] = more
		return r
	}
	var runs []Run
	for n := range 10 {
		runs = append(runs, again(n+1, false, int64(60+n)))
	}
	for n := range 5 {
		runs = append(runs, again(n+11, true, 200))
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil || len(a.Orders) != 1 {
		t.Fatal(a, err)
	}
	want := Missed{Block: 6, First: 2, Nth: 2, Table: Table{FailTaken: 5, PassNot: 10}}
	if got := a.Orders[0].Missing[0]; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestX starts two goroutines at the same place, and each starts a worker. A statement that one
// of the workers was late would fit the other as well, so there is none.
func TestOrderOfUnnamed(t *testing.T) {
	var runs []Run
	for n := range 15 {
		goesOn := int64(60 + n)
		if n >= 10 {
			goesOn = 200
		}
		r := orderRun(n+1, n >= 10, goesOn)
		second := *orderRun(n+1, false, 61).Trace.Goroutines[1]
		second.ID, second.Parent, second.Start = 3, 21, 16
		r.Trace.Goroutines[1].Parent = 20
		for _, id := range []trace.GoroutineID{20, 21} {
			g := trace.NewGoroutine(id, "TestX", []trace.Event{5})
			g.Parent, g.Spawn, g.Start, g.End = 1, trace.Frame{Func: "TestX", Line: 2}, int64(id)-9, 14
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		r.Trace.Goroutines = append(r.Trace.Goroutines, &second)
		runs = append(runs, r)
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites()})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Orders) != 0 {
		t.Errorf("got %+v, want nothing", a.Orders)
	}
}

// TestX starts three workers, the failing run only two of them. If the only run with all of them
// does not know when they started, it is not known which is which.
func TestNamed(t *testing.T) {
	for _, known := range []bool{true, false} {
		m := newMatcher("TestX", 2)
		for run, ids := range [][]trace.GoroutineID{{2, 4}, {2, 3, 4}} { // failing, passing
			r := orderRun(1, run == 0, 60)
			r.Trace.Goroutines = r.Trace.Goroutines[:1]
			for _, id := range ids {
				g := trace.NewGoroutine(id, "TestX", []trace.Event{5})
				g.Parent, g.Spawn, g.Start = 1, trace.Frame{Func: "TestX", Line: 1}, 15
				if known {
					g.Start += int64(id)
				}
				r.Trace.Goroutines = append(r.Trace.Goroutines, g)
			}
			m.add(run, r.Trace)
		}
		for _, l := range m.order() {
			if want := known || l.streams[1].ID == 1; l.named() != want {
				t.Errorf("starts known %t: %d named %t, want %t", known, l.streams[1].ID, l.named(), want)
			}
		}
	}
}
