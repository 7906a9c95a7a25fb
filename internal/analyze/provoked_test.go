package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// Who reads of provoked failures learns which came by themselves.
func TestProvokedWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		failed []string // what each failing run was subjected to
		want   string
	}{
		{"plain runs", []string{"", ""}, ""},
		{"held", []string{"stall", "stall"}, "2 of 2 failures were provoked (stall)"},
		{"held, and by itself in a recorded run", []string{"stall", "map", ""}, "2 of 3 failures were provoked (stall, map)"},
		{"held, and by itself in an experiment", []string{"stall", runner.Alone}, "1 of 2 failures were provoked (stall), and 1 come from running this test alone"},
		{"in experiments alone", []string{runner.Alone, ""}, "1 of 2 failures come from running this test alone"},
	} {
		u := &runner.Unit{Runs: []runner.UnitRun{{Run: &runner.Run{Provoked: "stall"}, Status: runner.Passed}}}
		for _, p := range c.failed {
			u.Runs = append(u.Runs, runner.UnitRun{Run: &runner.Run{Provoked: p}, Status: runner.Failed})
		}
		if got := provokedWords(u); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
