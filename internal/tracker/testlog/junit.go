package testlog

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A junitReader reads JUnit XML.
type junitReader struct {
	*sink
	x      *xml.Decoder
	suites []*suite // open suites, the outermost first
	broken bool     // nothing more can be read
}

// A suite is a testsuite.
type suite struct {
	name    string
	started time.Time
	stamped bool // started has fractions of a second
	results []history.Result
}

// maxDepth limits the nesting of elements.
const maxDepth = 100

func readJUnit(in *bufio.Reader, s *sink) error {
	r := &junitReader{sink: s, x: xml.NewDecoder(&textLimiter{in: in})}
	r.x.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if c := strings.ToLower(charset); c == "iso-8859-1" || c == "latin1" || c == "us-ascii" || c == "windows-1252" {
			return &latin1{in: bufio.NewReader(in)}, nil
		}
		return nil, fmt.Errorf("encoding %q is not known", charset)
	}
	err := r.all()
	for len(r.suites) > 0 && err == nil {
		err = r.leave(false)
	}
	return err
}

// all reads elements up to the end, or until they can't be read.
func (r *junitReader) all() error {
	for depth := 0; ; {
		token, err := r.x.Token()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return r.stop(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				r.report.problem(r.lineNumber(), "elements are nested more than %d deep: what follows is left out",
					maxDepth)
				return nil
			}
			inside, err := r.enter(t)
			if err != nil {
				return err
			}
			if !inside {
				depth--
			}
		case xml.EndElement:
			depth--
			if t.Name.Local == "testsuite" && len(r.suites) > 0 {
				if err := r.leave(true); err != nil {
					return err
				}
			}
		}
	}
}

func (r *junitReader) lineNumber() int {
	line, _ := r.x.InputPos()
	return line
}

// stop notes a syntax error, after which nothing can be read. It returns other errors, which are
// those of the file.
func (r *junitReader) stop(err error) error {
	var syntax *xml.SyntaxError
	if r.broken {
		return nil
	}
	r.broken = true
	if errors.As(err, &syntax) {
		r.report.problem(syntax.Line, "%s: what follows is left out", syntax.Msg)
		return nil
	}
	if strings.HasPrefix(err.Error(), "xml: ") {
		r.report.problem(r.lineNumber(), "%v: what follows is left out", err)
		return nil
	}
	return err
}

// enter begins an element, and reports whether its end is still to come.
func (r *junitReader) enter(t xml.StartElement) (inside bool, err error) {
	switch t.Name.Local {
	case "testsuites":
		r.known = true
	case "testsuite":
		r.known = true
		r.suites = append(r.suites, r.suite(t))
	case "testcase":
		if len(r.suites) == 0 {
			r.report.problem(r.lineNumber(), "a testcase outside of any testsuite is left out")
			return false, r.skip()
		}
		return false, r.testcase(t)
	case "properties", "system-out", "system-err":
		return false, r.skip()
	default:
		if !r.known {
			return false, fmt.Errorf("%w: it begins with an element %q", ErrFormat, clip(t.Name.Local))
		}
	}
	return true, nil
}

func clip(s string) string { return s[:min(len(s), 60)] }

// skip reads to the end of an element.
func (r *junitReader) skip() error {
	if err := r.x.Skip(); err != nil && err != io.EOF {
		return r.stop(err)
	}
	return nil
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (r *junitReader) suite(t xml.StartElement) *suite {
	s := &suite{name: attr(t, "name")}
	if v := attr(t, "timestamp"); v != "" {
		at, err := timestamp(v)
		if err != nil {
			r.report.problem(r.lineNumber(), "timestamp %q is not understood", clip(v))
		}
		s.started, s.stamped = at, at.Nanosecond() != 0
	}
	return s
}

// timestamp parses a time as the various writers of JUnit write it.
func timestamp(s string) (time.Time, error) {
	var first error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
		"2006-01-02T15:04:05.999999999Z0700"} {
		t, err := time.Parse(layout, s)
		if err == nil {
			return t, nil
		}
		first = err
	}
	return time.Time{}, first
}

// seconds parses a duration, with commas for thousands as Surefire writes them.
func (r *junitReader) seconds(s string) time.Duration {
	if s == "" {
		return 0
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || !(f >= 0 && f < 1e7) {
		r.report.problem(r.lineNumber(), "time %q is not understood", clip(s))
		return 0
	}
	return time.Duration(f * float64(time.Second))
}

// A part is a child of a testcase that has an outcome.
type part struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
	Stack   string `xml:"stackTrace"`
}

// testcase reads a testcase: one execution, or more if it was repeated.
func (r *junitReader) testcase(t xml.StartElement) error {
	line := r.lineNumber()
	var c struct {
		Failure      []part    `xml:"failure"`
		Error        []part    `xml:"error"`
		Skipped      *struct{} `xml:"skipped"`
		FlakyFailure []part    `xml:"flakyFailure"`
		FlakyError   []part    `xml:"flakyError"`
		RerunFailure []part    `xml:"rerunFailure"`
		RerunError   []part    `xml:"rerunError"`
	}
	if err := r.x.DecodeElement(&c, &t); err != nil {
		return r.stop(err)
	}
	s := r.suites[len(r.suites)-1]
	name, class := attr(t, "name"), attr(t, "classname")
	if s.name == "" {
		s.name = class
	}
	if name == "" {
		r.report.problem(line, "a testcase without a name is left out")
		return nil
	}
	failed := slices.Concat(c.Failure, c.Error, c.FlakyFailure, c.FlakyError, c.RerunFailure, c.RerunError)
	if isBuild(name, failed) {
		r.report.NotBuilt++
		return nil
	}
	test := testName(name, class, s.name)
	if name == "TestMain" && len(failed) > 0 && class == "" {
		test = "" // gotestsum's word for a package that failed as a whole
	}
	elapsed := r.seconds(attr(t, "time"))
	for _, p := range failed {
		s.results = append(s.results, r.failure(packageOf(s.name, class), test, elapsed, &p))
	}
	switch {
	case len(c.Failure)+len(c.Error) > 0 || test == "":
	case c.Skipped != nil:
		s.results = append(s.results, history.Result{Test: test, Status: history.Skipped})
	default:
		s.results = append(s.results, history.Result{Test: test, Status: history.Passed, Elapsed: elapsed})
	}
	return nil
}

// isBuild reports whether a testcase stands for a package that did not build.
func isBuild(name string, failed []part) bool {
	return len(failed) > 0 && (name == "[build failed]" || name == "[setup failed]" ||
		(name == "TestMain" || name == "Failure") &&
			strings.Contains(failed[0].Text+failed[0].Message, "[build failed]"))
}

// testName returns the name of a test. If the suite is not its class, as with test runners that
// write one suite for everything, the class is part of the name.
func testName(name, class, suite string) string {
	if class == "" || class == suite || strings.HasSuffix(suite, "/"+class) || strings.HasSuffix(class, "/"+suite) ||
		strings.HasSuffix(class, "."+suite) {
		return name
	}
	return class + "." + name
}

// packageOf returns the import path of a test: go-junit-report has it as the name of the suite too, and others shorten one
// of the two.
func packageOf(suite, class string) string {
	if strings.HasSuffix(class, "/"+suite) {
		return class
	}
	return suite
}

// failure explains a failed execution. Output of Go tests is parsed as such.
func (r *junitReader) failure(pkg, test string, elapsed time.Duration, p *part) history.Result {
	text := p.Text + p.Stack
	x := history.Result{Test: test, Status: history.Failed, Elapsed: elapsed}
	message := strings.TrimSpace(p.Message)
	said := message != "" && message != "Failed" && !strings.HasPrefix(message, "Failed;")
	if text == "" && said {
		text = p.Message
	}
	t := runner.NewTranscript(pkg)
	t.Start(test)
	for line := range strings.Lines(indented(text)) {
		if !isFrame(line, test) {
			t.Output(test, line)
		}
	}
	if !timedOut.MatchString(text) { // else its dump says which test is still running
		t.End(test, runner.Failed, elapsed)
	}
	for _, o := range r.results(t, t.Finish(runner.Exit{Code: 1})) {
		if o.Test == test && o.Status.Failing() {
			x.Status, x.Signature, x.Message = o.Status, o.Signature, o.Message
		}
	}
	first := text
	if said {
		first, x.Message = message, message
	}
	if said || p.Type != "" { // not a Go test: the first line is the exception
		first, _, _ = strings.Cut(strings.TrimSpace(first), "\n")
		x.Signature = test + ": " + runner.Mask(first)
	}
	return x
}

var timedOut = regexp.MustCompile(`(?m)^panic: test timed out after `)

// located is a message of package testing whose indentation is lost, as go-junit-report once wrote it.
var located = regexp.MustCompile(`(?m)^\S+\.go:\d+: `)

// indented gives messages the indentation that package testing gives them.
func indented(text string) string {
	if !located.MatchString(text) {
		return text
	}
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		switch {
		case located.MatchString(line):
			inside = true
			b.WriteString("    ")
		case inside:
			b.WriteString("        ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// leave ends a testsuite.
func (r *junitReader) leave(ended bool) error {
	s := r.suites[len(r.suites)-1]
	r.suites = r.suites[:len(r.suites)-1]
	if len(s.results) == 0 {
		return nil
	}
	run := &history.Run{
		Package: s.name, Kind: history.Plain, Started: r.time(s.started), Unfinished: !ended,
		Results: withoutParents(s.results),
	}
	identity := r.o.Identity
	if s.stamped {
		identity = ""
	}
	run.Key = key("junit", s.name, s.started.UTC().Format(time.RFC3339Nano), contentOf(run), identity)
	return r.put(run)
}

// withoutParents leaves out tests that failed only because a subtest did. The format does not
// show that, but Go's names do.
func withoutParents(results []history.Result) []history.Result {
	because := make(map[string]bool)
	for _, r := range results {
		if !r.Status.Failing() {
			continue
		}
		for i, c := range r.Test {
			if c == '/' {
				because[r.Test[:i]] = true
			}
		}
	}
	return slices.DeleteFunc(results, func(r history.Result) bool { return r.Status.Failing() && because[r.Test] })
}

// contentOf returns the results of a run as text, for its key.
func contentOf(run *history.Run) string {
	var b strings.Builder
	for _, r := range run.Results {
		fmt.Fprintf(&b, "%q %s %d %q\n", r.Test, r.Status, r.Elapsed, r.Message)
	}
	return key(b.String())
}
