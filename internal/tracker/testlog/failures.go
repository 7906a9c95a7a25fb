package testlog

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/trace"
)

const (
	maxLog   = 64 << 20 // bytes of a log that are read
	maxTests = 20       // tests that are known by a dump alone
)

// Failures returns the failures in a log: what go test prints, with -v or without, go test -json, JUnit XML, a dump of
// goroutines or a report of the race detector, also with what CI systems write around it.
func Failures(in io.Reader) (failed []*runner.Seen, err error) {
	data, err := io.ReadAll(io.LimitReader(in, maxLog))
	if err != nil {
		return nil, err
	}
	lines := bare(string(data))
	s := &sink{o: Options{Now: time.Now()}, add: func(*history.Run) error { return nil }, report: &Report{}, keeps: true}
	if from := slices.IndexFunc(lines, begins); from >= 0 {
		err := s.read(strings.NewReader(strings.Join(lines[from:], "\n")))
		if err != nil && !errors.Is(err, ErrFormat) {
			return nil, err
		}
	}
	if len(s.failed) == 0 {
		s.readText(lines)
	}
	return s.failed, nil
}

// begins reports whether a line is the first of go test -json, or of JUnit XML.
func begins(line string) bool {
	return strings.HasPrefix(line, "{") && strings.Contains(line, `"Action"`) || strings.HasPrefix(line, "<?xml") ||
		strings.HasPrefix(line, "<testsuite")
}

var (
	// escapes are those of terminals, and those in which Buildkite has its time stamps.
	escapes = regexp.MustCompile(`\x1b(?:\[[0-9;?]*[ -/]*[@-~]|_[^\x07\n]*\x07)`)
	// around matches what CI systems write in front of a line: job and step of the gh command, a time, the level.
	around = regexp.MustCompile(`^(?:(?:[^\t\n]{1,100}\t[^\t\n]{1,100}\t)?\x{feff}?` +
		`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]?| |$))?` +
		`(?:##\[[a-z]+\]|::[a-z]+(?: [^:\n]*)?::)?`)
	// summed is how gotestsum heads a failure in its summary. Its package is without what all have in front.
	summed = regexp.MustCompile(`^=== FAIL: \S+ (\S+ \(\d+\.\d+s\))(?: \(re-run \d+\))?$`)
	// ended is how it ends that.
	ended = regexp.MustCompile(`^DONE \d+ tests?, .*`)
	// quoted matches the marks that mail and Markdown write in front of all lines.
	quoted = regexp.MustCompile(`^(?:> ?| {4}|\t)`)
)

// bare returns the lines of a log as go test wrote them.
func bare(log string) []string {
	log = escapes.ReplaceAllString(strings.TrimPrefix(log, "\ufeff"), "")
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		line = summed.ReplaceAllString(line[len(around.FindString(line)):], "--- FAIL: $1")
		lines[i] = ended.ReplaceAllString(line, "FAIL")
	}
	return unquoted(lines)
}

// unquoted returns lines without what is in front of each of them that tells of tests.
func unquoted(lines []string) []string {
	isQuoted := func(line string) bool {
		mark := quoted.FindString(line)
		return mark != "" && strings.HasPrefix(line[len(mark):], "--- FAIL: Test") && !strings.Contains(line, "/")
	}
	i := slices.IndexFunc(lines, isQuoted)
	if i < 0 || slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "--- FAIL: ") }) {
		return lines
	}
	mark, out := quoted.FindString(lines[i]), slices.Clone(lines)
	for i := range out {
		out[i] = strings.TrimPrefix(out[i], mark)
	}
	return out
}

var (
	frame      = regexp.MustCompile(`^( *)(?:=== ([A-Z]+) +(\S+)|--- ([A-Z]+): (\S+) \((\d+(?:\.\d+)?)s\))`)
	packageEnd = regexp.MustCompile(`^(?:FAIL|ok)\s+(\S+)\s+(?:\d+\.\d+s|\(cached\)|\[.*\])`)
	goroutine  = regexp.MustCompile(`^goroutine \d+.*\[[^\]]+\]:$`)
	runningOne = regexp.MustCompile(`^\t\t(\S+) \([^)]*\)$`)
)

// readText reads what go test prints, a package at a time: its name comes last.
func (s *sink) readText(lines []string) {
	from := 0
	for i, line := range lines {
		if m := packageEnd.FindStringSubmatch(line); m != nil {
			s.readPackage(m[1], lines[from:i])
			from = i + 1
		}
	}
	s.readPackage("", lines[from:])
}

// A textReader reads what go test prints of a package.
type textReader struct {
	t      *runner.Transcript
	test   string          // that the next line is of
	indent string          // of its lines, as package testing indents what belongs to a subtest
	known  map[string]bool // tests that have begun, and whether they have ended
	exit   runner.Exit
}

// readPackage reads what go test prints of a package, "" if that is not known.
func (s *sink) readPackage(pkg string, lines []string) {
	dump := strings.Join(lines, "\n")
	stacks := stacksIn(dump)
	r := &textReader{known: make(map[string]bool), exit: runner.Exit{Code: 1}}
	told := slices.ContainsFunc(lines, func(line string) bool { return frame.MatchString(line) })
	var tests []string
	if !told {
		var in string
		in, tests = testsOn(stacks)
		if pkg == "" {
			pkg = in
		}
	}
	raced := len(tests) > 0 && strings.Contains(dump, race.Warning)
	if raced {
		tests = tests[:1]
	}
	r.t = runner.NewTranscript(pkg)
	tests = append(tests, runningIn(lines)...)
	for _, name := range tests[:min(len(tests), maxTests)] {
		if !r.known[name] {
			r.t.Start(name)
		}
		r.known[name] = false
	}
	if !told && !timedOut.MatchString(dump) && onlyWaits(lines) {
		r.exit.TimedOut = true
		r.output("SIGQUIT: quit")
		r.output("")
	}
	if raced {
		r.test = tests[0]
	}
	for _, line := range lines {
		r.take(line)
	}
	if raced {
		r.output("    testing.go:1: race detected during execution of test")
		r.t.End(r.test, runner.Failed, 0)
	}
	s.failed = append(s.failed, slices.DeleteFunc(r.t.Seen(r.t.Finish(r.exit)), func(f *runner.Seen) bool {
		return f.Outcome.Test == "" && f.Outcome.Dump == "" && !f.Raced() // it says nothing
	})...)
}

// take reads a line.
func (r *textReader) take(line string) {
	m := frame.FindStringSubmatch(line)
	switch {
	case m == nil:
		if exit := exitLine.FindStringSubmatch(line); exit != nil {
			r.exit.Code, _ = strconv.Atoi(exit[1])
			return
		}
		if line == "FAIL" || line == "PASS" {
			r.test, r.indent = "", ""
		}
		r.output(strings.TrimPrefix(line, r.indent))
	case m[2] == "RUN":
		r.begin(m[3])
	case m[2] != "":
		r.test, r.indent = m[3], ""
	default:
		ends := map[string]runner.Status{"PASS": runner.Passed, "FAIL": runner.Failed, "SKIP": runner.Skipped}
		if r.known[m[5]] { // with -count, and without -v
			r.begin(m[5])
		}
		seconds, _ := strconv.ParseFloat(m[6], 64)
		if status, ok := ends[m[4]]; ok {
			r.t.End(m[5], status, time.Duration(min(seconds, 1e6)*float64(time.Second)))
		}
		r.test, r.indent, r.known[m[5]] = m[5], m[1], true
	}
}

func (r *textReader) begin(test string) {
	r.t.Start(test)
	r.test, r.indent, r.known[test] = test, "", false
}

func (r *textReader) output(line string) { r.t.Output(r.test, line+"\n") }

// runningIn returns the tests that the panic of -timeout lists.
func runningIn(lines []string) (list []string) {
	for _, line := range lines {
		if m := runningOne.FindStringSubmatch(line); m != nil {
			list = append(list, m[1])
		}
	}
	return list
}

// onlyWaits reports whether lines are a dump of goroutines of a process that did not die by itself.
func onlyWaits(lines []string) bool {
	return slices.ContainsFunc(lines, goroutine.MatchString) && !slices.ContainsFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
	})
}

// stacksIn returns the stacks of a dump of goroutines, and of reports of the race detector.
func stacksIn(text string) (list [][]trace.Frame) {
	for _, g := range runner.ParseDump(text) {
		list = append(list, append(g.Frames, g.Creator))
	}
	for _, report := range strings.Split(text, race.Warning)[1:] {
		r, _ := race.Parse(race.Warning + report)
		for _, a := range r.Accesses {
			list = append(list, a.Stack, a.Started)
		}
	}
	return list
}

var testFunc = regexp.MustCompile(`^(.*?)(?:_test)?\.((?:Test|Example|Fuzz)[^\s.()/]*)(?:\..*)?$`)

// testsOn returns the test functions on stacks, and the package of the first of them.
func testsOn(stacks [][]trace.Frame) (pkg string, tests []string) {
	for _, stack := range stacks {
		for _, f := range stack {
			if len(tests) == maxTests {
				return pkg, tests
			}
			if m := testFunc.FindStringSubmatch(f.Func); m != nil && !slices.Contains(tests, m[2]) {
				if pkg == "" {
					pkg = m[1]
				}
				tests = append(tests, m[2])
			}
		}
	}
	return pkg, tests
}
