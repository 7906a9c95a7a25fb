package runner

import (
	"slices"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/trace"
)

// Tests that fdebug has chosen run without the other tests of their package. One that relies
// on an earlier test fails then in every run, although nobody has ever seen it fail. So if
// the first runs of a package all fail, some of the next ones are of all its tests.
const (
	chosenRuns = 3 // that must all fail
	wholeRuns  = 3 // of all tests
)

// wholeIsDue reports whether the next run of a package is one of all its tests.
func (p *packageRun) wholeIsDue() bool {
	begins := p.done >= chosenRuns && p.failed == p.done
	return p.s.r.Select.Chosen && p.wholes < wholeRuns && (begins || p.wholes > 0)
}

// ofWhole makes r a run of all tests. Failures of tests that were not chosen are left out: nobody
// has asked for them.
func (r *Run) ofWhole(chosen *Selection) {
	r.Whole = true
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o *Outcome) bool {
		return o.Status.Failing() && !chosen.chose(o.Test)
	})
}

// chose reports whether a test or subtest is selected, or its suite.
func (s *Selection) chose(test string) bool {
	top := trace.TopTest(test)
	suite := ginkgo.SuiteOf(test)
	return test == "" || s.Has(top) || suite != "" && s.Has(suite)
}

// Wholes returns how many runs of a package are of all its tests, where others are of chosen ones.
func (p *Package) Wholes() (n int) {
	for _, run := range p.Runs {
		if run.Whole {
			n++
		}
	}
	return n
}
