package divergence

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// surroundingSites are those of the order cases, where 1 and 5 are the entries
// of the functions and the others ways through them.
func surroundingSites() *trace.Sites {
	s := orderSites()
	for b := range s.Blocks {
		if b != 1 && b != 5 {
			s.Blocks[b].Kind = trace.BlockThen
		}
	}
	return s
}

func analyzeRuns(t *testing.T, runs []Run) *Analysis {
	t.Helper()
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: surroundingSites()})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// lingeringRun is a run of TestX, from 10 to 120, before which TestA started a
// goroutine that runs block 5, waits, and goes on with 7 at the given time.
func lingeringRun(n int, failed bool, goesOn int64) Run {
	r := valueRun(n, failed)
	g := trace.NewGoroutine(2, "TestA", []trace.Event{5, 7})
	g.Start = 1
	g.Stamps = []trace.Stamp{{Pos: 1, Time: 2}, {Pos: 1, Time: goesOn, GoesOn: true}, {Pos: 2, Time: goesOn + 1}}
	r.Trace.Goroutines = append(r.Trace.Goroutines, g)
	r.Trace.Tests = []trace.TestRun{{Name: "TestA", Start: 1, End: 5}, {Name: "TestX", Start: 10, End: 120}}
	return r
}

// What TestA has left running does something at 50 in failing runs, and at 200,
// when TestX is over, in passing runs.
func TestLingering(t *testing.T) {
	var runs []Run
	for n := range 16 {
		goesOn := int64(200)
		if n < 8 {
			goesOn = 50
		}
		runs = append(runs, lingeringRun(n+1, n < 8, goesOn))
	}
	a := analyzeRuns(t, runs)
	if len(a.Lingering) != 1 {
		t.Fatalf("got %+v, want TestA", a.Lingering)
	}
	l := a.Lingering[0]
	if l.Test != "TestA" || fmt.Sprint(l.Blocks) != "[7]" || !l.Table.Perfect() || l.Goroutine == nil {
		t.Errorf("got %+v, want block 7 of TestA in all failing runs and no other", l)
	}
}

// If it does so in as many passing runs, it says nothing.
func TestLingeringBenign(t *testing.T) {
	var runs []Run
	for n := range 16 {
		runs = append(runs, lingeringRun(n+1, n%2 == 0, int64(50+150*(n%4/2))))
	}
	if a := analyzeRuns(t, runs); len(a.Lingering) != 0 {
		t.Errorf("got %+v, want nothing", a.Lingering)
	}
}

// When TestX looks at 100, the worker has entered its function (5), done half
// (6) and waits, to go on with 7 at 200; in passing runs it had done all by then.
func TestHalfway(t *testing.T) {
	var runs []Run
	for n := range 10 {
		runs = append(runs, orderRun(n+1, false, int64(60+n)))
	}
	for n := range 6 {
		runs = append(runs, orderRun(n+11, true, 200))
	}
	a := analyzeRuns(t, runs)
	if len(a.Halfway) != 1 {
		t.Fatalf("got %+v, want one", a.Halfway)
	}
	h := a.Halfway[0]
	if want := (Table{FailTaken: 6, PassNot: 10}); h.Func != 1 || fmt.Sprint(h.Blocks) != "[5 6]" || h.Table != want {
		t.Errorf("got %+v, want blocks 5 and 6 of the worker, %+v", h, want)
	}
	if len(a.Meanwhile) != 1 || fmt.Sprint(a.Meanwhile[0].Blocks) != "[7 8]" || !a.Meanwhile[0].Own {
		t.Errorf("meanwhile: got %+v, want blocks 7 and 8 of the worker", a.Meanwhile)
	}
}

// With -count the test is run again after it has failed, and a subtest ran before:
// that is not meanwhile. Another test is, if it was there in more than one run.
func TestMeanwhileTests(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 110)
		add := func(id trace.GoroutineID, test string) {
			g := trace.NewGoroutine(id, test, []trace.Event{1, 2, 3})
			g.Root, g.Start = true, 90
			r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		}
		add(3, "TestX")
		add(4, "TestX/sub")
		add(5, "TestParallel")
		if n == 0 {
			add(6, "TestRare")
		}
		runs = append(runs, r)
	}
	var got []string
	for _, m := range analyzeRuns(t, runs).Meanwhile {
		if m.Goroutine.Root {
			got = append(got, m.Goroutine.Test)
		}
	}
	if fmt.Sprint(got) != "[TestParallel]" {
		t.Errorf("got tests %v, want TestParallel", got)
	}
}

// A worker that enters its function anew when it goes on was not in the middle of it.
func TestHalfwayAtRest(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := orderRun(n+1, n < 6, 200)
		if n >= 6 {
			r = orderRun(n+1, false, 60)
		}
		old := r.Trace.Goroutines[1]
		g := trace.NewGoroutine(2, "TestX", []trace.Event{5, 6, 5, 6})
		g.Parent, g.Spawn, g.Start, g.Stamps = old.Parent, old.Spawn, old.Start, old.Stamps
		r.Trace.Goroutines[1] = g
		runs = append(runs, r)
	}
	if a := analyzeRuns(t, runs); len(a.Halfway) != 0 {
		t.Errorf("got %+v, want nothing", a.Halfway)
	}
}

// Failing runs go the way of block 7 three times, passing runs at most twice;
// both enter the function, block 5, four times. Block 8 says nothing.
func TestOften(t *testing.T) {
	var runs []Run
	counts := map[int]map[int]int64{}
	for n := range 20 {
		runs = append(runs, valueRun(n+1, n < 8))
		counts[n] = map[int]int64{5: 4, 7: int64(n % 3), 8: int64(n % 5)}
		if n < 8 {
			counts[n][7] = 3
		}
	}
	a, err := newAnalysis(Input{Test: "TestX", Runs: runs, Sites: surroundingSites()})
	if err != nil {
		t.Fatal(err)
	}
	if o := a.oftenBlock(7, counts, 3); o == nil || o.AtLeast != 3 || !o.Table.Perfect() {
		t.Errorf("got %+v, want at least 3 times in all failing runs and no other", o)
	}
	if o := a.oftenBlock(8, counts, 3); o != nil {
		t.Errorf("got %+v of a block that says nothing", o)
	}
	for n := range 8 {
		counts[n][5] = 6
	}
	if o := a.oftenBlock(7, counts, 3); o != nil {
		t.Errorf("got %+v, though failing runs enter the function more often", o)
	}
}

// All runs come to block 2 twice. What passing runs do after the last time (7)
// does not count, nor does the second 7 of a run that never comes to block 4.
func TestOftenLastVisit(t *testing.T) {
	g := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 7, 2, 3, 7, 7})
	for _, c := range []struct {
		event     trace.Event
		end, want int64
	}{{2, 7, 4}, {2, 3, 2}, {7, 7, 7}, {4, 7, 7}, {4, 5, 5}} {
		if got, err := lastVisit(g, c.event, c.end); err != nil || got != c.want {
			t.Errorf("block %d in the first %d events: got %d, %v, want %d", c.event, c.end, got, err, c.want)
		}
	}
}

// What is counted once must be the same: as many events, of equal chunks. What
// comes after the chunk with the end does not matter.
func TestPrefixOf(t *testing.T) {
	short := []trace.Event{1, 2, 3}
	long := make([]trace.Event, trace.ChunkLen(0)+2)
	for i := range long {
		long[i] = trace.Event(1 + i%5)
	}
	other := append([]trace.Event(nil), long...)
	other[len(other)-1] = 9
	stream := func(e []trace.Event) *trace.Goroutine { return trace.NewGoroutine(1, "TestX", e) }
	first := int64(trace.ChunkLen(0))
	for _, c := range []struct {
		a, b       []trace.Event
		endA, endB int64
		want       bool
	}{
		{short, short, 3, 3, true}, {short, short, 3, 2, false}, {short, long, 3, 3, false},
		{long, other, first, first, true}, {long, other, first + 1, first + 1, false}, {long, long, first + 1, first + 1, true},
	} {
		if got := prefixOf(stream(c.a), c.endA) == prefixOf(stream(c.b), c.endB); got != c.want {
			t.Errorf("the first %d of %d and %d of %d events: %v, want %v", c.endA, len(c.a), c.endB, len(c.b), got, c.want)
		}
	}
}

// A run goes to the end of what it has (block 7) three times before it is asked
// for in failing runs, and in passing runs at most when nothing is asked for any more.
func TestOftenUsedUpLast(t *testing.T) {
	var runs []Run
	for n := range 16 {
		r := valueRun(n+1, n < 8)
		events := []trace.Event{1, 5, 7, 5, 7, 5, 8, 2, 3, 5, 7}
		if n < 8 {
			events = []trace.Event{1, 5, 7, 5, 7, 5, 7, 2, 4, trace.CheckEvent(trace.CheckFail, 9)}
		}
		g := trace.NewGoroutine(1, "TestX", events)
		g.Root, g.Start, g.End = true, 10, 120
		r.Trace.Goroutines = []*trace.Goroutine{g}
		runs = append(runs, r)
	}
	a, err := newAnalysis(Input{Test: "TestX", Runs: runs, Sites: surroundingSites()})
	if err != nil {
		t.Fatal(err)
	}
	f := &finding{sighting: &sighting{edge: edge{last: 2}, lane: a.lanes[0]}}
	for n := range 8 {
		f.fails = append(f.fails, place{n, 8})
	}
	counts, err := a.countBefore(f)
	if err != nil {
		t.Fatal(err)
	}
	for run, c := range counts {
		if want := int64(3); runs[run].Failed && c[7] != want || !runs[run].Failed && c[7] != want-1 {
			t.Errorf("run %d had run block 7 %d times", run, c[7])
		}
	}
}
