package session

import (
	"context"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// runFlaky runs the flaky tests with r. It leaves the others out if it may, unless the flaky ones don't fail without
// them.
func (v *valueJob) runFlaky(ctx context.Context, r *runner.Runner) error {
	names := v.flaky()
	if v.canRunAlone(names) {
		r.Select.Run = PatternOf(names)
	}
	alone := r.Select.Run != v.Sel.Run
	of := ""
	if alone {
		of = " of " + strings.Join(names, ", ")
	}
	v.Phasef("recording values in %d more runs%s", r.N, of)
	results, err := r.Run(ctx)
	if !alone || err != nil || ctx.Err() != nil || results.OverBudget || anyFailed(results, names) {
		return err
	}
	r.Select.Run = v.Sel.Run
	v.Phasef("alone, %s did not fail: recording values in %d more runs of all tests", strings.Join(names, ", "), r.N)
	_, err = r.Run(ctx)
	return err
}

// flaky returns the names of the top-level tests that were compared.
func (v *valueJob) flaky() []string {
	var names []string
	for _, t := range v.result.Tests {
		if v.takes(t) {
			names = append(names, trace.TopTest(t.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// canRunAlone reports whether fdebug may choose the tests. It may not if tests are shuffled or
// repeated, because then one test may leave something to the next; nor if the package itself fails, because that is
// the test of all of them.
func (v *valueJob) canRunAlone(names []string) bool {
	s := v.Sel
	return !slices.Contains(names, "") && s.Run == "" && s.Skip == "" && (s.Shuffle == "" || s.Shuffle == "off") && s.Count <= 1
}

// anyFailed reports whether a test with one of the names failed.
func anyFailed(results *runner.Results, names []string) bool {
	for _, p := range results.Packages {
		for _, r := range p.Runs {
			for _, o := range r.Outcomes {
				if o.Status.Failing() && slices.Contains(names, trace.TopTest(o.Test)) {
					return true
				}
			}
		}
	}
	return false
}
