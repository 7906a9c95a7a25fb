package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// A test is known to fail alone if it did so in a process without other tests.
func TestAlone(t *testing.T) {
	run := func(tests ...string) *runner.Run {
		r := &runner.Run{}
		for _, name := range append(tests, "") {
			r.Outcomes = append(r.Outcomes, &runner.Outcome{Test: name})
		}
		return r
	}
	for _, c := range []struct {
		name, test string
		failing    []*runner.Run
		want       string
	}{
		{"with others", "TestX", []*runner.Run{run("TestX", "TestY")}, ""},
		{"alone", "TestX", []*runner.Run{run("TestX")}, "^TestX$"},
		{"with its subtests", "TestX", []*runner.Run{run("TestX", "TestX/a")}, "^TestX$"},
		{"once alone", "TestX", []*runner.Run{run("TestX", "TestXY"), run("TestX")}, "^TestX$"},
		{"a subtest among others", "TestX/a", []*runner.Run{run("TestX", "TestX/a", "TestX/ab")}, "^TestX$"},
		{"a subtest alone", "TestX/a.b", []*runner.Run{run("TestX", "TestX/a.b")}, "^TestX$"},
		{"the package", "", []*runner.Run{run()}, ""},
	} {
		u := &runner.Unit{Test: c.test, Runs: []runner.UnitRun{{Run: run(c.test), Status: runner.Passed}}}
		for _, r := range c.failing {
			u.Runs = append(u.Runs, runner.UnitRun{Run: r, Status: runner.Failed})
		}
		if got := alone(u); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
