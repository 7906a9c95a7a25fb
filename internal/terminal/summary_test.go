package terminal

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/trace"
)

// What was cut off is reported once, whatever it was and for however many tests.
func TestCutOff(t *testing.T) {
	test := func(name string, x *finding.Tried, failures ...*finding.Failure) *finding.Test {
		return &finding.Test{Package: "m", Name: name, Tried: x, Failures: failures}
	}
	left, values := &finding.Failure{LeftOut: "the time is up"}, &finding.Failure{ValuesLeftOut: "the time is up"}
	cut := &finding.Tried{Test: "TestX", CutOff: true}
	shown := test("TestX/b", nil)
	shown.Verdicts = []finding.Verdict{{}}
	const report = "    fdebug report compares all runs, however long it takes"
	for _, c := range []struct {
		name        string
		tests       []*finding.Test
		noValues    bool
		interrupted bool
		want        string
	}{
		{"nothing", []*finding.Test{test("TestX", &finding.Tried{Test: "TestX", Complete: true}, &finding.Failure{})}, false, false, ""},
		{"comparing", []*finding.Test{test("TestX", nil, left, left), test("TestY", nil, left)}, false, false, "cut off: comparing (TestX, TestY)\n" + report + "\n"},
		{"all", []*finding.Test{test("TestX", cut, left, values)}, false, false,
			"cut off: comparing (TestX), values (TestX), experiments (TestX)\n" + report + "; a longer -experiments gives more time\n"},
		{"subtests", []*finding.Test{test("TestX/a", cut), test("TestX/b", cut)}, false, false, "cut off: experiments (TestX)\n    a longer -experiments gives more time\n"},
		{"shown", []*finding.Test{test("TestX/a", cut), shown}, false, false, ""},
		{"budget", []*finding.Test{test("TestX", &finding.Tried{Test: "TestX", CutOff: true, Budget: true})}, true, false,
			"cut off: values (TestX), experiments (TestX)\n    a longer -budget gives more time\n"},
		{"interrupted", []*finding.Test{test("TestX", &finding.Tried{Test: "TestX", Interrupted: true})}, false, true, "cut off: experiments (TestX)\n"},
	} {
		var b strings.Builder
		s := &Summary{Result: &finding.Result{Tests: c.tests, NoTimeForValues: c.noValues}, Interrupted: c.interrupted}
		s.printCutOff(&b)
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
	}
}

// The exit code is that of what was found, whatever else went wrong.
func TestPrintCode(t *testing.T) {
	const (
		failed      = 1 << iota // a test has a finding
		broken                  // a package could not be built
		never                   // a package was never run
		unwritten               // the reports could not be written
		interrupted             // while tests were run
		later                   // while runs were compared
		none                    // no test ran
		recorder                // a test fails only with the recorder
	)
	for what, want := range map[int]int{
		0: exit.OK, failed: exit.Flaky, broken: exit.Trouble, never: exit.Trouble, none: exit.Trouble,
		failed | broken: exit.Flaky, failed | never: exit.Flaky, failed | unwritten: exit.Flaky,
		failed | broken | never: exit.Flaky, broken | never: exit.Trouble,
		interrupted: exit.Interrupted, later: exit.Interrupted, failed | interrupted: exit.Interrupted,
		broken | later: exit.Interrupted, recorder: exit.OK, recorder | broken: exit.Trouble,
		recorder | failed: exit.Flaky, recorder | never: exit.Trouble,
	} {
		result, runs := &finding.Result{Sites: &trace.Sites{}, Executions: 9}, &runner.Results{Interrupted: what&interrupted != 0}
		s := &Summary{Result: result, Results: runs, Interrupted: what&later != 0, Files: map[*finding.Test]string{},
			Screen: &Screen{Console: &session.Console{Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}}}
		if what&failed != 0 {
			result.Tests = append(result.Tests, &finding.Test{Package: "m", Name: "TestX"})
		}
		if what&recorder != 0 {
			result.Tests = append(result.Tests, &finding.Test{Package: "m", Name: "TestY",
				Runs:  slices.Repeat([]finding.Run{{Status: finding.Failed}}, 20),
				Plain: slices.Repeat([]finding.Run{{Status: finding.Passed}}, 20)})
		}
		if what&broken != 0 {
			runs.Packages = []*runner.Package{{Err: io.EOF}}
		}
		if what&never != 0 {
			result.NeverRun = []string{"m/p"}
		}
		if what&unwritten != 0 {
			s.Files = nil
		}
		if what&none != 0 {
			result.Executions = 0
		}
		code, err := s.Print()
		if code != want || (code == exit.Trouble || what&broken != 0) != (err != nil) {
			t.Errorf("%b: code %d and error %v, want %d", what, code, err, want)
		}
	}
}

// One sentence has the first package that could not be tested and counts the others.
func TestPrintBroken(t *testing.T) {
	s := &Summary{Screen: &Screen{Console: &session.Console{Stderr: io.Discard}}, Results: &runner.Results{}}
	for i, others := range []string{"", ", nor could 1 other", ", nor could 2 others"} {
		want := "a could not be tested" + others
		target := runner.Target{ImportPath: string(rune('a' + i))}
		s.Results.Packages = append(s.Results.Packages, &runner.Package{Target: target, Err: io.EOF})
		if err := s.PrintBroken(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
