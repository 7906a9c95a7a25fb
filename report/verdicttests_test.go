package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// Recorded runs that failed without what is shown to make it fail have another cause.
func TestFailedElse(t *testing.T) {
	v := newViewer(newFixture(t).result())
	v.t = &finding.Test{}
	d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Before: []string{"TestPut"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}}
	for _, c := range []struct {
		elsewhere   int
		tests       []string
		title, said string
	}{
		{0, []string{"TestPut"}, "Cause, proved by experiment", "The test fails if just TestPut runs before it in the same process: in 20 of 20 runs; alone in 0 of 20."},
		{3, []string{"TestPut"}, "A cause, proved by experiment", "The test fails if just TestPut runs before it in the same process: in 20 of 20 runs; alone in 0 of 20. In 3 of the 9 runs that failed so with nothing changed, TestPut had not run before: it is not the only cause."},
		{3, []string{"TestPut", "TestGet"}, "A cause, proved by experiment", "The test fails if just TestPut, TestGet run before it in the same process: in 20 of 20 runs; alone in 0 of 20. In 3 of the 9 runs that failed so with nothing changed, not all of these had run before: they are not the only cause."},
	} {
		d.Proof.Before, d.FailedElse, d.FailedOf = c.tests, c.elsewhere, 9
		if got := v.verdictView(d); got.Title != c.title || got.Said.Plain() != c.said {
			t.Errorf("got %q: %q", got.Title, got.Said.Plain())
		}
	}
}

// What another test leaves behind is named where it is known.
func TestFixOfTests(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Before: []string{"TestPut"}}, Category: "test-order", Signature: "s"}
	first := func() string { v.f = nil; return v.fix(d)[0].Plain() }
	v.t = &finding.Test{Failures: []*finding.Failure{{Signature: "s"}}}
	if got := first(); !strings.HasPrefix(got, "Find what TestPut changes") {
		t.Errorf("nothing is known, and got %q", got)
	}
	v.t.Failures[0].Suspects = []finding.Suspect{
		{File: "queue/queue.go", Start: 44, End: 44, Reason: finding.Reason{Kind: finding.ReasonShared, Var: "all", Read: true, Verdict: d}},
		{File: "queue/queue.go", Start: 45, End: 45, Reason: finding.Reason{Kind: finding.ReasonTest, Code: "TestPut", Var: "q.rows", Verdict: d}},
	}
	if got, want := first(), "TestPut changes q.rows at queue/queue.go:45 and comes to it by all at queue/queue.go:44; this test reads all too."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects[1].Reason.Maybe = true
	if got, want := first(), "TestPut may change q.rows at queue/queue.go:45 and comes to it by all at queue/queue.go:44; this test reads all too."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects[1].Reason.Maybe = false
	if got, want := v.fix(d)[1].Plain(), "Let each test have its own all, where it gets it, or "; !strings.HasPrefix(got, want) {
		t.Errorf("nothing is to be undone in the program, got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects[1].Reason.Read = true
	v.t.Failures[0].Suspects[0].Reason = finding.Reason{Kind: finding.ReasonTestCall, Verdict: d}
	if got, want := first(), "TestPut changes q.rows at queue/queue.go:45; it comes there from queue/queue.go:44; this test reads that too."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := v.fix(d)[1].Plain(), "Undo it there with t.Cleanup "; !strings.HasPrefix(got, want) {
		t.Errorf("the test calls it itself, got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects = []finding.Suspect{{File: "queue/queue.go", Start: 45, End: 45, Reason: finding.Reason{Kind: finding.ReasonTest, Code: "TestPut", Var: "the environment variable HOME", Read: true, Verdict: d}}}
	if got, want := v.fix(d)[0].Plain()+" "+v.fix(d)[1].Plain(), "TestPut changes the environment variable HOME at queue/queue.go:45; this test reads that too. Set it there with t.Setenv, "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects = []finding.Suspect{{File: "queue/queue.go", Start: 44, End: 44, Reason: finding.Reason{Kind: finding.ReasonPolluted, Code: "TestPut", Var: "all", Verdict: d}}}
	if got, want := v.fix(d)[0].Plain()+" "+v.fix(d)[1].Plain(), "TestPut leaves all otherwise than it was; it comes to it at queue/queue.go:44. Let each test have its own all, where it gets it, "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	v.t.Failures[0].Suspects = append(v.t.Failures[0].Suspects, v.t.Failures[0].Suspects[0])
	v.t.Failures[0].Suspects[0].Reason.Verdict = nil
	v.t.Failures[0].Suspects[1].Reason.Verdict = &finding.Verdict{Proof: proof.Proof{Before: []string{"TestGet"}}, Signature: "s"}
	if got := first(); !strings.HasPrefix(got, "Find what TestPut changes") {
		t.Errorf("it is known of another test, and got %q", got)
	}
}
