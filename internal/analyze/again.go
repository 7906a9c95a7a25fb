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
func (an *Analyzer) alone(u *runner.Unit) string {
	if u.Test == "" {
		return ""
	}
	best := ""
	for _, r := range u.Runs {
		if !r.Status.Failing() {
			continue
		}
		top, known := an.tops[r.Run]
		if !known {
			top = onlyTop(r.Run)
			an.tops[r.Run] = top
		}
		switch only := onlyRan(r.Run, u.Test, top); {
		case only == u.Test:
			return finding.RunPattern(u.Test)
		case only != "":
			best = finding.RunPattern(only)
		}
	}
	return best
}

// onlyRan returns test if a run had no other tests but its own subtests and those
// it is part of, its top-level test if it had only subtests of that, else "". top is what onlyTop returns.
func onlyRan(run *runner.Run, test, top string) string {
	if top != trace.TopTest(test) {
		return ""
	}
	for _, o := range run.Outcomes {
		if o.Test != "" && o.Test != test && !strings.HasPrefix(o.Test, test+"/") && !strings.HasPrefix(test, o.Test+"/") {
			return top
		}
	}
	return test
}

// onlyTop returns the only top-level test of a run, "" if it had several.
func onlyTop(run *runner.Run) (top string) {
	for _, o := range run.Outcomes {
		switch {
		case o.Test == "":
		case top == "":
			top = trace.TopTest(o.Test)
		case trace.TopTest(o.Test) != top:
			return ""
		}
	}
	return top
}

// failingSeed returns the seed of the first failure of the most frequent kind.
func failingSeed(u *runner.Unit) string {
	if len(u.Groups) == 0 {
		return ""
	}
	return u.Groups[0].Runs[0].Run.Shuffle
}
