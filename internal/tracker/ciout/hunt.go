package ciout

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session/hunt"
)

// OfHunt returns the report of a hunt.
func OfHunt(h *hunt.Hunt) *Report { return New(h.Result, suitesOf(h), h.Said()) }

// suitesOf returns the packages of a hunt, with the runs of the tests in which nothing was found.
func suitesOf(h *hunt.Hunt) (list []*Suite) {
	for _, u := range h.Untested {
		list = append(list, &Suite{Package: u.ImportPath, Err: u.Err.Error()})
	}
	for _, p := range h.Tests {
		i := slices.IndexFunc(list, func(s *Suite) bool { return s.Package == p.Lab.Target.ImportPath })
		if i < 0 {
			i = len(list)
			list = append(list, &Suite{Package: p.Lab.Target.ImportPath, Started: h.Budget.Began})
		}
		if !slices.ContainsFunc(h.Result.Tests, func(t *finding.Test) bool {
			return t.Package == list[i].Package && t.Name == p.Name
		}) {
			list[i].Cases = append(list[i].Cases, caseOf(p))
		}
	}
	return list
}

func caseOf(p *hunt.Test) *Case {
	c := &Case{Name: p.Name, Elapsed: p.Usual}
	switch {
	case p.Result != nil && p.Result.Plain.Of > 0:
		c.Runs = Counts{Failed: p.Result.Plain.Failed, Passed: p.Result.Plain.Of - p.Result.Plain.Failed}
		c.Elapsed *= time.Duration(p.Result.Plain.Of)
	case p.Status.Failing():
		c.Runs.Failed = 1
	default:
		c.Runs.Passed = 1
	}
	return c
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
