package main

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// Experiments are graded by any place that they name, and by the category.
func TestShown(t *testing.T) {
	lines := func(start, end int) *proof.Place {
		return &proof.Place{Block: start, Shown: proof.Span{File: "x.go", Start: start, End: end}}
	}
	at := func(line int) *proof.Place { return lines(line, line) }
	stall := func(list ...*proof.Place) (acts proof.Acts) {
		for _, p := range list {
			acts = append(acts, proof.Act{Kind: trace.ActStall, At: p})
		}
		return acts
	}
	started := at(8)
	started.Goroutine = &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestX"}, {File: "x.go", Line: 7}}}
	p := &program{name: "p", test: "TestX", cause: []place{{file: "x.go", line: 7}}, categories: []string{"time", "async-wait"}}
	for _, c := range []struct {
		name               string
		e                  proof.Proof
		on, near, category bool
	}{
		{"where it is held", proof.Proof{Plan: stall(at(7)), Category: "async-wait"}, true, true, true},
		{"another", proof.Proof{Plan: stall(at(8)), Category: "concurrency"}, false, true, false},
		{"the cure", proof.Proof{Plan: stall(at(8)), Opposite: stall(at(7)), Category: "time"}, true, true, true},
		{"what started it", proof.Proof{Plan: stall(started)}, true, true, false},
		{"one of two that are held", proof.Proof{Plan: stall(at(8), at(7))}, true, true, false},
		{"a window of a few lines", proof.Proof{Plan: stall(lines(5, 14))}, true, true, false},
		{"three lines, two away", proof.Proof{Plan: stall(lines(9, 11))}, false, true, false},
		{"four lines, two away", proof.Proof{Plan: stall(lines(9, 12))}, false, false, false},
		{"one line, three away", proof.Proof{Plan: stall(at(10))}, false, false, false},
		{"one too large to say where", proof.Proof{Plan: stall(lines(5, 15))}, false, false, false},
	} {
		d := doc("TestX", 4, [2]int{7, 7})
		c.e.Verdict = proof.Proved
		d.Tests[1].Experiments = report.Proofs{{Verdict: proof.Reproduced, Plan: stall(at(1))}, &c.e}
		s := judge(p, d).shown
		if s == nil || s.Verdict != proof.Proved || s.on != c.on || s.near != c.near || s.category != c.category {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	d := doc("TestX", 4, [2]int{8, 8}, [2]int{7, 7})
	x := &d.Tests[1]
	x.Experiments = report.Proofs{{Verdict: proof.Proved, Needs: []string{"TestA"}}}
	x.Suspects[0].Class, x.Suspects[1].Class = finding.Proved, finding.Hint
	if s := judge(p, d).shown; s.on || s.first {
		t.Errorf("a place that experiments have not shown: %+v", s)
	}
	x.Suspects[1].Class = finding.Proved
	if s := judge(p, d).shown; !s.on || s.first {
		t.Errorf("the second place: %+v", s)
	}
	if g := judge(p, doc("TestX", 4, [2]int{7, 7})); g.shown != nil {
		t.Errorf("no experiments, but %+v", g.shown)
	}
}

func TestPrintShown(t *testing.T) {
	flaky, quiet := &program{name: "a", cause: []place{{}}}, &program{name: "q"}
	e := proof.Proof{
		Verdict: proof.Proved, Plan: verdicttest.Named("stall"), Category: "time", Runs: 101, Took: 1840 * time.Millisecond,
		Confirmed: proof.Confirmation{With: proof.Count{Failed: 19, Of: 20}, Plain: proof.Count{Of: 20}},
	}
	r := proof.Proof{Verdict: proof.Reproduced, Plan: verdicttest.Named("map"), Category: "unordered-collections"}
	tab := table{grades: []grade{
		{program: flaky, counts: true, shown: &shown{&e, true, true, true, true}},
		{program: flaky, counts: true, shown: &shown{&e, true, true, false, false}},
		{program: flaky, counts: true, shown: &shown{&r, true, true, true, true}},
		{program: flaky, counts: true},
		{program: flaky},
		{program: quiet, counts: true},
	}}
	var b strings.Builder
	if err := tab.printShown(&b); err != nil {
		t.Fatal(err)
	}
	want := `
program  shown           category               right  first on the cause  any  within 2 lines  with it  nothing changed  runs  seconds
a        proved stall    time                   yes    yes                 yes  yes             19/20    0/20             101   1.8
a        proved stall    time                   no     no                  yes  yes             19/20    0/20             101   1.8
a        reproduced map  unordered-collections  yes    yes                 yes  yes             -        -                0     0.0
a        -               -                      -      -                   -    -               -        -                -     -

Proved: 2 of 4; of these the first place on the cause in 1, any in 2, within two lines of it in 2, the category right in 1.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
