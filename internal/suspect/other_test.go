package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// Another goroutine sets q.done (line 12) at an unknown time. The test sleeps in
// line 4 before it looks, in a condition that does not lead straight to the
// failed check, which is elsewhere.
func TestSleepBeforeLook(t *testing.T) {
	in := input()
	d := in.Analysis.Chain[0]
	d.Goroutine, d.CommonPrefix = in.Analysis.Orders[0].Fail.Anchor, 3
	in.Analysis.Orders = nil
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{6, 7}}}
	in.Check = trace.Frame{File: "/m/p/a.go", Line: 7}
	if got, want := lines(Find(in)), "p/a.go:4 p/a.go:12 p/a.go:5 p/a.go:6 p/a.go:7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Line 11 had not been run in three of five failing runs: that says more than
// line 12, of which it is not known when it was run.
func TestWeakOrderBeforeMeanwhile(t *testing.T) {
	in := input()
	o := &in.Analysis.Orders[0]
	o.Fail.Anchor.Stamps = nil
	o.Missing = o.Missing[:1]
	in.Analysis.Chain[0].SamePath = true
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{7}}}
	o.Table = divergence.Table{FailTaken: 3, FailNot: 2, PassNot: 10}
	if got, want := lines(Find(in)), "p/a.go:11 p/a.go:12 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// If the late one of that order was just given less to do, it says nothing: what
// is changed at the same time (12) comes before the condition.
func TestMeanwhileBeforeLess(t *testing.T) {
	in := input()
	o := &in.Analysis.Orders[0]
	g := trace.NewGoroutine(2, "TestX", []trace.Event{5, 6})
	g.End = 50
	o.Fail.Other, o.Fail.Done, o.Fail.Last, o.Pass.Other = g, 2, 6, g
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{7}}}
	if got, want := lines(Find(in)), "p/a.go:12 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const listening = `package p
var admin = ":1323"
func TestPorts(t *testing.T) {
	a := "127.0.0.1:1323"
	b := "http://[::1]:1323/ok"
	c := "127.0.0.1:13230"
	serve(a, b, c, 1323)
}
`

// The port is written in lines 4, 5 and 7 of the function that failed. One that
// only another declaration has is found too, and one that no source has is not.
func TestFixedPort(t *testing.T) {
	for message, want := range map[string]string{
		"listen tcp4 127.0.0.1:1323: bind: address already in use": "p/a.go:4 p/a.go:5 p/a.go:7",
		"listen tcp4 127.0.0.1:1324: bind: address already in use": "p/a.go:7",
		`Get "http://127.0.0.1:1323/ok": EOF`:                      "p/a.go:7",
	} {
		in := Input{
			Analysis: &divergence.Analysis{}, Message: message,
			Sites:  lineSites(listening, [2]int{3, 8}),
			Source: func(string) ([]byte, error) { return []byte(listening), nil },
			Check:  trace.Frame{File: "/m/p/a.go", Line: 7},
		}
		if got := lines(Find(in)); got != want {
			t.Errorf("%s: got %s, want %s", message, got, want)
		}
		in.Check.Line = 1
		if got := len(Find(in)); got != map[bool]int{true: 5, false: 1}[want != "p/a.go:7"] {
			t.Errorf("%s: %d suspects if no port is in the function that failed", message, got)
		}
	}
}

// The worker parts at line 4, where it looks at what TestX changes in line 9 at
// about that time; that TestX then parts at line 10 follows. It leads there only
// if it always does.
func TestMeanwhileEarlier(t *testing.T) {
	const text = `package p
func (q *Queue) work() {
	q.wait()
	if len(q.jobs) == 0 {
		q.close()
	}
}
func TestX(t *testing.T) {
	q.jobs = append(q.jobs, 1)
	if q.err() != nil {
		t.Fatal("closed")
	}
}
`
	table := divergence.Table{FailTaken: 4, PassNot: 9}
	worker := &divergence.Divergence{LastCommon: 4, FailNext: 5, PassNext: 6, Table: table, Path: []divergence.Call{{Func: 0, Block: 4}}}
	in := Input{
		Sites:  lineSites(text, [2]int{2, 7}, [2]int{8, 13}),
		Source: func(string) ([]byte, error) { return []byte(text), nil },
		Check:  trace.Frame{File: "/m/p/a.go", Line: 11},
		Analysis: &divergence.Analysis{
			Chain: []*divergence.Divergence{
				worker,
				{LastCommon: 10, FailNext: 11, PassNext: 12, Table: table, Path: []divergence.Call{{Func: 1, Block: 10}}},
			},
			Meanwhile: []divergence.Meanwhile{{Divergence: 0, Own: true, Blocks: []int{8, 9, 10, 11}}},
		},
	}
	if got := firstLine(t, in); got != 9 {
		t.Errorf("first suspect in line %d, want 9", got)
	}
	worker.Table = divergence.Table{FailTaken: 3, FailNot: 1, PassNot: 9}
	if got := firstLine(t, in); got != 4 {
		t.Errorf("not always: first suspect in line %d, want 4", got)
	}
}
