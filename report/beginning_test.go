package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Of a window that begins with the goroutine the place is named at which it was held in the runs that count: it need
// not be the first.
func TestHeldAfterBeginning(t *testing.T) {
	v := newViewer(newFixture(t).result())
	first, later := finding.Span{File: "queue/queue.go", Start: 32, End: 32}, finding.Span{File: "queue/queue.go", Start: 37, End: 37}
	d := finding.Verdict{
		Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, FromStart: true, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}}},
		Started: trace.Frame{File: "queue/queue.go", Line: 31}, Window: []finding.Span{first, later}, Ends: []int{1, 2},
	}
	for _, tt := range []struct {
		at    finding.Span
		visit int
		want  string
	}{
		{first, 1, "is held for 10ms from its beginning, the test fails"},
		{first, 2, "is held for 10ms between its beginning and q.done.Store(true) (queue/queue.go:37) (the 2nd time), at queue/queue.go:32 (the 2nd time), the test fails"},
		{later, 1, "is held for 10ms between its beginning and q.done.Store(true) (queue/queue.go:37) (the 2nd time), at queue/queue.go:37, the test fails"},
	} {
		d.At, d.Visits = tt.at, []int{tt.visit}
		if got := v.verdictSaid(&d).Plain(); !strings.Contains(got, tt.want) {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Who made the accesses of a race is named if it was the same in all runs.
func TestRaceOfSeveral(t *testing.T) {
	at := func(line int) trace.Frame { return trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: line} }
	test := &finding.Test{Races: []finding.Race{{Seen: 3, Of: 4, Accesses: [2]finding.Access{{At: at(37), Started: at(31)}, {At: at(44)}}}}}
	v := newViewer(newFixture(t).result(test))
	v.t = test
	for varies, want := range map[bool]bool{false: true, true: false} {
		test.Races[0].Accesses[0].Varies = varies
		if got := v.races()[0].Plain(); strings.Contains(got, "by a goroutine started at") != want {
			t.Errorf("varies %t: %s", varies, got)
		}
	}
}

// What is left of a package has no goroutine of its own that could be compared.
func TestPackageIsNotCompared(t *testing.T) {
	f := newFixture(t)
	fail := f.rng().Failures[0]
	fail.Analysis.Chain = nil
	for name, want := range map[string]bool{"": false, "TestA": true} {
		v := newViewer(f.result())
		v.t, v.f = &finding.Test{Name: name, Runs: runs(3, finding.Crashed, 2)}, fail
		got := ""
		for _, p := range v.happened(fail) {
			got += p.Plain()
		}
		if strings.Contains(got, "in any goroutine of the test") != want || got == "" {
			t.Errorf("%q: %s", name, got)
		}
	}
}
