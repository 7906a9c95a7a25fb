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
