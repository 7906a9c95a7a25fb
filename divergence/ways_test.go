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
		file     string
		exact    bool
		took     int // passing runs that went on with PassNext
		left     bool
		followed int
	}{
		// All five runs begin with 1, and all three passing runs go on with 2.
		{file: "samepath", exact: true, took: 3, followed: 2},
		// Polls differ: run 8 polls three times, and only passing run 3 does so too. For each
		// failing run, some passing run polls equally often.
		{file: "pollcount", exact: true, took: 6, followed: 4},
		// Run 7 polls six times. Only the failing runs get as far. All five passing runs see
		// q.done at some iteration, and failing runs leave later.
		{file: "poll", took: 5, left: true},
		// Each failing run's own request is the 12 of one of three goroutines. The one shown is
		// the first, which goes like passing runs in the other two failing runs.
		{file: "requests", exact: true, took: 4},
		// The six failing runs and passing run 8 do 1 3 4. It is the only passing run at the
		// divergence with them.
		{file: "precursor", exact: true, took: 1},
	} {
		ar, err := txtar.ParseFile("testdata/" + tt.file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyze(parseCase(t, ar))
		if err != nil {
			t.Fatal(err)
		}
		d := a.Chain[0]
		if d.Exact != tt.exact || d.PassTook != tt.took || d.Left != tt.left || d.Followed != tt.followed {
			t.Errorf("%s: exact %v, took %d, left %v, followed %d; want %+v", tt.file, d.Exact, d.PassTook, d.Left, d.Followed, tt)
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
