package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// Of many runs it is said which have a record.
func TestRecordsOf(t *testing.T) {
	fail, pass := finding.Run{Status: finding.Failed, Record: 1}, finding.Run{Status: finding.Passed, Record: 2}
	for _, c := range []struct {
		runs  []finding.Run
		title string
	}{
		{[]finding.Run{fail, pass}, "Output of each run"},
		{[]finding.Run{pass, fail, {Status: finding.Passed}}, "Output of 2 of 3 runs"},
	} {
		if title := recordsOf(c.runs); title != c.title {
			t.Errorf("%+v: %q", c.runs, title)
		}
	}
}
