package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

const dial = `package p
func TestX(t *testing.T) {
	if !cached() {
		go c.refresh()
	}
	c.log()
	c.log()
	<-c.ready
}
func (c *cache) refresh() {
	c.ready <- 1
}
`

// The test itself takes another way in line 3, in all failing runs and no others,
// and waits in line 8 much later. That comes before what ends the wait in passing
// runs (11). If only some failing runs went that way, or the divergence is the wait
// itself, or another goroutine's, the waker comes first; and always that it ended
// (12) without it.
func TestBranchBeforeWait(t *testing.T) {
	at := func(line int) trace.Frame { return trace.Frame{File: "/m/p/a.go", Line: line} }
	perfect := divergence.Table{FailTaken: 5, PassNot: 9}
	for _, c := range []struct {
		name             string
		last, pass, fail trace.Event
		table            divergence.Table
		root             bool
		fate             report.FateState
		want             int
	}{
		{"branch of the test", 3, 4, 6, perfect, true, report.FateRuns, 3},
		{"not in all failing runs", 3, 4, 6, divergence.Table{FailTaken: 4, FailNot: 1, PassNot: 9}, true, report.FateRuns, 11},
		{"the wait itself", 8, 9, 0, perfect, true, report.FateRuns, 11},
		{"another goroutine", 3, 4, 6, perfect, false, report.FateRuns, 11},
		{"the waker ended without it", 3, 4, 6, perfect, true, report.FateEnded, 12},
	} {
		in := Input{
			Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{{
				Goroutine: &trace.Goroutine{Root: c.root}, LastCommon: c.last, PassNext: c.pass, FailNext: c.fail, Table: c.table,
			}}},
			Sites:  lineSites(dial, [2]int{2, 9}, [2]int{10, 12}),
			Source: func(string) ([]byte, error) { return []byte(dial), nil },
			Hang: &report.Hang{Kind: report.HangTimeout, Failing: 5, Waits: []report.Wait{{
				By: report.Actor{Root: true}, At: at(8), Failing: 5,
				Waker: &report.Waker{At: at(11), Code: "c.ready <- 1", Fate: report.Fate{State: c.fate, At: at(12), Wait: -1}},
			}}},
		}
		if got := firstLine(t, in); got != c.want {
			t.Errorf("%s: first suspect in line %d, want %d", c.name, got, c.want)
		}
	}
}

// What is said of a divergence is what its table counts.
func TestWent(t *testing.T) {
	table := divergence.Table{FailTaken: 26, FailNot: 18, PassNot: 6}
	for _, tt := range []struct {
		loop *divergence.Loop
		want string
	}{
		{nil, "26 of 44 failing and 0 of 6 passing runs went that way"},
		{&divergence.Loop{}, "26 of 44 failing and 0 of 6 passing runs went the way of the others in no iteration of this loop"},
		{&divergence.Loop{Limit: 2}, "26 of 44 failing and 0 of 6 passing runs made fewer than 2 iterations of this loop"},
		{&divergence.Loop{Limit: 3, More: true}, "26 of 44 failing and 0 of 6 passing runs made at least 3 iterations of this loop"},
	} {
		if got := went(&divergence.Divergence{Table: table, Loop: tt.loop}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	s := chosen{failLine: 71, passLine: 69}
	if got := s.took(&divergence.Divergence{Loop: &divergence.Loop{}}); got != "the case at line 69 in no iteration" {
		t.Errorf("got %q", got)
	}
}
