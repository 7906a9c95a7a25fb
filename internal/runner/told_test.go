package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// traced returns the trace of tests that ran one after the other. "TestX" passed, "TestX!" failed a check in a
// goroutine of its own, "TestX?" was skipped, "TestX-" did not end, and "TestX<TestY" ran in TestY.
func traced(tests string) *trace.Trace {
	t := &trace.Trace{Stacks: map[uint32][]trace.Frame{7: {
		{Func: "testing.(*common).Errorf", File: "testing.go", Line: 1},
		{Func: "example.com/m.check", File: "/src/m/a_test.go", Line: 12},
	}}}
	var last trace.GoroutineID
	for i, word := range strings.Fields(tests) {
		word, in, _ := strings.Cut(word, "<")
		name := strings.TrimRight(word, "!?-")
		run := trace.TestRun{Name: name, Start: int64(i), End: int64(i + 1)}
		events := []trace.Event{1, 2}
		switch word[len(name):] {
		case "!":
			events = append(events, trace.CheckEvent(trace.CheckFail, 7))
		case "?":
			events = append(events, trace.CheckEvent(trace.CheckSkip, 8))
		case "-":
			run.End = 0
		}
		g := trace.NewGoroutine(trace.GoroutineID(i+1), name, events)
		if g.Root = true; in != "" {
			g.Parent = last
		}
		last = g.ID
		t.Tests, t.Goroutines = append(t.Tests, run), append(t.Goroutines, g)
	}
	return t
}

// said renders outcomes as traced takes them, with "+" for a failure by a subtest and "*" for a crash.
func said(r *Run) string {
	var words []string
	for _, o := range r.Outcomes {
		mark := map[Status]string{Failed: "!", Skipped: "?", NotRun: "-", Crashed: "*", Timeout: "~"}[o.Status]
		if o.ByChild {
			mark += "+"
		}
		if o.Nth > 0 {
			mark = fmt.Sprintf("#%d%s", o.Nth, mark)
		}
		words = append(words, o.Test+mark)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

func ran(output string, exit Exit) *Run {
	p := newParser(func() time.Time { return time.Time{} })
	p.Write([]byte(framed(output)))
	return &Run{Exit: exit, Outcomes: p.finish(exit), Cut: p.final == ""}
}

const (
	passX = "^=== RUN   TestX\n^--- PASS: TestX (0.00s)\n"
	failX = "^=== RUN   TestX\n    a_test.go:12: odd\n^--- FAIL: TestX (0.00s)\n"
)

// Where the output does not tell what became of tests, the recorder and the exit status do. The package itself is the
// last, with no name.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		name, output string
		code         int
		traced, want string
	}{
		{"no output, passed", "", 0, "TestX TestY?", "TestX TestY?"},
		{"no output, failed", "", 1, "TestX! TestY", "TestX! TestY"},
		{"no output, the subtest failed", "", 1, "TestX TestX/a! TestX/b", "TestX!+ TestX/a! TestX/b"},
		{"no output, died", "", 2, "TestX TestY- TestY/a-", "TestX TestY*+ TestY/a* -"},
		{"no output, the process ended before the goroutine of the last test did", "", 0, "TestX TestY-", "TestX TestY"},
		{"no output, no test", "", 0, "", ""},
		{"no output, TestMain failed", "", 1, "TestX", "TestX *"},
		{"a check of a T that is not the test's", "", 0, "TestX!", "TestX"},
		{"cut after a test", passX, 1, "TestX TestY!", "TestX TestY!"},
		{"cut in a test", "^=== RUN   TestX\n", 1, "TestX TestY!", "TestX TestY!"},
		{"cut in a test, passed", "^=== RUN   TestX\n", 0, "TestX TestY", "TestX TestY"},
		{"ended in a test", "^=== RUN   TestX\n", 3, "TestX-", "TestX* -"},
		{"told by the output", failX + "^FAIL\n", 1, "TestX!", "TestX!"},
		{"exit status ignored", failX + "^FAIL\n", 0, "TestX!", "TestX!"},
		{"run again by TestMain", failX + "^FAIL\n" + passX + "^PASS\n", 0, "TestX!", "TestX! TestX#1"},
		{"a sample that a test printed", passX + failX + "^PASS\n", 0, "TestX", "TestX"},
		{"another process with the test", failX + "^PASS\n", 0, "TestX?", "TestX?"},
		{"another process with another test", passX + strings.ReplaceAll(failX, "X", "Y") + "^PASS\n", 0, "TestX", "TestX"},
		{"run by a test", "^=== RUN   TestY\n" + failX + "^--- PASS: TestY (0.00s)\n^PASS\n", 0, "TestY TestX!<TestY", "TestY"},
		{"run by a test that fails", "^=== RUN   TestY\n" + failX + "^--- FAIL: TestY (0.00s)\n^FAIL\n", 1, "TestY! TestX!<TestY", "TestY!"},
	} {
		run := ran(c.output, Exit{Code: c.code})
		run.tell(traced(c.traced))
		if got := said(run); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A failure without output is at the check that the recorder saw, and so is one of a helper after which the test died.
func TestTellPlace(t *testing.T) {
	const died = "^=== RUN   TestX\n    a_test.go:11: a log\n    a_test.go:12: odd\npanic: gone\n\ngoroutine 7 [running]:\n"
	for _, c := range []struct {
		output string
		code   int
		want   string
	}{
		{"", 1, "TestX: a_test.go:12: failed, and its output is lost"},
		{died, 2, "TestX: a_test.go:12: odd"},
	} {
		x := &Exec{explainer: newExplainer(Target{}, []string{"example.com/m"}, "/src/m")}
		run := ran(c.output, Exit{Code: c.code})
		x.explainer.explainAll(run)
		x.Tell(run, traced("TestX!"))
		if got := run.Outcome("TestX").Signature.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Runs without a trace count where their output tells what became of the tests, or recorded runs failed alike.
func TestCheckControls(t *testing.T) {
	const exited = "^=== RUN   TestX\n"
	for _, c := range []struct {
		name    string
		run     *Run
		output  string
		code    int
		leftOut bool
	}{
		{"no output, passed", told("", 1, "TestX! TestY?"), "", 0, false},
		{"no output, failed", told("", 1, "TestX! TestY"), "", 1, true},
		{"cut in another test", told("", 1, "TestX TestY!"), exited, 1, true},
		{"a test that ends the process", told(exited, 1, "TestX-"), exited, 1, false},
		{"exit status ignored", told(failX+"^FAIL\n", 0, "TestX!"), failX + "^FAIL\n", 0, false},
		{"printed", told(failX+"^PASS\n", 0, "TestX?"), failX + "^PASS\n", 0, true},
		{"told by the output", told(passX+"^PASS\n", 0, "TestX"), failX + "^FAIL\n", 1, false},
	} {
		p := &Package{Runs: []*Run{c.run}, Controls: []*Run{ran(passX+"^PASS\n", Exit{}), ran(c.output, Exit{Code: c.code})}}
		if got := p.checkControls(); got != c.leftOut || got != (len(p.Controls) == 0) {
			t.Errorf("%s: left out is %v, and there are %d", c.name, got, len(p.Controls))
		}
	}
}

func told(output string, code int, tests string) *Run {
	run := ran(output, Exit{Code: code})
	run.tell(traced(tests))
	return run
}
