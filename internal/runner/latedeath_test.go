package runner

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// If a process dies in a goroutine that a test left behind, that test failed, whatever test runs
// by then, if any. No stack names the test: worker is started by a helper.
func TestLateDeathByTrace(t *testing.T) {
	const done = "^=== RUN   TestStart\n^=== RUN   TestStart/a\n^--- PASS: TestStart (0.00s)\n    ^--- PASS: TestStart/a (0.00s)\n"
	const sibling = "^=== RUN   TestStart\n^=== RUN   TestStart/a\n    ^--- PASS: TestStart/a (0.00s)\n^=== RUN   TestStart/b\n"
	const dump = "panic: lost\n\ngoroutine 36 [running]:\nexample.com/m.worker()\n\t/src/m/a.go:24 +0x5a\ncreated by example.com/m.start in goroutine 35\n\t/src/m/a.go:18 +0x12b\n"
	of := func(test string) []*trace.Goroutine {
		return []*trace.Goroutine{{Test: "TestLast", Number: 40}, {Test: test, Number: 36}}
	}
	for _, c := range []struct {
		name, before, dump string
		traced             []*trace.Goroutine
		want, cut          string // failing outcomes, ! for those that are late; and those cut off
	}{
		{"in another test", done + "^=== RUN   TestLast\n", dump, of("TestStart/a"), "TestStart TestStart/a!", "TestLast"},
		{"after all tests", done, dump, of("TestStart/a"), "TestStart TestStart/a!", ""},
		{"of a test without subtests", done + "^=== RUN   TestLast\n", dump, of("TestStart"), "TestStart!", "TestLast"},
		{"in a function of the test that runs", done + "^=== RUN   TestLast\n", strings.Replace(dump, "example.com/m.worker()", "example.com/m.TestLast.func1()", 1), of("TestStart/a"), "TestLast", ""},
		{"of the test that runs", done + "^=== RUN   TestLast\n", dump, of("TestLast"), "TestLast", ""},
		{"nobody's", done + "^=== RUN   TestLast\n", dump, of(""), "TestLast", ""},
		{"of no goroutine that is known", done + "^=== RUN   TestLast\n", dump, nil, "TestLast", ""},
		{"of a test that runs yet, and waits for a subtest", sibling, dump, of("TestStart"), "TestStart TestStart/b", ""},
		{"of a subtest, in the next one", sibling, dump, of("TestStart/a"), "TestStart TestStart/a!", "TestStart/b"},
		{"a deadlock, whose dump begins with any goroutine", done + "^=== RUN   TestLast\n", strings.Replace(dump, "panic: lost", "fatal error: all goroutines are asleep - deadlock!", 1), of("TestStart/a"), "TestLast", ""},
	} {
		p := newParser(func() time.Time { return time.Time{} })
		p.Write([]byte(framed(c.before) + c.dump))
		exit := Exit{Code: 2}
		run := &Run{Exit: exit, Outcomes: p.finish(exit)}
		run.GiveDeath(&trace.Trace{Goroutines: c.traced})
		if got := failing(run.Outcomes); got != c.want {
			t.Errorf("%s: %q failed, want %q", c.name, got, c.want)
		}
		var cut []string
		for _, o := range run.Outcomes {
			if o.Status == NotRun && o.Test != "" {
				cut = append(cut, o.Test)
			}
			if o.Status.Failing() && o.Test != "" && !o.ByChild && o.Dump == "" {
				t.Errorf("%s: %s has no dump", c.name, o.Test)
			}
		}
		if got := strings.Join(cut, " "); got != c.cut {
			t.Errorf("%s: %q cut off, want %q", c.name, got, c.cut)
		}
	}
}

// For a run without a trace, the place and the words determine the test, if only one test has
// them.
func TestLateDeathOfControls(t *testing.T) {
	signature := func(test string, line int) Signature {
		return Signature{Test: test, Frame: trace.Frame{File: "/src/m/a.go", Line: line}, Message: "panic: lost"}
	}
	traced := func(test string, line int) *Run {
		return &Run{Outcomes: []*Outcome{{Test: test, Status: Crashed, Late: true, Signature: signature(test, line)}}}
	}
	for _, c := range []struct {
		name   string
		traced []*Run
		want   string
	}{
		{"of one", []*Run{traced("TestStart", 24), traced("TestStart", 24), traced("TestOther", 30)}, "TestStart!"},
		{"of either of two", []*Run{traced("TestStart", 24), traced("TestOther", 24), traced("TestStart", 24)}, "TestLast"},
		{"of none", []*Run{traced("TestStart", 25)}, "TestLast"},
	} {
		run := &Run{Control: true, Outcomes: []*Outcome{
			{Test: "TestStart", Status: Passed}, {Test: "TestOther", Status: Passed},
			{Test: "TestLast", Status: Crashed, Dump: "panic: lost", Message: "panic: lost", Signature: signature("TestLast", 24)}, {Status: Passed},
		}}
		giveDeaths(c.traced, []*Run{run})
		if got := failing(run.Outcomes); got != c.want {
			t.Errorf("%s: %q failed, want %q", c.name, got, c.want)
		}
		for _, o := range run.Outcomes {
			if o.Status.Failing() && (o.Signature.Test != o.Test || o.Message == "") {
				t.Errorf("%s: %s is signed %+v", c.name, o.Test, o.Signature)
			}
		}
	}
}
