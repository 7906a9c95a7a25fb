package analyze

import (
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// alone returns a -run pattern with which a test was seen to fail: of it alone if
// no other test ran in the process, of its top-level test if only subtests of that
// did; "" if others ran each time, since it may need them to fail.
func alone(u *runner.Unit) string {
	if u.Test == "" {
		return ""
	}
	best := ""
	for _, r := range u.Runs {
		if !r.Status.Failing() {
			continue
		}
		switch only := onlyRan(r.Run, u.Test); {
		case only == u.Test:
			return finding.RunPattern(u.Test)
		case only != "":
			best = finding.RunPattern(only)
		}
	}
	return best
}

// onlyRan returns test if a run had no other tests but its own subtests and those
// it is part of, its top-level test if it had only subtests of that, else "".
func onlyRan(run *runner.Run, test string) string {
	only := test
	for _, o := range run.Outcomes {
		switch {
		case o.Test == "" || o.Test == test || strings.HasPrefix(o.Test, test+"/") ||
			strings.HasPrefix(test, o.Test+"/"):
		case trace.TopTest(o.Test) == trace.TopTest(test):
			only = trace.TopTest(test)
		default:
			return ""
		}
	}
	return only
}

// failingSeed returns the seed of the first failure of the most frequent kind.
func failingSeed(u *runner.Unit) string {
	if len(u.Groups) == 0 {
		return ""
	}
	return u.Groups[0].Runs[0].Run.Shuffle
}
