package main

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// doc is a report about one test, with suspects in file x.go.
func doc(test string, failed int, lines ...[2]int) *report.Document {
	t := report.DocumentTest{Test: test, Runs: 10, Failed: failed, Passed: 10 - failed, Flaky: failed > 0 && failed < 10}
	for _, l := range lines {
		t.Suspects = append(t.Suspects, report.DocumentSuspect{Suspect: finding.Suspect{Span: finding.Span{File: "x.go", Start: l[0], End: l[1]}}})
	}
	return &report.Document{Tests: []report.DocumentTest{{Test: "TestOther"}, t}}
}

func TestJudge(t *testing.T) {
	cause := []place{{file: "x.go", line: 7}, {file: "y.go", line: 3}}
	for _, test := range []struct {
		name    string
		doc     *report.Document
		counts  bool
		verdict string
		rank    int
	}{
		{"on the line", doc("TestX", 4, [2]int{7, 7}), true, "yes", 1},
		{"a block with the line", doc("TestX", 4, [2]int{5, 7}), true, "yes", 1},
		{"a block too large to say where", doc("TestX", 4, [2]int{4, 7}), true, "no", 0},
		{"second", doc("TestX", 4, [2]int{1, 1}, [2]int{7, 7}), true, "no", 2},
		{"the line of another file", doc("TestX", 4, [2]int{3, 3}), true, "no", 0},
		{"nothing", doc("TestX", 4), true, "no suspects", 0},
		{"never failed", doc("TestX", 0), false, "not flaky in these runs", 0},
		{"always failed", doc("TestX", 10, [2]int{7, 7}), false, "not flaky in these runs", 0},
		{"not in the report", doc("TestY", 4), false, "not flaky in these runs", 0},
	} {
		g := judge(&program{name: "p", test: "TestX", cause: cause}, test.doc)
		if g.counts != test.counts || g.verdict != test.verdict || g.rank != test.rank || g.right != (test.verdict == "yes") {
			t.Errorf("%s: %+v", test.name, g)
		}
	}
}

// A program that never fails is right if no test is reported.
func TestJudgeQuiet(t *testing.T) {
	p := &program{name: "p", test: "TestX"}
	if g := judge(p, &report.Document{}); !g.right || !g.counts {
		t.Errorf("no report: %+v", g)
	}
	if g := judge(p, doc("TestX", 4, [2]int{7, 7})); g.right || g.first != "x.go:7" {
		t.Errorf("a report: %+v", g)
	}
}

func TestTable(t *testing.T) {
	flaky, quiet := &program{name: "a", cause: []place{{}}}, &program{name: "q"}
	tab := table{n: 10, grades: []grade{
		{program: flaky, failing: 4, runs: 10, first: "x.go:7", rank: 1, counts: true, right: true, verdict: "yes"},
		{program: flaky, failing: 2, runs: 10, first: "x.go:1-2", rank: 3, counts: true, verdict: "no"},
		{program: flaky, verdict: "not flaky in these runs"},
		{program: quiet, counts: true, right: true, verdict: "nothing reported, rightly"},
	}}
	var b strings.Builder
	if err := tab.print(&b); err != nil {
		t.Fatal(err)
	}
	want := `program  failing  first suspect  cause                      rank
a        4/10     x.go:7         yes                        1
a        2/10     x.go:1-2       no                         3
a        -        -              not flaky in these runs    -
q        -        -              nothing reported, rightly  -

n = 10 runs each. First suspect on the cause: 1 of 2 (50 %); one of the list: 2 of 2.
Programs that never fail: 1 of 1 rightly without a report. Not counted: 1.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
