package terminal

import (
	"io"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
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
