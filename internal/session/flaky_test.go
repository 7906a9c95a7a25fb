package session

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// What always fails with the recorder is experimented with if it passes without. What always fails is not.
func TestFlakyTests(t *testing.T) {
	runs := func(list ...runner.Status) (out []*runner.Run) {
		for i, s := range list {
			out = append(out, &runner.Run{N: i + 1, Outcomes: []*runner.Outcome{{Test: "TestX", Status: s}}})
		}
		return out
	}
	for _, c := range []struct {
		name          string
		with, without []*runner.Run
		want          int
	}{
		{"it fails at times", runs(runner.Failed, runner.Passed), nil, 1},
		{"it fails with the recorder", runs(runner.Failed, runner.Failed), runs(runner.Passed, runner.Failed), 1},
		{"it fails", runs(runner.Failed, runner.Failed), runs(runner.Failed), 0},
		{"it fails without the recorder", runs(runner.Passed, runner.Passed), runs(runner.Failed), 0},
	} {
		list := FlakyTests(&runner.Results{Packages: []*runner.Package{{Runs: c.with, Controls: c.without}}})
		if len(list) != c.want || c.want > 0 && (list[0].Name != "TestX" || len(list[0].Fail) != 1) {
			t.Errorf("%s: %d tests", c.name, len(list))
		}
	}
}
