package ciout

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/trace"
)

// OfHunt returns what a hunt leaves for a CI system: all tests that were hunted, with what was
// provoked in them.
func OfHunt(j *hunt.Hunt, list []*hunt.Catch) *Report {
	r := &Report{Result: resultOfHunt(j, list)}
	for _, u := range j.Untested {
		r.Suites = append(r.Suites, &Suite{Package: u.ImportPath, Err: u.Err.Error()})
	}
	byPackage := make(map[string]*Suite)
	for _, p := range j.Tests {
		s := byPackage[p.Lab.Target.ImportPath]
		if s == nil {
			s = &Suite{Package: p.Lab.Target.ImportPath, Started: r.Result.Started}
			byPackage[s.Package] = s
			r.Suites = append(r.Suites, s)
		}
		s.Cases = append(s.Cases, caseOf(p))
	}
	for _, t := range r.Result.Tests {
		if s := byPackage[t.Package]; s != nil && len(t.Verdicts) > 0 {
			s.Cases = slices.DeleteFunc(s.Cases, func(c *Case) bool { return c.Name == t.Name })
			s.Cases = append(s.Cases, provokedCase(t))
		}
	}
	_, lines := j.Left()
	r.Nothing = strings.Join(append([]string{j.Nothing()}, lines...), ". ") + "."
	return r
}

// caseOf counts the runs of a test in which nothing was perturbed.
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

// provokedCase counts the runs of the confirmations.
func provokedCase(t *finding.Test) *Case {
	v := &t.Verdicts[0]
	c := &Case{Name: t.Name, Runs: Counts{Failed: v.Proof.Confirmed.Plain.Failed, Passed: v.Proof.Confirmed.Plain.Of - v.Proof.Confirmed.Plain.Failed}, Test: t}
	if v.Proof.Confirmed.Plain.Failed == 0 {
		c.Runs.Failed, c.Provoked = v.Proof.Confirmed.With.Failed, v.Proof.Confirmed.With.Failed
	}
	return c
}

// resultOfHunt is the result of the hunt, with what its experiments have shown.
func resultOfHunt(j *hunt.Hunt, list []*hunt.Catch) *finding.Result {
	started := j.Deadline.Add(-j.Budget.Whole)
	if j.Result == nil {
		return &finding.Result{
			Started: started, Elapsed: time.Since(started), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
			Go: j.Plan.Toolchain.GOVERSION, Home: homeDir(),
		}
	}
	r := *j.Result
	r.Tests = nil
	for _, t := range j.Result.Tests {
		shown := *t
		if len(t.Verdicts) == 0 { // its page has none: a test that always fails, or a subtest without a page
			shown.Verdicts = verdictsOfHunt(j, t, list)
		}
		r.Tests = append(r.Tests, &shown)
	}
	return &r
}

// verdictsOfHunt are the verdicts on the catches that are reported for a test, the best first.
func verdictsOfHunt(j *hunt.Hunt, t *finding.Test, list []*hunt.Catch) (out []finding.Verdict) {
	for _, c := range list {
		if c.Test.Lab.Target.ImportPath == t.Package && catchTest(c, j.Result.Tests) == t.Name {
			out = append(out, j.Verdict(j.An, c))
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Verdict) int { return cmp.Compare(b.Class(), a.Class()) })
	return out
}

// catchTest returns the test that a catch is reported for: the subtest that failed, or the test
// that contains it if the subtest has no report of its own.
func catchTest(c *hunt.Catch, tests []*finding.Test) string {
	name := c.Finding.Sig.Test
	has := func(t *finding.Test) bool { return t.Package == c.Test.Lab.Target.ImportPath && t.Name == name }
	if !slices.ContainsFunc(tests, has) {
		name = trace.TopTest(c.Finding.Test)
	}
	return name
}

func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}

// AddHunt adds what was provoked to the report of a run without failures.
func AddHunt(r *Report, j *hunt.Hunt, list []*hunt.Catch) {
	said := j.Nothing()
	r.Nothing += fmt.Sprintf(" %s%s.", strings.ToUpper(said[:1]), said[1:])
	if j.Result == nil {
		return
	}
	found := resultOfHunt(j, list)
	found.Executions = r.Result.Executions
	r.Result = found
	for _, t := range found.Tests {
		i := slices.IndexFunc(r.Suites, func(s *Suite) bool { return s.Package == t.Package })
		if i < 0 || len(t.Verdicts) == 0 {
			continue
		}
		s, c := r.Suites[i], provokedCase(t)
		if k := slices.IndexFunc(s.Cases, func(c *Case) bool { return c.Name == t.Name }); k >= 0 {
			c.Runs.Passed, c.Plain, c.Elapsed = c.Runs.Passed+s.Cases[k].Runs.Passed, s.Cases[k].Plain, s.Cases[k].Elapsed
			s.Cases = slices.Delete(s.Cases, k, k+1)
		}
		s.Cases = append(s.Cases, c)
	}
}
