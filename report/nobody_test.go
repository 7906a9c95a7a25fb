package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A divergence without a passing run beside it names no run 0, and a goroutine of
// which no starter is known none either.
func TestNobody(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result())
	test := f.rng()
	v.t, v.f = test, test.Failures[0]
	d := *test.Failures[0].Analysis.Chain[0]
	d.PassingRun, d.Class = 0, []trace.Frame{{Func: "runtime.newproc", File: "/go/src/runtime/proc.go", Line: 5000}}
	same := d
	same.SamePath = true
	first := d
	first.LastCommon, first.CommonPrefix = 0, 0
	for _, d := range []*divergence.Divergence{&d, &same, &first} {
		text := v.facts(d).Plain() + v.goroutine(d).Plain()
		for _, p := range v.divergence(d) {
			text += p.Plain()
		}
		if strings.Contains(text, "run 0") || strings.Contains(text, "newproc") {
			t.Errorf("%s", text)
		}
		if !strings.Contains(text, "passing runs") {
			t.Errorf("no passing runs in %s", text)
		}
	}
}

// Where failing runs go on after the failed check as passing runs do, that is not the way
// of passing runs, and is not marked as theirs.
func TestResumed(t *testing.T) {
	for resumed, want := range map[bool]int{false: 1, true: 0} {
		f := newFixture(t)
		test := f.rng()
		d := test.Failures[0].Analysis.Chain[0]
		d.SamePath, d.Resumed, d.FailNext = true, resumed, trace.CheckEvent(trace.CheckFail, 1)
		var b bytes.Buffer
		if err := Markdown(&b, f.result(test), test); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "<- next in "); n != want {
			t.Errorf("resumed %t: %d callouts of a way, want %d:\n%s", resumed, n, want, b.String())
		}
	}
}

// Of another goroutine nothing is said where none ran beside the test.
func TestNothingDiffers(t *testing.T) {
	for alone, want := range map[bool]string{false: "The difference is in the data, or in when another goroutine did something.", true: "The difference is in the data."} {
		f := newFixture(t)
		test := f.rng()
		a := test.Failures[0].Analysis
		a.Chain, a.Alone = nil, alone
		v := newViewer(f.result(test))
		v.t, v.f = test, test.Failures[0]
		if text := v.happened(v.f)[0].Plain(); !strings.HasSuffix(text, want) {
			t.Errorf("alone %t: %s", alone, text)
		}
	}
}
