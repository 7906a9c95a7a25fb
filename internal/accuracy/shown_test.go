package main

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/report"
)

// Experiments are graded by any place that they name, and by the category.
func TestShown(t *testing.T) {
	at := func(line int) []report.DocumentRange {
		return []report.DocumentRange{{File: "x.go", Start: line, End: line}}
	}
	p := &program{name: "p", test: "TestX", cause: []place{{file: "x.go", line: 7}}, categories: []string{"time", "async-wait"}}
	for _, c := range []struct {
		name               string
		e                  report.DocumentExperiment
		on, near, category bool
	}{
		{"the window", report.DocumentExperiment{Window: at(7), Category: "async-wait"}, true, true, true},
		{"another", report.DocumentExperiment{Window: at(8), Category: "concurrency"}, false, true, false},
		{"the cure", report.DocumentExperiment{Window: at(8), Cure: at(7), Category: "time"}, true, true, true},
		{"what started it", report.DocumentExperiment{Window: at(8), Started: &at(7)[0]}, true, true, false},
		{"one of two that are held", report.DocumentExperiment{Holds: []report.DocumentHold{{At: at(8)[0]}, {At: at(7)[0]}}}, true, true, false},
		{"the limit", report.DocumentExperiment{Window: at(8), Limit: "time.Sleep(12ms) (x.go:7)"}, true, true, false},
		{"a window of a few lines", report.DocumentExperiment{Window: []report.DocumentRange{{File: "x.go", Start: 5, End: 14}}}, true, true, false},
		{"three lines, two away", report.DocumentExperiment{Window: []report.DocumentRange{{File: "x.go", Start: 9, End: 11}}}, false, true, false},
		{"four lines, two away", report.DocumentExperiment{Window: []report.DocumentRange{{File: "x.go", Start: 9, End: 12}}}, false, false, false},
		{"one line, three away", report.DocumentExperiment{Window: at(10)}, false, false, false},
		{"one too large to say where", report.DocumentExperiment{Window: []report.DocumentRange{{File: "x.go", Start: 5, End: 15}}}, false, false, false},
	} {
		d := doc("TestX", 4, [2]int{7, 7})
		c.e.Class = "proved"
		d.Tests[1].Experiments = []report.DocumentExperiment{{Class: "reproduced", Window: at(1)}, c.e}
		s := judge(p, d).shown
		if s == nil || s.Class != "proved" || s.on != c.on || s.near != c.near || s.category != c.category {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	d := doc("TestX", 4, [2]int{8, 8}, [2]int{7, 7})
	x := &d.Tests[1]
	x.Experiments = []report.DocumentExperiment{{Class: "proved", Kind: "tests"}}
	x.Suspects[0].Class, x.Suspects[1].Class = "proved", "hint"
	if s := judge(p, d).shown; s.on || s.first {
		t.Errorf("a place that experiments have not shown: %+v", s)
	}
	x.Suspects[1].Class = "proved"
	if s := judge(p, d).shown; !s.on || s.first {
		t.Errorf("the second place: %+v", s)
	}
	if g := judge(p, doc("TestX", 4, [2]int{7, 7})); g.shown != nil {
		t.Errorf("no experiments, but %+v", g.shown)
	}
}

func TestPrintShown(t *testing.T) {
	flaky, quiet := &program{name: "a", cause: []place{{}}}, &program{name: "q"}
	e := report.DocumentExperiment{Class: "proved", Kind: "stall", Category: "time", With: report.DocumentCount{Failed: 19, Of: 20}, Plain: report.DocumentCount{Of: 20}, Runs: 101, Took: 1.84}
	r := report.DocumentExperiment{Class: "reproduced", Kind: "map", Category: "unordered-collections"}
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
