package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// ciReport returns what a hunt leaves for a CI system: all tests that were hunted, with what was
// provoked in them.
func (j *huntJob) ciReport(list []*catch) *ciout.Report {
	r := &ciout.Report{Result: j.ciResult(list), Suites: slices.Clone(j.untested)}
	byPackage := make(map[string]*ciout.Suite)
	for _, p := range j.preys {
		s := byPackage[p.lab.Target.ImportPath]
		if s == nil {
			s = &ciout.Suite{Package: p.lab.Target.ImportPath, Started: r.Result.Started}
			byPackage[s.Package] = s
			r.Suites = append(r.Suites, s)
		}
		s.Cases = append(s.Cases, p.ciCase())
	}
	for _, t := range r.Result.Tests {
		if s := byPackage[t.Package]; s != nil && len(t.Verdicts) > 0 {
			s.Cases = slices.DeleteFunc(s.Cases, func(c *ciout.Case) bool { return c.Name == t.Name })
			s.Cases = append(s.Cases, provokedCase(t))
		}
	}
	_, lines := j.left()
	r.Nothing = strings.Join(append([]string{j.nothing()}, lines...), ". ") + "."
	return r
}

// ciCase counts the runs of a test in which nothing was perturbed.
func (p *prey) ciCase() *ciout.Case {
	c := &ciout.Case{Name: p.name, Elapsed: p.usual}
	switch {
	case p.res != nil && p.res.Plain.Of > 0:
		c.Runs = ciout.Counts{Failed: p.res.Plain.Failed, Passed: p.res.Plain.Of - p.res.Plain.Failed}
		c.Elapsed *= time.Duration(p.res.Plain.Of)
	case p.status.Failing():
		c.Runs.Failed = 1
	default:
		c.Runs.Passed = 1
	}
	return c
}

// provokedCase counts the runs of the confirmations.
func provokedCase(t *finding.Test) *ciout.Case {
	v := &t.Verdicts[0]
	c := &ciout.Case{Name: t.Name, Runs: ciout.Counts{Failed: v.Proof.Confirmed.Plain.Failed, Passed: v.Proof.Confirmed.Plain.Of - v.Proof.Confirmed.Plain.Failed}, Test: t}
	if v.Proof.Confirmed.Plain.Failed == 0 {
		c.Runs.Failed, c.Provoked = v.Proof.Confirmed.With.Failed, v.Proof.Confirmed.With.Failed
	}
	return c
}

// ciResult is the result of the hunt, with what its experiments have shown.
func (j *huntJob) ciResult(list []*catch) *finding.Result {
	started := j.deadline.Add(-j.Budget.Whole)
	if j.result == nil {
		return &finding.Result{
			Started: started, Elapsed: time.Since(started), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
			Go: j.Plan.Toolchain.GOVERSION, Home: homeDir(),
		}
	}
	r := *j.result
	r.Tests = nil
	for _, t := range j.result.Tests {
		shown := *t
		if len(t.Verdicts) == 0 { // its page has none: a test that always fails, or a subtest without a page
			shown.Verdicts = j.ciVerdicts(t, list)
		}
		r.Tests = append(r.Tests, &shown)
	}
	return &r
}

// ciVerdicts are the verdicts on the catches that are reported for a test, the best first.
func (j *huntJob) ciVerdicts(t *finding.Test, list []*catch) (out []finding.Verdict) {
	for _, c := range list {
		if c.prey.lab.Target.ImportPath == t.Package && catchTest(c, j.result.Tests) == t.Name {
			out = append(out, j.verdict(j.an, c))
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Verdict) int { return cmp.Compare(b.Class(), a.Class()) })
	return out
}

// catchTest returns the test that a catch is reported for: the subtest that failed, or the test
// that contains it if the subtest has no report of its own.
func catchTest(c *catch, tests []*finding.Test) string {
	name := c.f.Sig.Test
	has := func(t *finding.Test) bool { return t.Package == c.prey.lab.Target.ImportPath && t.Name == name }
	if !slices.ContainsFunc(tests, has) {
		name = trace.TopTest(c.f.Test)
	}
	return name
}

// notTested notes a package in which no test could be hunted.
func (j *huntJob) notTested(target runner.Target, err error) {
	fmt.Fprintf(j.Stderr, "%v\n", err)
	j.untested = append(j.untested, &ciout.Suite{Package: target.ImportPath, Err: err.Error()})
}

func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}
