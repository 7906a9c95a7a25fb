package ciout

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// A Report is what is written: what was found, with all tests, those too about which there
// is nothing to say.
type Report struct {
	Result *finding.Result
	Suites []*Suite
	// Nothing says what it means that nothing was found: "nothing failed: 0 of 50 runs".
	Nothing string
	// Environ is the environment, for the secrets in it: "NAME=value".
	Environ []string
	// Workspace is the directory that paths in annotations are relative to, "" for the
	// root of the module.
	Workspace string
	// Fdebug is the version of fdebug.
	Fdebug string

	annotated []*Case // in GitHub Actions
	texts     int     // bytes of long texts in a file, 0 for maxTexts
}

// A Suite is a test package.
type Suite struct {
	Package  string
	Started  time.Time // of its first run, zero without one
	Cases    []*Case   // in order of first appearance
	Err      string    // why it could not be tested, "" if it was
	NeverRun bool      // there was no time to
}

// A Case is a test, with what became of it in all executions.
type Case struct {
	Name     string        // "TestX/case_3"; "" for the package itself
	Runs     Counts        // of the runs that reports are about: with the recorder, where it could be built
	Plain    Counts        // of control runs
	Provoked int           // of Runs.Failed: made to fail by fdebug
	Elapsed  time.Duration // of all executions
	Test     *finding.Test // nil if there is no finding
}

// Counts are how many executions of a test ended how.
type Counts struct{ Passed, Failed, Skipped int }

// skipped is the state of a test that neither passed nor failed.
const skipped finding.State = "skipped"

// state returns the state of c by its executions.
func (c *Case) state() finding.State {
	switch passed := c.Runs.Passed + c.Plain.Passed; {
	case !c.failed() && passed == 0:
		return skipped
	case !c.failed():
		return finding.Passing
	case c.Provoked > 0 && c.Provoked == c.Runs.Failed:
		if c.Test != nil && c.Test.State() == finding.OnlySeen {
			return finding.OnlySeen
		}
		return finding.Provoked
	case c.Test != nil && c.Test.State() == finding.Recorder:
		return finding.Recorder
	case passed > 0:
		return finding.Flaky
	}
	return finding.Failing
}

func (c *Case) failed() bool { return c.Runs.Failed+c.Plain.Failed > 0 }

// mean returns how long an execution took on average.
func (c *Case) mean() time.Duration {
	n := c.Runs.Passed + c.Runs.Failed + c.Runs.Skipped + c.Plain.Passed + c.Plain.Failed + c.Plain.Skipped
	return c.Elapsed / time.Duration(max(1, n))
}

// New returns a report on the tests of packages. What experiments found in some of them becomes their cases; nothing is
// what is said if that is nothing.
func New(result *finding.Result, suites []*Suite, nothing string) *Report {
	r := &Report{Result: result, Suites: suites, Nothing: nothing}
	r.provoke(result.Tests)
	return r
}

// Suites returns the packages of a run, with what became of their tests.
func Suites(result *finding.Result, runs *runner.Results) (list []*Suite) {
	found := make(map[[2]string]*finding.Test)
	for _, t := range result.Tests {
		if !t.State().InExperiments() {
			found[[2]string{t.Package, t.Name}] = t
		}
	}
	for _, p := range runs.Packages {
		if p.NoTestFiles || p.NoTests {
			continue
		}
		s := &Suite{Package: p.ImportPath, NeverRun: p.NeverRun()}
		if p.Err != nil {
			s.Err = p.Err.Error()
		}
		s.add(p.Runs, func(c *Case) *Counts { return &c.Runs })
		s.add(p.Controls, func(c *Case) *Counts { return &c.Plain })
		s.take(found)
		list = append(list, s)
	}
	return list
}

// add counts what became of each test in runs.
func (s *Suite) add(runs []*runner.Run, counts func(*Case) *Counts) {
	byName := make(map[string]*Case)
	for _, c := range s.Cases {
		byName[c.Name] = c
	}
	for _, run := range runs {
		if s.Started.IsZero() || run.Started.Before(s.Started) {
			s.Started = run.Started
		}
		for _, o := range run.Outcomes {
			if o.ByChild || o.Status == runner.NotRun {
				continue
			}
			c := byName[o.Test]
			if c == nil {
				c = &Case{Name: o.Test}
				byName[o.Test] = c
				s.Cases = append(s.Cases, c)
			}
			c.Elapsed += o.Elapsed
			counts(c).add(finding.Status(o.Status))
			if run.Provoked != "" && o.Status.Failing() {
				c.Provoked++
			}
		}
	}
}

func (n *Counts) add(s finding.Status) {
	switch ending(s) {
	case "fail":
		n.Failed++
	case "pass":
		n.Passed++
	case "skip":
		n.Skipped++
	}
}

// ending is how an execution ended in the words of go test, "" if it did not.
func ending(s finding.Status) string {
	switch {
	case s.Failing():
		return "fail"
	case s == finding.Passed || s == finding.Skipped:
		return string(s)
	}
	return ""
}

// take gives the cases the findings about them. What failed and has none is a subtest
// whose failures belong to the test around it: they are counted there.
func (s *Suite) take(found map[[2]string]*finding.Test) {
	s.Cases = slices.DeleteFunc(s.Cases, func(c *Case) bool {
		c.Test = found[[2]string{s.Package, c.Name}]
		if c.Test == nil {
			return c.failed() || c.Name == ""
		}
		c.recount()
		return false
	})
}

// recount takes the counts from the finding, so that all outputs say the same.
func (c *Case) recount() {
	c.Runs, c.Plain = Counts{}, Counts{}
	for _, r := range c.Test.Runs {
		c.Runs.add(r.Status)
	}
	for _, r := range c.Test.Plain {
		c.Plain.add(r.Status)
	}
	c.Provoked = min(c.Provoked, c.Runs.Failed)
}

// A found is a case in which something was found.
type found struct {
	*Suite
	*Case
	cause cause
	order int
}

// findings returns the cases in which something was found, with their packages: proved
// causes first, else in the order of the result.
func (r *Report) findings() []found {
	order := make(map[*finding.Test]int)
	for i, t := range r.Result.Tests {
		order[t] = i
	}
	var list []found
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			if !c.failed() {
				continue
			}
			f := found{s, c, r.causeOf(c), order[c.Test]}
			if f.cause.Proved {
				f.order -= len(r.Result.Tests)
			}
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return a.order - b.order })
	return list
}
