package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// Who reads of provoked failures learns which came by themselves.
func TestProvokedWords(t *testing.T) {
	const so = ", so that how often runs fail here says nothing about how often they fail by themselves"
	for _, c := range []struct {
		name   string
		failed []string // what each failing run was subjected to
		want   string
	}{
		{"plain runs", []string{"", ""}, ""},
		{"held", []string{"stall", "stall"}, "provoked: 2 of the 2 failing runs were made to fail by fdebug (stall)" + so},
		{"held, and by itself in a recorded run", []string{"stall", "map", ""}, "provoked: 2 of the 3 failing runs were made to fail by fdebug (stall, map)" + so},
		{"held, and by itself in an experiment", []string{"stall", runner.Alone}, "provoked: 1 of the 2 failing runs were made to fail by fdebug (stall), and 1 failed in its experiments with nothing changed" + so},
		{"in experiments alone", []string{runner.Alone, ""}, "provoked: 1 of the 2 failing runs failed in experiments of fdebug with nothing changed, which ran this test alone" + so},
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
