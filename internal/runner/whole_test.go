package runner

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// If all runs of chosen tests fail, some are of all tests, until it is known whether these change anything.
func TestWholeIsDue(t *testing.T) {
	for _, c := range []struct {
		name   string
		chosen bool
		fails  bool
		hangs  bool   // with all tests
		want   []bool // of each run
	}{
		{"fails", true, true, false, []bool{false, false, false, true, true, true, false, false}},
		{"another one hangs", true, true, true, []bool{false, false, false, true, false, false, false, false}},
		{"passes", true, false, false, make([]bool, 8)},
		{"the user's choice", false, true, false, make([]bool, 8)},
	} {
		x := simulate(&Runner{N: len(c.want), Select: Selection{Run: "TestX", Chosen: c.chosen}}, "a")
		x.fails["a"] = c.fails
		var got []bool
		for p, j, release := x.pick(); p != nil; p, j, release = x.pick() {
			got = append(got, j.whole)
			x.hangs = c.hangs && j.whole
			x.end(simulatedRun{p, j, x.clock + time.Second, release})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// Of a run of all tests, what the chosen ones did counts, and which others passed before.
func TestOfWhole(t *testing.T) {
	run := &Run{}
	for _, o := range []struct {
		test   string
		status Status
	}{
		{"", Failed}, {"TestBefore", Passed}, {"TestBad", Failed}, {"TestBad/sub", Crashed}, {"TestX", Failed}, {"TestX/sub", Failed},
		{"TestBooks:Cart adds a book", Failed}, {"TestFilms:Shelf is full", Failed},
	} {
		run.Outcomes = append(run.Outcomes, &Outcome{Test: o.test, Status: o.status})
	}
	run.ofWhole(&Selection{Run: "^(TestX|TestBooks)$"})
	var got []string
	for _, o := range run.Outcomes {
		got = append(got, o.Test)
	}
	if diff := cmp.Diff([]string{"", "TestBefore", "TestX", "TestX/sub", "TestBooks:Cart adds a book"}, got); diff != "" || !run.Whole {
		t.Error(diff)
	}
}
