package freedom

import (
	"testing"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A told is what the two goroutines of a run did, and when: blocks with the time of each, -1 for a failed check.
type told [][2]int64

func (x told) goroutine(id trace.GoroutineID, root bool) *trace.Goroutine {
	var events []trace.Event
	var stamps []trace.Stamp
	for i, e := range x {
		b := trace.Event(e[0])
		if e[0] < 0 {
			b = trace.CheckEvent(trace.CheckFail, 1)
		}
		events = append(events, b)
		stamps = append(stamps, trace.Stamp{Pos: int64(i), Time: e[1], GoesOn: true})
	}
	g := trace.NewGoroutine(id, "TestX", events)
	g.Root, g.Stamps = root, stamps
	return g
}

// runsOf returns 40 runs; every fourth fails.
func runsOf(pass, fail [2]told) *Runs {
	sites := &trace.Sites{Files: []trace.File{{Path: "f.go"}}, Funcs: []trace.Func{{Name: "f", Line: 1, End: 99}}, Blocks: make([]trace.Block, 1)}
	for b := 1; b < 10; b++ {
		sites.Blocks = append(sites.Blocks, trace.Block{StartLine: b, StartCol: 1, EndLine: b, EndCol: 9})
	}
	r := &Runs{Test: "TestX", Sites: sites}
	for i := range 40 {
		does := pass
		if i%4 == 1 {
			does = fail
		}
		t := &trace.Trace{Goroutines: []*trace.Goroutine{does[0].goroutine(1, true), does[1].goroutine(2, false)}, Tests: []trace.TestRun{{Name: "TestX"}}}
		r.List = append(r.List, &Run{Failed: i%4 == 1, Trace: t})
	}
	return r
}

// TestOrder is about two goroutines: the test's own in blocks 1, 2 and 3, and another one in blocks 5 and 6.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name       string
		pass, fail [2]told
		want       bool // an order is a fact
	}{
		{"the other one comes after the test's own", [2]told{{{1, 10}, {2, 50}, {3, 60}}, {{5, 20}, {6, 40}}}, [2]told{{{1, 10}, {2, 30}, {-1, 35}}, {{5, 20}, {6, 40}}}, true},
		{"it never comes", [2]told{{{1, 10}, {2, 50}, {3, 60}}, {{5, 20}, {6, 40}}}, [2]told{{{1, 10}, {2, 30}, {-1, 35}}, {{5, 20}}}, true},
		{"both come after the failed check", [2]told{{{1, 10}, {2, 50}, {3, 60}}, {{5, 70}, {6, 80}}}, [2]told{{{1, 10}, {2, 50}, {-1, 55}, {3, 90}}, {{5, 70}, {6, 80}}}, false},
		{"the same order", [2]told{{{1, 10}, {2, 50}, {3, 60}}, {{5, 20}, {6, 40}}}, [2]told{{{1, 10}, {2, 50}, {-1, 55}}, {{5, 30}, {6, 40}}}, false},
	} {
		facts, err := Rank(runsOf(c.pass, c.fail))
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, f := range facts {
			s := f.What.(*Seen)
			got = got || f.Stands() && s.Measure == Sequence
			if f.Stands() && s.Measure == Sequence && f.Table != (stats.Table{FailTaken: 10, PassNot: 30}) {
				t.Errorf("%s: %+v", c.name, f.Table)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
