package finding

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

func runsOf(passed, failed int, provoked string) []Run {
	return append(slices.Repeat([]Run{{Status: Passed}}, passed),
		slices.Repeat([]Run{{Status: Failed, Provoked: provoked}}, failed)...)
}

// What all runs of a test come to. 20 of 20 against 0 of 3 is one of C(23,3) = 1771 orders, 3 of 3 against 0 of 3 one
// of 20: a test that has both passed and failed is flaky then.
func TestState(t *testing.T) {
	shown := []Verdict{{}}
	always := []Verdict{{Proof: proof.Proof{Always: true}}}
	for _, c := range []struct {
		name string
		test Test
		want State
	}{
		{"no failure", Test{Runs: runsOf(20, 0, ""), Plain: runsOf(3, 0, "")}, Passing},
		{"both", Test{Runs: runsOf(19, 1, ""), Plain: runsOf(3, 0, "")}, Flaky},
		{"each run", Test{Runs: runsOf(0, 20, ""), Plain: runsOf(0, 3, "")}, Failing},
		{"each run, none without the recorder", Test{Runs: runsOf(0, 20, "")}, Failing},
		{"with the recorder alone", Test{Runs: runsOf(0, 20, ""), Plain: runsOf(3, 0, "")}, Recorder},
		{"as before, too few", Test{Runs: runsOf(0, 3, ""), Plain: runsOf(3, 0, "")}, Flaky},
		{"one plain run fails", Test{Runs: runsOf(0, 20, ""), Plain: runsOf(22, 1, "")}, Flaky},
		{"one recorded run passes", Test{Runs: runsOf(1, 49, ""), Plain: runsOf(23, 0, "")}, Flaky},
		{"without the recorder alone", Test{Runs: runsOf(20, 0, ""), Plain: runsOf(1, 2, "")}, Flaky},
		{"provoked", Test{Runs: runsOf(20, 20, "hold"), Verdicts: shown}, Provoked},
		{"in experiments, unexplained", Test{Runs: runsOf(10, 1, "hold")}, OnlySeen},
		{"in experiments, with nothing done", Test{Runs: runsOf(10, 1, "alone")}, OnlySeen},
		{"in experiments, in each run", Test{Runs: runsOf(0, 20, "alone")}, Failing},
		{"provoked, though it always fails", Test{Runs: runsOf(0, 20, "alone"), Verdicts: always}, Failing},
	} {
		if got := c.test.State(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
