package ciout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// AddHunt adds what was provoked to the report of a run, of tests that did not fail in it.
func AddHunt(r *Report, found *finding.Result, nothing string) {
	r.Nothing += fmt.Sprintf(" %s%s.", strings.ToUpper(nothing[:1]), nothing[1:])
	if len(found.Tests) == 0 {
		return
	}
	tests := found.Tests
	all := *r.Result
	if len(all.Tests) == 0 {
		all = *found
		all.Executions = r.Result.Executions
	}
	all.Tests = slices.Concat(r.Result.Tests, tests)
	r.Result = &all
	r.provoke(tests)
}

// provoke puts what experiments found of tests in place of the cases in which nothing was found.
func (r *Report) provoke(tests []*finding.Test) {
	for _, t := range tests {
		i := slices.IndexFunc(r.Suites, func(s *Suite) bool { return s.Package == t.Package })
		if i < 0 || slices.ContainsFunc(r.Suites[i].Cases, func(c *Case) bool { return c.Test == t }) {
			continue
		}
		s, c := r.Suites[i], provokedCase(t)
		if k := slices.IndexFunc(s.Cases, func(c *Case) bool { return c.Name == t.Name && c.Test == nil }); k >= 0 {
			was := s.Cases[k]
			c.Runs.Passed, c.Plain, c.Elapsed = c.Runs.Passed+was.Runs.Passed, was.Plain, was.Elapsed
			s.Cases = slices.Delete(s.Cases, k, k+1)
		}
		s.Cases = append(s.Cases, c)
	}
}

// seenCase counts the runs of experiments in which a test failed: by itself, if it did.
func seenCase(t *finding.Test) *Case {
	x := t.Seen()
	c := &Case{Name: t.Name, Runs: Counts{Failed: x.Plain.Failed + x.Before, Passed: x.Plain.Of - x.Plain.Failed}, Test: t}
	if !x.ByItself() {
		c.Runs.Failed, c.Provoked = x.Perturbed.Failed, x.Perturbed.Failed
	}
	return c
}

// provokedCase counts the runs of the confirmations.
func provokedCase(t *finding.Test) *Case {
	if len(t.Verdicts) == 0 {
		return seenCase(t)
	}
	with, plain := t.Verdicts[0].Proof.Confirmed.With, t.Verdicts[0].Proof.Confirmed.Plain
	c := &Case{Name: t.Name, Runs: Counts{Failed: plain.Failed, Passed: plain.Of - plain.Failed}, Test: t}
	if plain.Failed == 0 {
		c.Runs.Failed, c.Provoked = with.Failed, with.Failed
	}
	return c
}
