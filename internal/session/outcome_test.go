package session

import (
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
)

// TestOutcomeShowsProbes ignores failures in which the test has seen fdebug. After a crash, the
// runtime prints the stacks of all goroutines, whatever the test looks at.
func TestOutcomeShowsProbes(t *testing.T) {
	held := "found unexpected goroutines: [Goroutine 21 in state held by fdebug, with runtime.FdebugMore on top of the stack]"
	for _, c := range []struct {
		name          string
		message, dump string
		failed        bool
	}{
		{"its own words", "got 1, want 2", "", true},
		{"a test of leaks", held, "", false},
		{"a crash", "panic: test timed out\n" + held, "goroutine 21 [held by fdebug]:", true},
	} {
		run := &runner.Run{Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Failed, Message: c.message, Dump: c.dump}}}
		if o := OutcomeOf(run, "TestX"); o.Failed != c.failed || o.Ran != c.failed {
			t.Errorf("%s: failed %v, ran %v; want %v", c.name, o.Failed, o.Ran, c.failed)
		}
	}
}

// TestOutcomeStuck tells a run that can never go on from one that only took long: fdebug did not hold that up.
func TestOutcomeStuck(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		run := &runner.Run{Stuck: stuck, Exit: runner.Exit{TimedOut: true},
			Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Timeout}}}
		if o := OutcomeOf(run, "TestX"); !o.Failed || o.TimedOut == stuck {
			t.Errorf("stuck %v: failed %v, took too long %v", stuck, o.Failed, o.TimedOut)
		}
	}
}
