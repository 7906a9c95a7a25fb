package analyze

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

func TestHints(t *testing.T) {
	an := &Analyzer{Sites: &trace.Sites{Root: "/m"}}
	suspect := func(line int, c finding.Claim) finding.Suspect {
		return finding.Suspect{Span: trace.Span{File: "a.go", Start: line, End: line + 1}, Reason: verdicttest.Reason{Claims: c}}
	}
	r := &finding.Result{Tests: []*finding.Test{
		{Package: "p", Name: "TestOther", Failures: []*finding.Failure{{Suspects: []finding.Suspect{suspect(1, finding.Claim{})}}}},
		{Package: "p", Name: "TestX/sub", Failures: []*finding.Failure{{
			Suspects: []finding.Suspect{
				suspect(10, finding.Claim{Other: trace.Frame{File: "b.go", Line: 7}}),
				suspect(20, finding.Claim{Try: finding.TryChoices}),
				suspect(30, finding.Claim{Try: finding.TryTests, Tests: []string{"TestA"}}),
				suspect(10, finding.Claim{}),                        // named already
				suspect(40, finding.Claim{Try: finding.TryNothing}), // where it surfaces
			},
		}}},
		{Package: "q", Name: "TestX", Failures: []*finding.Failure{{Suspects: []finding.Suspect{suspect(50, finding.Claim{})}}}},
	}}
	want := []freedom.Hint{
		{Span: trace.Span{File: "a.go", Start: 10, End: 11}},
		{Span: trace.Span{File: "b.go", Start: 7, End: 7}},
		{Span: trace.Span{File: "a.go", Start: 20, End: 21}, Draw: true},
		{Tests: []string{"TestA"}},
	}
	if got := an.Hints(r, "p", "TestX"); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestRecorded(t *testing.T) {
	sig := runner.Signature{Test: "TestX/a", Message: "m"}
	out := func(test string, s runner.Status, d time.Duration) *runner.Outcome {
		return &runner.Outcome{Test: test, Status: s, Elapsed: d}
	}
	failed := out("TestX/a", runner.Failed, 1)
	failed.Signature = sig
	parent := out("TestX", runner.Failed, 3)
	parent.ByChild = true
	p := &runner.Package{Runs: []*runner.Run{
		{Seed: 5, Outcomes: []*runner.Outcome{out("TestY", runner.Failed, 9), out("TestX", runner.Passed, 2)}},
		{Seed: 6, Shuffle: "17", Outcomes: []*runner.Outcome{parent, failed}},
		{Seed: 7, Outcomes: []*runner.Outcome{out("TestY", runner.Crashed, 9)}}, // it did not come to the test
	}}
	want := []experiment.Recorded{{Seed: 5, Elapsed: 2}, {Seed: 6, Shuffle: 17, Failed: true, Signature: sig, Elapsed: 3}}
	if got := Recorded(p, "TestX"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
