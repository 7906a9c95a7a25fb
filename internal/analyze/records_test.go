package analyze

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// Where more runs differ than are kept, those that failed are among them.
func TestRecordsKeepFailures(t *testing.T) {
	test, u := &finding.Test{}, &runner.Unit{}
	for n := range maxRecords + 2 {
		status := runner.Passed
		if n >= maxRecords {
			status = runner.Failed
		}
		u.Runs = append(u.Runs, runner.UnitRun{Run: &runner.Run{N: n + 1}, Status: status, Outcome: &runner.Outcome{Output: fmt.Sprint("run ", n)}})
		test.Runs = append(test.Runs, finding.Run{N: n + 1})
	}
	records(test, u)
	kept := 0
	for i, r := range test.Runs {
		if r.Record > 0 {
			kept++
		} else if i >= maxRecords {
			t.Errorf("of failing run %d there is none", r.N)
		}
	}
	if kept != maxRecords {
		t.Errorf("%d are kept", kept)
	}
}
