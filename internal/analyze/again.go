package analyze

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// alone returns a -run pattern of the top-level test with which a test was seen to fail, "" if others ran in the
// process each time, since it may need them to fail.
func alone(u *runner.Unit) string {
	for _, r := range u.Runs {
		if u.Test != "" && r.Status.Failing() && only(r.Run, u.Test) {
			return finding.RunPattern(trace.TopTest(u.Test))
		}
	}
	return ""
}

// only reports whether the top-level test of a test was the only one of a run.
func only(run *runner.Run, test string) bool {
	return !slices.ContainsFunc(run.Outcomes, func(o *runner.Outcome) bool {
		return o.Test != "" && trace.TopTest(o.Test) != trace.TopTest(test)
	})
}

// failingSeed returns the seed of the first failure of the most frequent kind.
func failingSeed(u *runner.Unit) string {
	if len(u.Groups) == 0 {
		return ""
	}
	return u.Groups[0].Runs[0].Run.Shuffle
}
