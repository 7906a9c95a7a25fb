package suspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const file = `package p
func TestX(t *testing.T) {
	q.start()
	time.Sleep(5)
	if !q.done {
		t.Error("not done")
	}
}
func (q *Queue) work() {
	wait()
	log("x")
	q.done = true
}
`

// The blocks of file: 1 is line 3, 2 the sleep, 3 the condition, 4 the error;
// 5 to 7 are the lines of work.
func sites() *trace.Sites {
	s := &trace.Sites{
		Root: "/m", Files: []trace.File{{Path: "p/a.go", Name: "example.com/m/p/a.go"}},
		Funcs:  []trace.Func{{Name: "TestX", Line: 2, End: 8}, {Name: "(*Queue).work", Line: 9, End: 13}},
		Blocks: make([]trace.Block, 1),
	}
	for i, line := range []int{3, 4, 5, 6, 10, 11, 12} {
		fn := 0
		if i >= 4 {
			fn = 1
		}
		s.Blocks = append(s.Blocks, trace.Block{Func: fn, StartLine: line, StartCol: 1, EndLine: line, EndCol: 80, Stmts: 1})
	}
	return s
}

// input is a test that sleeps, wakes up at 100 and looks at q.done, which the
// worker sets after that in failing runs.
func input() Input {
	test := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 3, 4})
	test.Root = true
	test.Stamps = []trace.Stamp{{Pos: 2, Time: 10}, {Pos: 2, Time: 100, GoesOn: true}}
	d := &divergence.Divergence{
		LastCommon: 3, FailNext: 4, Path: []divergence.Call{{Func: 0, Block: 3}},
		Table: divergence.Table{FailTaken: 5, PassNot: 10},
	}
	o := divergence.Order{
		Late: true, Block: 6, Event: 1,
		Missing: []divergence.Missed{{Block: 6, N: 1, First: 1}, {Block: 7, N: 1, First: 2}},
		Fail:    divergence.OrderRun{Run: 2, Anchor: test, AnchorPos: 3},
		Table:   divergence.Table{FailTaken: 5, PassNot: 10},
	}
	return Input{
		Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{d}, Orders: []divergence.Order{o}},
		Sites:    sites(),
		Source:   func(string) ([]byte, error) { return []byte(file), nil },
		Check:    trace.Frame{File: "/m/p/a.go", Line: 6},
	}
}

func lines(list []finding.Suspect) string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s:%d", s.File, s.Start))
	}
	return strings.Join(out, " ")
}

// The sleep comes first: it waits for a time. Then the write that the condition
// reads (line 12, not the call of log before it), the condition, the check.
func TestSleepBeforeAssertion(t *testing.T) {
	if got, want := lines(Find(input())), "p/a.go:4 p/a.go:12 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Without an order the condition comes first, the check last.
func TestConditionOnly(t *testing.T) {
	in := input()
	in.Analysis.Orders = nil
	if got, want := lines(Find(in)), "p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A value from chance that goes with the outcome comes before the condition. One
// that merely differs from run to run does only if it is in that condition.
func TestChance(t *testing.T) {
	in := input()
	in.Analysis.Orders = nil
	in.Data = []finding.DataDivergence{{Expr: "rand.Int()", At: trace.Frame{File: "/m/p/a.go", Line: 3}, Source: "math/rand", Sure: true}}
	if got, want := lines(Find(in)), "p/a.go:3 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("sure: got %s, want %s", got, want)
	}
	in.Data[0].Sure = false
	if got, want := lines(Find(in)), "p/a.go:5 p/a.go:3 p/a.go:6"; got != want {
		t.Errorf("not sure: got %s, want %s", got, want)
	}
	in.Values = []finding.Value{{Expr: "q.done", At: trace.Frame{File: "/m/p/a.go", Line: 5}, Source: "math/rand"}}
	if got, want := lines(Find(in)), "p/a.go:3 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("in the condition: got %s, want %s", got, want)
	}
}

// When runs take the same path to the failed check, that is all there is.
func TestSamePath(t *testing.T) {
	in := input()
	in.Analysis.Orders = nil
	in.Analysis.Chain[0].SamePath = true
	if got, want := lines(Find(in)), "p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A value received that goes with the outcome comes before what another goroutine
// changes meanwhile (line 12) if what decided is computed from it, and else after
// that. So does the clock, which goes with nothing.
func TestChanceThatGoesAlong(t *testing.T) {
	for _, c := range []struct {
		data    finding.DataDivergence
		decides string
		want    string
	}{
		{finding.DataDivergence{Source: "a channel", Sure: true}, "a channel at a.go:3", "p/a.go:3 p/a.go:12"},
		{finding.DataDivergence{Source: "a channel", Sure: true}, "", "p/a.go:12 p/a.go:3"},
		{finding.DataDivergence{Source: "the clock"}, "the clock at a.go:3", "p/a.go:12 p/a.go:3"},
	} {
		in := input()
		in.Analysis.Orders = nil
		in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{7}}}
		c.data.At = trace.Frame{File: "/m/p/a.go", Line: 3}
		in.Data = []finding.DataDivergence{c.data}
		in.Values = []finding.Value{{Expr: "q.done", At: trace.Frame{File: "/m/p/a.go", Line: 5}, Source: c.decides}}
		if got := lines(Find(in)[:2]); got != c.want {
			t.Errorf("%s from %q: got %s, want %s", c.data.Source, c.decides, got, c.want)
		}
	}
}
