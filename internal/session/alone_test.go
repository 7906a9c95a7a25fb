package session

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// TestCanRunAlone leaves no test out if the user has chosen, or if what one test leaves to the
// next may matter.
func TestCanRunAlone(t *testing.T) {
	for _, c := range []struct {
		sel  runner.Selection
		of   string
		want bool
	}{
		{runner.Selection{}, "TestX", true},
		{runner.Selection{}, "", false}, // of TestMain all tests are a part
		{runner.Selection{Shuffle: "off", Count: 1}, "TestX", true},
		{runner.Selection{Run: "Slow|Queue"}, "TestX", false},
		{runner.Selection{Skip: "Slow"}, "TestX", false},
		{runner.Selection{Shuffle: "on"}, "TestX", false},
		{runner.Selection{Shuffle: "7"}, "TestX", false},
		{runner.Selection{Count: 2}, "TestX", false},
	} {
		v := &valueJob{Session: &Session{Config: Config{Sel: c.sel}}}
		if got := v.canRunAlone([]string{c.of}); got != c.want {
			t.Errorf("%+v, %q: %v, want %v", c.sel, c.of, got, c.want)
		}
	}
}

// TestRunFlaky has a test that takes a moment, beside one that takes a second. Values are recorded in runs of the first
// alone if it fails then too, and in runs of both if it does not, or if the user has chosen both.
func TestRunFlaky(t *testing.T) {
	const alone = "^(TestQueue)$"
	for _, c := range []struct {
		name, run string
		alone     bool     // whether it fails without the other
		want      []string // -run of the rounds of runs
		said      string
	}{
		{"fails alone", "", true, []string{alone}, "recording values in 6 more runs of TestQueue\n"},
		{"needs the other", "", false, []string{alone, ""}, "recording values in 6 more runs of TestQueue\n" +
			"alone, TestQueue did not fail: recording values in 6 more runs of all tests\n"},
		{"chosen", "Slow|Queue", true, []string{"Slow|Queue"}, "recording values in 6 more runs\n"},
	} {
		target := runner.Target{ImportPath: "m", Dir: t.TempDir()}
		earlier := &runner.Run{Wall: time.Second, Outcomes: []*runner.Outcome{{Test: "TestQueue", Elapsed: time.Millisecond}}}
		var said bytes.Buffer
		v := &valueJob{
			Session: &Session{Console: &Console{Stderr: &said}, Config: Config{Sel: runner.Selection{Run: c.run}}},
			runs:    &runner.Results{Packages: []*runner.Package{{Target: target, Runs: []*runner.Run{earlier}}}},
			result: &finding.Result{Tests: []*finding.Test{{Package: "m", Name: "TestQueue", Failures: []*finding.Failure{
				{Analysis: &divergence.Analysis{Chain: make([]*divergence.Divergence, 1)}}}}}},
		}
		var asked []string // by the first run of each round
		r := &runner.Runner{N: 6, Dir: t.TempDir(), Packages: []runner.Target{target}, Select: v.Sel,
			Plain: &runner.Build{Ready: map[string]runner.Ready{"m": {Path: "m.test"}}},
			Exec: runner.Exec{Instead: func(_ context.Context, x *runner.Exec) (*runner.Run, error) {
				asked = append(asked, x.Select.Run)
				status := runner.Passed
				if c.alone || x.Select.Run != alone {
					status = runner.Failed
				}
				return &runner.Run{Package: "m", Wall: time.Millisecond,
					Outcomes: []*runner.Outcome{{Test: "TestQueue", Status: status}}}, nil
			}}}
		if err := v.runFlaky(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if len(asked) != 6*len(c.want) || !slices.Equal(slices.Compact(asked), c.want) || !strings.HasSuffix(said.String(), c.said) {
			t.Errorf("%s: runs of %q, want 6 each of %q; said\n%s", c.name, asked, c.want, said.String())
		}
	}
}
