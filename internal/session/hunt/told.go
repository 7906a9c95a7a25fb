package hunt

import (
	"cmp"
	"os"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// Told returns the result of the hunt, with what its experiments have shown of each test. It has no tests if nothing was
// provoked.
func (j *Hunt) Told(list []*Catch) *finding.Result {
	started := j.Deadline.Add(-j.Budget.Whole)
	if j.Result == nil {
		home, _ := os.UserHomeDir()
		return &finding.Result{
			Started: started, Elapsed: time.Since(started), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
			Go: j.Plan.Toolchain.GOVERSION, Home: home,
		}
	}
	r := *j.Result
	r.Tests = nil
	for _, t := range j.Result.Tests {
		shown := *t
		if len(t.Verdicts) == 0 { // its page has none: a test that always fails, or a subtest without a page
			shown.Verdicts = j.verdictsOf(t, list)
		}
		r.Tests = append(r.Tests, &shown)
	}
	return &r
}

// verdictsOf are the verdicts on the catches that are reported for a test, the best first.
func (j *Hunt) verdictsOf(t *finding.Test, list []*Catch) (out []finding.Verdict) {
	for _, c := range list {
		if c.Test.Lab.Target.ImportPath == t.Package && c.reportedFor(j.Result.Tests) == t.Name {
			out = append(out, j.Verdict(j.An, c))
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Verdict) int { return cmp.Compare(b.Class(), a.Class()) })
	return out
}

// reportedFor returns the test that a catch is reported for: the subtest that failed, or the test
// that contains it if the subtest has no report of its own.
func (c *Catch) reportedFor(tests []*finding.Test) string {
	name := c.Finding.Sig.Test
	has := func(t *finding.Test) bool { return t.Package == c.Test.Lab.Target.ImportPath && t.Name == name }
	if !slices.ContainsFunc(tests, has) {
		name = trace.TopTest(c.Finding.Test)
	}
	return name
}
