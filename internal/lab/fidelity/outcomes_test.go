package main

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// observe makes observations from runs written as "TestA=pass TestB=fail".
func observe(plain, traced []string) *observations {
	o := newObservations()
	for i, side := range [][]string{plain, traced} {
		for _, text := range side {
			run := new(runner.Run)
			for _, field := range strings.Fields(text) {
				name, status, _ := strings.Cut(field, "=")
				run.Outcomes = append(run.Outcomes, &runner.Outcome{Test: name, Status: runner.Status(status)})
			}
			o.add(i == 1, run, false)
		}
	}
	return o
}

func TestConclude(t *testing.T) {
	known, err := parseExceptions("# comment\np TestKnown counts allocations\np TestStale no longer true\nq TestOther another package\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name          string
		plain, traced []string
		want          string // the differences
		same          int
		stale         int
	}{
		{name: "same", plain: []string{"TestA=pass TestB=fail"}, traced: []string{"TestB=fail TestA=pass"}, same: 2, stale: 2},
		{name: "different", plain: []string{"TestA=pass"}, traced: []string{"TestA=fail"},
			want: "TestA: plain pass, traced fail", stale: 2},
		{name: "always different", plain: []string{"TestA=pass", "TestA=pass"}, traced: []string{"TestA=fail", "TestA=crash"},
			want: "TestA: plain pass, traced fail or crash", stale: 2},
		{name: "flaky", plain: []string{"TestA=pass", "TestA=fail"}, traced: []string{"TestA=fail", "TestA=fail"},
			want: "TestA: plain pass or fail, traced fail (unsteady)", stale: 2},
		{name: "crash elsewhere", plain: []string{"TestA=pass TestB=crash", "TestA=pass TestB=pass TestC=pass"},
			traced: []string{"TestA=pass TestB=pass TestC=pass"}, want: "TestB: plain crash or pass, traced pass (unsteady)", same: 2, stale: 2},
		{name: "always a crash", plain: []string{"TestA=pass TestB=pass"}, traced: []string{"TestA=crash"},
			want: "TestA: plain pass, traced crash\nTestB: plain pass, traced not run", stale: 2},
		{name: "absent", plain: []string{"TestA=pass TestA/x=pass"}, traced: []string{"TestA=pass"},
			want: "TestA/x: plain pass, traced absent", same: 1, stale: 2},
		{name: "addresses", plain: []string{"TestA/0xc000123456=pass TestA/0xc000123457=pass"},
			traced: []string{"TestA/0xc000999999=pass TestA/0xc000999998=pass"}, same: 2, stale: 2},
		{name: "known", plain: []string{"TestKnown/a=pass"}, traced: []string{"TestKnown/a=fail"},
			want: "TestKnown/a: plain pass, traced fail (expected: counts allocations)", stale: 1},
		{name: "not this package's", plain: []string{"TestOther=pass"}, traced: []string{"TestOther=fail"},
			want: "TestOther: plain pass, traced fail", stale: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &result{pkg: "p"}
			observe(tt.plain, tt.traced).conclude(r, known)
			var got []string
			for _, d := range r.different {
				got = append(got, d.String())
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("got\n%s\nwant\n%s", text, tt.want)
			}
			if r.same != tt.same || len(r.stale) != tt.stale {
				t.Errorf("%d the same and %d stale, want %d and %d", r.same, len(r.stale), tt.same, tt.stale)
			}
		})
	}
}

func TestExceptionNeedsReason(t *testing.T) {
	if _, err := parseExceptions("p TestA\n"); err == nil {
		t.Error("an exception without a reason is accepted")
	}
	if _, err := parseExceptions(exceptionsText); err != nil {
		t.Error(err)
	}
}

// TestSubtestFailsParent checks that a parent that failed only because of its subtest is not a
// difference of its own.
func TestSubtestFailsParent(t *testing.T) {
	o := newObservations()
	o.add(false, &runner.Run{Outcomes: []*runner.Outcome{{Test: "T", Status: runner.Passed}, {Test: "T/x", Status: runner.Passed}}}, false)
	o.add(true, &runner.Run{Outcomes: []*runner.Outcome{{Test: "T", Status: runner.Failed, ByChild: true}, {Test: "T/x", Status: runner.Failed}}}, false)
	if d := o.differing(); len(d) != 1 || d[0].name != "T/x" {
		t.Errorf("differing: %v, want T/x only", d)
	}
}

// TestUnsettled checks that a test that lacks the same outcome only because another one crashes
// is run alone, and then has it.
func TestUnsettled(t *testing.T) {
	o := observe([]string{"TestA=pass TestB=pass TestC/x=pass"}, []string{"TestA=crash", "TestA=crash"})
	if got := strings.Join(o.unsettled(), " "); got != "TestA TestB TestC" {
		t.Errorf("unsettled: %s", got)
	}
	o.add(true, &runner.Run{Outcomes: []*runner.Outcome{{Test: "TestB", Status: runner.Passed}, {Test: "TestC/x", Status: runner.Passed}}}, true)
	if got := strings.Join(o.unsettled(), " "); got != "TestA" {
		t.Errorf("then unsettled: %s", got)
	}
}

// TestShared checks that if several tests were running when the process died, none of them is
// blamed.
func TestShared(t *testing.T) {
	o := observe([]string{"TestA=pass TestB=pass"}, nil)
	o.add(true, &runner.Run{Outcomes: []*runner.Outcome{
		{Test: "TestA", Status: runner.Crashed, Shared: true}, {Test: "TestB", Status: runner.Crashed}}}, false)
	o.add(true, &runner.Run{Outcomes: []*runner.Outcome{{Test: "TestA", Status: runner.Passed}}}, true)
	if d := o.differing(); len(d) != 1 || d[0].name != "TestB" {
		t.Errorf("differing: %v, want TestB only", d)
	}
}
