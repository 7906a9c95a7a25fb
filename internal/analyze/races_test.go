package analyze

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A race is counted by what became of the test in the runs that reported it: of runs 1 to
// 4 the first two did, of which the second failed, as did the third.
func TestRacesByOutcome(t *testing.T) {
	sites := &trace.Sites{Root: "/m", Files: []trace.File{{Path: "x_test.go", Name: "m/x_test.go"}}}
	report := fmt.Sprintf("WARNING: DATA RACE\nWrite at 0x00c000018f7f by goroutine 8:\n  m.TestX()\n      %s +0x47e\n\n"+
		"Previous read at 0x00c000018f7f by goroutine 10:\n  m.TestX.func1()\n      %s +0x4e\n", "/m/x_test.go:5", "/m/x_test.go:7")
	pkg := new(runner.Package)
	for i, status := range []runner.Status{runner.Passed, runner.Failed, runner.Failed, runner.Passed} {
		run := &runner.Run{N: i + 1, Outcomes: []*runner.Outcome{{Test: "TestX", Status: status}, {Test: "TestY", Status: runner.Failed}}}
		if i < 2 {
			run.Races = []string{report}
		}
		pkg.Runs = append(pkg.Runs, run)
	}
	an := &Analyzer{Sites: sites}
	list := an.Races("TestX", pkg)
	if len(list) != 1 {
		t.Fatalf("%d races, want 1", len(list))
	}
	if r := list[0]; r.Seen != 2 || r.Of != 4 || r.Failed != 1 || r.Failing != 2 || r.Apart() {
		t.Errorf("got %+v", r)
	}
	if n, alone := ranIn("TestX", pkg); n != 4 || alone {
		t.Errorf("ran in %d runs, alone %v, want all 4 beside TestY", n, alone)
	}
	if n, alone := ranIn("TestZ", pkg); n != 0 || alone {
		t.Errorf("a test that did not run ran in %d runs", n)
	}
	for _, run := range pkg.Runs {
		run.Outcomes = run.Outcomes[:1]
	}
	if _, alone := ranIn("TestX", pkg); !alone {
		t.Error("it did not run alone, though no other test ran")
	}
	pkg.Runs[1].Races = nil
	if r := an.Races("TestX", pkg)[0]; r.Seen != 1 || r.Failed != 0 || r.Failing != 2 || !r.Apart() {
		t.Errorf("seen where it passed only: %+v", r)
	}
}

// A race of two counters is one, though which of them reads and which writes differs from
// run to run.
func TestRacesOfEitherKind(t *testing.T) {
	sites := &trace.Sites{Root: "/m", Files: []trace.File{{Path: "x_test.go", Name: "m/x_test.go"}}}
	report := func(first, previous string) string {
		return fmt.Sprintf("WARNING: DATA RACE\n%s at 0x00c000018f7f by goroutine 8:\n  m.TestX()\n      /m/x_test.go:5 +0x47e\n\n"+
			"Previous %s at 0x00c000018f7f by goroutine 10:\n  m.TestX.func1()\n      /m/x_test.go:7 +0x4e\n", first, previous)
	}
	pkg := &runner.Package{Runs: []*runner.Run{
		{N: 1, Races: []string{report("Read", "write")}, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}}},
		{N: 2, Races: []string{report("Write", "read")}, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}}},
		{N: 3, Races: []string{report("Write", "read")}, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}}},
	}}
	an := &Analyzer{Sites: sites}
	list := an.Races("TestX", pkg)
	if len(list) != 1 || list[0].Seen != 3 {
		t.Fatalf("got %+v, want one race seen in 3 runs", list)
	}
	for i, a := range list[0].Accesses {
		if a.Kind.String() != "read or write" {
			t.Errorf("access %d is a %s, want a read or write", i, a.Kind)
		}
	}
	pkg.Runs = pkg.Runs[1:]
	if a := an.Races("TestX", pkg)[0].Accesses; a[0].Kind != finding.Write || a[1].Kind != finding.Read {
		t.Errorf("of one kind each: %s and %s", a[0].Kind, a[1].Kind)
	}
}
