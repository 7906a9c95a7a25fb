package inject

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// The edit is line 20, and a deletion between lines 40-42 and 44, in a function from 10 to 60.
func TestOn(t *testing.T) {
	m := &Mutant{File: "x.go", Lines: []Range{{20, 20}, {40, 42}, {44, 44}}, Span: Range{10, 60}}
	for _, test := range []struct {
		file       string
		start, end int
		on, in     bool
	}{
		{"x.go", 20, 20, true, true},
		{"x.go", 22, 22, true, true},   // 2 lines away
		{"x.go", 23, 23, false, true},  // 3 lines away
		{"x.go", 18, 18, true, true},   // 2 lines before
		{"x.go", 16, 18, true, true},   // 3 lines that end 2 before it
		{"x.go", 15, 18, false, true},  // 4 lines that end 2 before it
		{"x.go", 11, 20, true, true},   // 10 lines with it
		{"x.go", 10, 20, false, true},  // 11 lines with it
		{"x.go", 41, 41, true, true},   // in a neighbour
		{"x.go", 46, 46, true, true},   // 2 after the last
		{"x.go", 47, 47, false, true},  // 3 after it
		{"y.go", 20, 20, false, false}, // another file
		{"x.go", 61, 61, false, false}, // after the function
		{"x.go", 1, 10, false, true},   // begins before it
		{"x.go", 1, 9, false, false},   // ends before it
	} {
		p := Place{test.file, Range{test.start, test.end}}
		if m.on(p) != test.on || m.inFunc(p) != test.in {
			t.Errorf("%v: on %v, in the function %v; want %v, %v", p, m.on(p), m.inFunc(p), test.on, test.in)
		}
	}
}

// A package variable is in no function.
func TestOnOutsideFunctions(t *testing.T) {
	m := &Mutant{File: "x.go", Lines: []Range{{20, 20}}}
	if m.inFunc(Place{"x.go", Range{1, 5}}) {
		t.Error("a place is in a function though there is none")
	}
}

func TestJudge(t *testing.T) {
	at := func(line int) Place { return Place{"x.go", Range{line, line}} }
	on, near, far := at(20), at(30), at(90)
	for _, test := range []struct {
		name string
		got  measure
		word string
		bits string // first, any, first in function, any in function, Ochiai, check, last
	}{
		{"first", measure{Flaky: true, Failed: 5, Suspects: []Place{on, far}}, "on", "1111000"},
		{"second", measure{Flaky: true, Failed: 5, Suspects: []Place{far, on}}, "on, not first", "0101000"},
		{"function", measure{Flaky: true, Failed: 5, Suspects: []Place{near, far}}, "same function", "0011000"},
		{"function later", measure{Flaky: true, Failed: 5, Suspects: []Place{far, near}}, "same function, not first", "0001000"},
		{"elsewhere", measure{Flaky: true, Failed: 5, Suspects: []Place{far}}, "no", "0000000"},
		{"nothing", measure{Flaky: true, Failed: 5}, "no suspects", "0000000"},
		{"others", measure{Flaky: true, Failed: 5, Ochiai: &on, Check: &on, Last: &near}, "no suspects", "0000110"},
		{"never failed", measure{Suspects: []Place{on}}, "did not fail in the recorded runs", "0000000"},
		{"always failed", measure{Failed: 50, Suspects: []Place{on}, Check: &on}, "failed in all recorded runs", "0000000"},
		{"error", measure{Err: "exit status 3", Flaky: true, Failed: 5, Suspects: []Place{on}}, "fdebug failed", "0000000"},
	} {
		tr := &trial{Mutant: Mutant{File: "x.go", Lines: []Range{{20, 20}}, Span: Range{10, 60}}}
		g := judge(tr, &test.got)
		bits := ""
		for _, b := range []bool{g.First, g.Any, g.FirstFunc, g.AnyFunc, g.Ochiai, g.Check, g.Last} {
			if b {
				bits += "1"
			} else {
				bits += "0"
			}
		}
		if g.word() != test.word || bits != test.bits {
			t.Errorf("%s: %q %s, want %q %s", test.name, g.word(), bits, test.word, test.bits)
		}
	}
}

func TestGraded(t *testing.T) {
	test := func(name string, failed int, flaky bool) report.DocumentTest {
		return report.DocumentTest{Test: name, Failed: failed, Flaky: flaky}
	}
	for _, c := range []struct {
		tests []report.DocumentTest
		want  string
	}{
		{nil, ""},
		{[]report.DocumentTest{test("passes", 0, false)}, ""},
		{[]report.DocumentTest{test("a", 2, true), test("b", 7, true), test("c", 7, true)}, "b"},
		{[]report.DocumentTest{test("always", 50, false), test("a", 2, true)}, "a"},
		{[]report.DocumentTest{test("a", 2, true), test("always", 50, false)}, "a"},
		{[]report.DocumentTest{test("always", 50, false)}, "always"},
	} {
		got := graded(&report.Document{Tests: c.tests})
		if (got == nil) != (c.want == "") || got != nil && got.Test != c.want {
			t.Errorf("of %+v: %+v, want %q", c.tests, got, c.want)
		}
	}
}

// For 4 failing and 6 passing runs, block 2 ran in 4 and 2 (0.82), block 3 in 2 and 0 (0.71),
// block 4 in 4 and 2 as well.
func TestBest(t *testing.T) {
	if b := best([]int{0, 0, 4, 2, 4}, []int{0, 6, 2, 0, 2}, 4); b != 2 {
		t.Errorf("block %d, want 2", b)
	}
	if b := best([]int{0, 0}, []int{0, 3}, 4); b != 0 {
		t.Errorf("block %d though no failing run ran any", b)
	}
}

// The last divergence is that of the most frequent failure that has one.
func TestLastDivergence(t *testing.T) {
	chain := func(lines ...int) (list []report.DocumentDivergence) {
		for _, n := range lines {
			list = append(list, report.DocumentDivergence{LastCommon: &trace.Span{File: "x.go", Start: n, End: n}})
		}
		return list
	}
	test := &report.DocumentTest{Failures: []report.DocumentFailure{
		{Failure: finding.Failure{Runs: make([]int, 9)}},
		{Failure: finding.Failure{Runs: make([]int, 2)}, Divergences: chain(1)},
		{Failure: finding.Failure{Runs: make([]int, 4)}, Divergences: chain(5, 7)},
	}}
	if p := lastDivergence(test); p == nil || p.Start != 7 {
		t.Errorf("got %v, want line 7", p)
	}
	if p := lastDivergence(&report.DocumentTest{}); p != nil {
		t.Errorf("got %v of a test without divergences", p)
	}
}
