package analyze

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// TestUnseen names what failed only while values were recorded, by its innermost test.
func TestUnseen(t *testing.T) {
	pkg := &runner.Package{}
	pkg.ImportPath = "m"
	for n := 1; n <= 4; n++ {
		run := &runner.Run{N: n}
		add := func(test string, failed bool) {
			status := runner.Passed
			if failed {
				status = runner.Failed
			}
			run.Outcomes = append(run.Outcomes, &runner.Outcome{Test: test, Status: status})
		}
		add("TestKnown", n%2 == 0)
		add("TestNew/a", n == 3)
		add("TestNew", n == 3)
		add("TestFine", false)
		pkg.Runs = append(pkg.Runs, run)
	}
	got := unseen(pkg, &finding.Result{Tests: []*finding.Test{{Package: "m", Name: "TestKnown"}, {Package: "other", Name: "TestNew"}}})
	if len(got) != 1 || !strings.HasPrefix(got[0], "TestNew/a failed in 1 of 4 runs that record values") {
		t.Errorf("%q", got)
	}
}
