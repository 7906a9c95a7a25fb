package ciout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// OfHunt returns the report of a hunt for a CI system: all tests that were hunted, with what was
// provoked in them. nothing is what is said if that is nothing.
func OfHunt(found *finding.Result, suites []*Suite, nothing string) *Report {
	r := &Report{Result: found, Suites: suites, Nothing: nothing}
	r.provoke(found.Tests, func(c, was *Case) {})
	return r
}

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
	r.provoke(tests, func(c, was *Case) {
		c.Runs.Passed, c.Plain, c.Elapsed = c.Runs.Passed+was.Runs.Passed, was.Plain, was.Elapsed
	})
}

// provoke puts what was provoked in place of the cases of the same tests, from which keep may take something over.
func (r *Report) provoke(tests []*finding.Test, keep func(c, was *Case)) {
	for _, t := range tests {
		i := slices.IndexFunc(r.Suites, func(s *Suite) bool { return s.Package == t.Package })
		if i < 0 {
			continue
		}
		s, c := r.Suites[i], provokedCase(t)
		if k := slices.IndexFunc(s.Cases, func(c *Case) bool { return c.Name == t.Name }); k >= 0 {
			keep(c, s.Cases[k])
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
