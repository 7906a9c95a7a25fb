package divergence

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/trace"
)

// TestWays checks the counts of the two ways at a divergence, worked out by hand, on some of the
// cases in testdata.
func TestWays(t *testing.T) {
	for _, tt := range []struct {
		file           string
		link           int // of the chain
		exact          bool
		alikeF, alikeP int // runs that did the same as the failing run shown
		like           int // passing runs that did the same as a failing run
		took           int // passing runs that went on with PassNext
		failTook       int // failing runs that went on with FailNext
		pooled, left   bool
		inLoop         bool
		followed       int
	}{
		// All five runs begin with 1, and all three passing runs go on with 2.
		{file: "samepath", exact: true, alikeF: 2, alikeP: 3, like: 3, took: 3, failTook: 2, followed: 2},
		// Polls differ: run 8 polls three times, and only passing run 3 does so too. For each
		// failing run, some passing run polls equally often.
		{file: "pollcount", exact: true, alikeF: 1, alikeP: 1, took: 6, failTook: 4, followed: 4},
		// Run 7 polls six times. Only the failing runs get as far. All five passing runs see
		// q.done at some iteration, and failing runs leave later.
		{file: "poll", alikeF: 3, took: 5, failTook: 3, left: true, inLoop: true},
		// Each failing run's own request is the 12 of one of three goroutines. The one shown is
		// the first, which goes like passing runs in the other two failing runs.
		{file: "requests", exact: true, alikeF: 3, alikeP: 4, took: 4, failTook: 1, pooled: true},
		// The six failing runs and passing run 8 do 1 3 4. It is the only passing run at the
		// divergence with them.
		{file: "precursor", exact: true, alikeF: 6, alikeP: 1, like: 1, took: 1, failTook: 6},
	} {
		ar, err := txtar.ParseFile("testdata/" + tt.file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(parseCase(t, ar))
		if err != nil {
			t.Fatal(err)
		}
		d := a.Chain[tt.link]
		if d.Exact != tt.exact || d.Alike.FailTaken != tt.alikeF || d.Alike.PassTaken != tt.alikeP ||
			d.PassAlike != tt.like || d.PassTook != tt.took || d.FailTook != tt.failTook || d.Pooled != tt.pooled || d.Left != tt.left || d.InLoop != tt.inLoop || d.Followed != tt.followed {
			t.Errorf("%s: exact %v, alike %+v, like a failing run %d, took %d and %d, pooled %v, left %v, in a loop %v, followed %d; want %+v",
				tt.file, d.Exact, d.Alike, d.PassAlike, d.PassTook, d.FailTook, d.Pooled, d.Left, d.InLoop, d.Followed, tt)
		}
	}
}

// If a statement holds "in some iteration", some run is at a later iteration.
func TestAtOneVisit(t *testing.T) {
	streams := []*trace.Goroutine{
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 3, 2, 3, 5}),
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 4, 2, 3, 5}),
	}
	a := &analysis{code: newCode(&trace.Sites{Funcs: make([]trace.Func, 1), Blocks: make([]trace.Block, 6)})}
	for _, tt := range []struct {
		pass, fail int64
		want       bool
	}{{2, 2, true}, {4, 2, false}, {2, 4, false}, {4, 4, true}} {
		if got := a.atOneVisit(&lane{streams: streams}, 2, []place{{0, tt.pass}, {1, tt.fail}}); got != tt.want {
			t.Errorf("at %d and %d: got %v", tt.pass, tt.fail, got)
		}
	}
}

// Failing runs go on after a loop where passing runs end, or had not yet arrived when the test
// ended. Those that end right there count.
func TestEndAfter(t *testing.T) {
	runs := []Run{{N: 1}, {N: 2}, {N: 3}, {N: 4, Failed: true}}
	l := &lane{streams: []*trace.Goroutine{
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 2, 3}),
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2}),
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 3}),
		trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 3, 4}),
	}}
	a := &analysis{in: Input{Runs: runs}, cohort: newCohort(runs)}
	f := &finding{candidate: &candidate{lane: l, inLoop: true}}
	if got := a.endAfter(f, &Divergence{LastCommon: 3, FailNext: 4}); !slices.Equal(got, []place{{0, 4}, {2, 3}}) {
		t.Errorf("got %v, want the ends of runs 1 and 3", got)
	}
	if got := a.endAfter(f, &Divergence{LastCommon: 3, PassNext: 5, FailNext: 4}); got != nil {
		t.Errorf("where passing runs go on: %v", got)
	}
}
