package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// TestHangKind has how processes ended, and how many goroutines are known of then.
func TestHangKind(t *testing.T) {
	const (
		dump = "goroutine 7 [select]:\nm/p.work()\n\t/m/p.go:11 +0x1d\n"
		leak = "    p_test.go:9: found unexpected goroutines:\n        [Goroutine 7 in state select, with m/p.work on top of the stack:\n        m/p.work()\n        \t/m/p.go:11 +0x1d\n        ]\n"
	)
	for name, c := range map[string]struct {
		status     runner.Status
		dump, out  string
		want       finding.HangKind
		goroutines int
	}{
		"stopped":              {runner.Timeout, "panic: test timed out after 1s\n\n" + dump, "", finding.HangTimeout, 1},
		"stopped after a leak": {runner.Timeout, "panic: test timed out after 1s\n\n" + dump, leak, finding.HangTimeout, 1},
		"all asleep":           {runner.Crashed, "fatal error: all goroutines are asleep - deadlock!\n\n" + dump, "", finding.HangDeadlock, 1},
		"panicked":             {runner.Crashed, "panic: no\n\n" + dump, leak, "", 1},
		"left":                 {runner.Failed, "", leak, finding.HangLeak, 1},
		"failed":               {runner.Failed, "", "    p_test.go:9: no\n", "", 0},
	} {
		kind, gs := hangKind(runner.UnitRun{Status: c.status, Outcome: &runner.Outcome{Dump: c.dump, Output: c.out}})
		if kind != c.want || len(gs) != c.goroutines {
			t.Errorf("%s: got %q and %d goroutines, want %q and %d", name, kind, len(gs), c.want, c.goroutines)
		}
	}
}
