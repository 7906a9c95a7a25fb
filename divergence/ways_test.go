package divergence

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// TestWays checks the counts of the two ways at a divergence, worked out by hand, on some of the
// cases in testdata.
func TestWays(t *testing.T) {
	for _, tt := range []struct {
		file  string
		exact bool
		took  int // passing runs that went on with PassNext
		left  bool
	}{
		// All five runs begin with 1, and all three passing runs go on with 2.
		{file: "samepath", exact: true, took: 3},
		// Polls differ: run 8 polls three times, and only passing run 3 does so too.
		{file: "pollcount", exact: true, took: 6},
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
		if d.Exact != tt.exact || d.PassTook != tt.took || d.Left != tt.left {
			t.Errorf("%s: exact %v, took %d, left %v; want %+v", tt.file, d.Exact, d.PassTook, d.Left, tt)
		}
	}
}
