package divergence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// polls returns runs that repeat a loop (blocks 1 and 2 of four) the given numbers of times, and
// then fail a check or pass.
func polls(fail, pass []int) Input {
	s := straight(4)
	s.Blocks[1].Kind = trace.BlockLoop
	in := Input{Test: "TestX", Sites: s}
	add := func(n int, failed bool) {
		events := append(slices.Repeat([]trace.Event{1, 2}, n), 3)
		events = append([]trace.Event{4}, events...)
		if failed {
			events = append(events, trace.CheckEvent(trace.CheckFailNow, 1))
		}
		in.Runs = append(in.Runs, oneRun(len(in.Runs)+1, failed, events))
	}
	for _, n := range fail {
		add(n, true)
	}
	for _, n := range pass {
		add(n, false)
	}
	return in
}

// The number of polls is not blamed if it has nothing to do with the outcome, however few the
// runs: in at most 5 % of 400 draws.
func TestPollingIsNotBlamed(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	for _, size := range [][2]int{{2, 3}, {3, 5}, {5, 10}, {12, 38}} {
		blamed := 0
		for range 400 {
			draw := func(n int) (list []int) {
				for range n {
					list = append(list, 1+r.IntN(9))
				}
				return list
			}
			a, err := Analyze(polls(draw(size[0]), draw(size[1])))
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(a.Chain, func(d *Divergence) bool { return d.Loop != nil }) {
				blamed++
			}
		}
		t.Logf("%d failing, %d passing: blamed in %d of 400", size[0], size[1], blamed)
		if blamed > 20 {
			t.Errorf("%d failing, %d passing: blamed in %d of 400", size[0], size[1], blamed)
		}
	}
}

// A number of iterations that separates the outcomes is found, whichever side has more, and a
// poll that a few runs miss too, if there are enough runs.
func TestIterationsSeparate(t *testing.T) {
	for _, tt := range []struct {
		fail, pass []int
		limit      int64
		more       bool
	}{
		{[]int{1, 1, 1, 1}, []int{2, 2, 2, 2}, 2, false},
		{[]int{3, 3, 3, 3}, []int{2, 2, 2, 2}, 3, true},
		{[]int{6, 7, 8, 6, 7, 8}, []int{3, 4, 5, 3, 4, 5}, 6, true},
		{slices.Repeat([]int{1}, 12), append(slices.Repeat([]int{2}, 29), 1), 2, false},
	} {
		a, err := Analyze(polls(tt.fail, tt.pass))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Chain) == 0 || a.Chain[0].Loop == nil {
			t.Errorf("%v against %v: %s", tt.fail, tt.pass, summary(polls(nil, nil).Sites, a))
			continue
		}
		if l := a.Chain[0].Loop; l.Limit != tt.limit || l.More != tt.more {
			t.Errorf("%v against %v: %+v", tt.fail, tt.pass, *l)
		}
	}
}
