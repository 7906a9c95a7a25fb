package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// access and started are parts of a race report: what a goroutine did, and where it started.
func access(goroutine int, kind, fn string) string {
	return fmt.Sprintf("%s at 0x00c000012345 by goroutine %d:\n  example.com/m.%s()\n      /src/m/a.go:24 +0xc4\n", kind, goroutine, fn)
}

func started(goroutine int, site, line string, by ...string) string {
	s := fmt.Sprintf("Goroutine %d (running) created at:\n  example.com/m.%s()\n      /src/m/a.go:%s +0x2e\n", goroutine, site, line)
	for _, fn := range by {
		s += "  example.com/m." + fn + "()\n      /src/m/a_test.go:10 +0x24\n"
	}
	return s
}

func raceText(parts ...string) string {
	return "==================\nWARNING: DATA RACE\n" + strings.Join(parts, "\n") + "==================\n"
}

// framed writes framing lines as the test binary does.
func framed(lines string) string { return strings.ReplaceAll(lines, "^", string(rune(marker))) }

var byStart = raceText(access(9, "Write", "(*P).loop"), access(10, "Previous read", "(*P).report"), started(9, "Start", "13", "TestStart.func1"), started(10, "(*P).loop", "18"))

func TestLateRace(t *testing.T) {
	nameless := raceText(access(9, "Write", "(*P).loop"), access(10, "Previous read", "(*P).report"), started(9, "(*P).loop", "18"), started(10, "init.0", "3"))
	both := raceText(access(9, "Write", "TestLast.func1"), access(10, "Previous read", "(*P).loop"), started(9, "TestLast", "30"), started(10, "Start", "13", "TestStart"))
	const during = "^=== NAME  TestLast\n    testing.go:1712: race detected during execution of test\n"
	for _, c := range []struct {
		name, output string
		exit         int
		want         string // failing outcomes, ! for those that are late
	}{
		{"after all tests", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n^--- PASS: TestLast (0.00s)\n^PASS\n" + byStart + "Found 1 data race(s)\n", 66, "TestStart!"},
		{"in a passing test", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n" + byStart + "^--- PASS: TestLast (0.00s)\n^FAIL\n", 1, "TestStart!"},
		{"blamed on another", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n" + byStart + during + "^--- FAIL: TestLast (0.00s)\n^FAIL\n", 1, "TestStart!"},
		{"blamed on the parent of another", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n^=== RUN   TestLast/a\n" + byStart +
			during + "^--- FAIL: TestLast (0.00s)\n    ^--- PASS: TestLast/a (0.00s)\n^FAIL\n", 1, "TestStart!"},
		{"of two tests", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n" + both + during + "^--- FAIL: TestLast (0.00s)\n^FAIL\n", 1, "TestLast"},
		{"in its own test", "^=== RUN   TestStart\n" + byStart + "^=== NAME  TestStart\n    testing.go:1712: race detected during execution of test\n^--- FAIL: TestStart (0.00s)\n^FAIL\n", 1, "TestStart"},
		{"another that failed otherwise too", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^=== RUN   TestLast\n    a_test.go:9: got 1, want 2\n" + byStart + during + "^--- FAIL: TestLast (0.00s)\n^FAIL\n", 1, "TestLast"},
		{"nobody's", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^PASS\n" + nameless, 66, "(package)"},
		{"nobody's, in a test", "^=== RUN   TestLast\n" + nameless + during + "^--- FAIL: TestLast (0.00s)\n^FAIL\n", 1, "TestLast"},
		{"of a test that was skipped", "^=== RUN   TestStart\n^--- SKIP: TestStart (0.00s)\n^PASS\n" + byStart, 66, "(package)"},
		{"no race", "^=== RUN   TestStart\n^--- PASS: TestStart (0.00s)\n^PASS\n", 66, "(package)"},
	} {
		p := newParser(func() time.Time { return time.Time{} })
		p.Write([]byte(framed(c.output)))
		if got := failing(p.finish(Exit{Code: c.exit})); got != c.want {
			t.Errorf("%s: %q failed, want %q", c.name, got, c.want)
		}
	}
}

// failing names the outcomes that failed.
func failing(outcomes []*Outcome) string {
	var names []string
	for _, o := range outcomes {
		if !o.Status.Failing() {
			continue
		}
		name := o.Test
		if name == "" {
			name = "(package)"
		}
		if o.Late {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// If no stack names the test, the trace does, including the subtest.
func TestLateRaceByTrace(t *testing.T) {
	at := func(line int) trace.Frame { return trace.Frame{File: "/src/m/a.go", Line: line} }
	nameless := raceText(access(9, "Write", "(*P).loop"), access(10, "Previous read", "(*P).report"), started(9, "(*P).loop", "18"), started(10, "(*P).loop", "18"))
	for _, c := range []struct {
		name, race string
		traced     []*trace.Goroutine
		want       string
	}{
		{"unknown", nameless, nil, "(package)"},
		{"of a test", nameless, []*trace.Goroutine{{Test: "TestStart", Spawn: at(18)}, {Test: "TestLast", Spawn: at(19)}, {Spawn: at(18)}}, "TestStart!"},
		{"of one of two", nameless, []*trace.Goroutine{{Test: "TestStart", Spawn: at(18)}, {Test: "TestLast", Spawn: at(18)}}, "(package)"},
		{"of a subtest", nameless, []*trace.Goroutine{{Test: "TestStart/a", Spawn: at(18)}}, "TestStart/a!"},
		{"of two subtests", nameless, []*trace.Goroutine{{Test: "TestStart/a", Spawn: at(18)}, {Test: "TestStart/b", Spawn: at(18)}}, "TestStart!"},
		{"a subtest of the one that is named", byStart, []*trace.Goroutine{{Test: "TestLast", Spawn: at(13)}, {Test: "TestStart/b", Spawn: at(13)}, {Test: "TestStart/b", Spawn: at(18)}}, "TestStart/b!"},
	} {
		p := newParser(func() time.Time { return time.Time{} })
		p.Write([]byte(framed("^=== RUN   TestStart\n^=== RUN   TestStart/a\n^=== RUN   TestStart/b\n^--- PASS: TestStart (0.00s)\n" +
			"    ^--- PASS: TestStart/a (0.00s)\n    ^--- PASS: TestStart/b (0.00s)\n^=== RUN   TestLast\n^--- PASS: TestLast (0.00s)\n^PASS\n" + c.race)))
		run := &Run{Outcomes: p.finish(Exit{Code: 66}), Races: p.races}
		giveRacesByTrace(run, &trace.Trace{Goroutines: c.traced})
		if got := failing(run.Outcomes); got != c.want {
			t.Errorf("%s: %q failed, want %q", c.name, got, c.want)
		}
	}
}

// TestRacesOfEach has a test that races often. The reports of the next test are kept too.
func TestRacesOfEach(t *testing.T) {
	text := raceText(access(9, "Write", "(*P).loop"), access(10, "Previous read", "(*P).report"))
	run := func(test string, races int) string {
		return "^=== RUN   " + test + "\n" + strings.Repeat(text, races) + "^--- PASS: " + test + " (0.00s)\n"
	}
	for _, c := range []struct {
		first, second int
		kept          int
	}{{2, 3, 5}, {8, 1, 9}, {20, 3, 11}, {0, 9, 8}} {
		p := newParser(func() time.Time { return time.Time{} })
		p.Write([]byte(framed(run("TestA", c.first) + run("TestB", c.second) + "^PASS\n")))
		p.finish(Exit{Code: 66})
		if len(p.races) != c.kept {
			t.Errorf("%d and %d races: %d kept, want %d", c.first, c.second, len(p.races), c.kept)
		}
	}
}
