package runner

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fdebug/fdebug/trace"
)

// An explainer finds out where and with which words a test failed. One explainer serves all runs
// of a package.
type explainer struct {
	scope scope
	src   *sources

	mu sync.Mutex
	// logs are places from which passing tests printed, so they are not failed checks. Every run
	// may add some, so failures are explained again when all runs are done.
	logs map[trace.Frame]bool
	dump *parsedDump // the last one explained
}

func newExplainer(t Target, modules []string, root string) *explainer {
	if len(modules) == 0 {
		modules = []string{t.ImportPath}
	}
	return &explainer{
		scope: scope{modules: modules, root: root},
		src:   &sources{dir: t.Dir},
		logs:  make(map[trace.Frame]bool),
	}
}

// learn adds the logs that a run found.
func (e *explainer) learn(logs map[trace.Frame]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.Copy(e.logs, logs)
}

// explainAll explains all failures of a run.
func (e *explainer) explainAll(run *Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, o := range run.Outcomes {
		e.explain(o, run)
	}
	shortenDumps(run)
}

// A finding is where and how a test failed.
type finding struct {
	frame    trace.Frame
	message  string // as the test wrote it
	headline string // identifies it, not yet masked; "" for the message's first line
}

// explain sets the message and signature of an outcome of a run. A dump's explanation does not
// depend on other runs, so it is cut once it is explained.
func (e *explainer) explain(o *Outcome, run *Run) {
	if !o.Status.Failing() || o.Dump != "" && o.Signature != (Signature{}) {
		return
	}
	f := e.find(o, run)
	if o.ByChild && e.ownCheck(o) != nil {
		o.ByChild = false
	}
	if f.headline == "" {
		f.headline = headline(f.message)
	}
	switch { // the time is different in each run
	case o.Status != Timeout:
	case run.Stuck:
		f.message += fmt.Sprintf(": stopped after %v, because nothing could end this wait", round(run.Wall))
	case run.Overrun != nil:
		f.message += ": " + run.Overrun.words(run.Wall)
	}
	o.Message = f.message
	o.Signature = Signature{Test: o.Test, Frame: f.frame, Message: Mask(f.headline)}
}

// then begins the end of a test after a failed check.
const then = "\nthen "

// find explains by the first failure: a test that goes on after a failed check, or whose goroutine the check ended, may
// hang or die of that.
func (e *explainer) find(o *Outcome, run *Run) (end finding) {
	switch {
	case o.Dump != "":
		end = e.dumped(o)
	case o.Status == Timeout:
		end = finding{message: "timed out"}
	case o.Status == Crashed:
		end = exited(o, run.Exit)
	default:
		return e.failed(o, run.Races)
	}
	if c := e.ownCheck(o); c != nil {
		f := e.checked(*c)
		f.headline = cmp.Or(f.headline, headline(f.message))
		f.message += then + cmp.Or(end.headline, end.message)
		return f
	}
	return end
}

// racedDuring is the message of package testing for a test during which the race detector reported a race.
const racedDuring = "race detected during execution of test"

// failed explains a test that ended by itself.
func (e *explainer) failed(o *Outcome, races []string) finding {
	if c, ok := gocheckIn(o.Output); ok {
		return e.checked(c)
	}
	checks := e.candidates(checksIn(o.Output))
	raced := strings.Contains(o.Output, racedDuring)
	for _, c := range checks {
		kind, here := e.src.kind(c.Frame)
		if kind == callCheck || here && !raced || isTestify(c.text) {
			return e.checked(c)
		}
	}
	if own := raceReport(o.Output); raced && own != "" {
		return e.raced(own)
	} else if raced && len(races) > 0 {
		return e.raced(races[0])
	}
	if n := len(checks); n > 0 && e.src.none { // logs mostly come before the failure
		return e.checked(checks[n-1])
	} else if n > 0 {
		return e.checked(checks[0])
	}
	return e.unlocated(o)
}

// ownCheck returns the first check in the output of a test that is one according to the source or the recorder, or one
// of testify's; nil if there is none. Other messages may be logs.
func (e *explainer) ownCheck(o *Outcome) *check {
	for _, c := range e.candidates(checksIn(o.Output)) {
		of := func(f trace.Frame) bool { return baseName(f.File) == baseName(c.File) && f.Line == c.Line }
		if kind, _ := e.src.kind(c.Frame); kind == callCheck || isTestify(c.text) || slices.ContainsFunc(o.At, of) {
			return &c
		}
	}
	return nil
}

// candidates drops the messages that are not failed checks.
func (e *explainer) candidates(all []check) []check {
	var cs []check
	for _, c := range all {
		kind, _ := e.src.kind(c.Frame)
		if kind != callLog && !e.logs[c.Frame] &&
			!(c.File == "testing.go" && strings.HasPrefix(c.text, "race detected")) {
			cs = append(cs, c)
		}
	}
	return cs
}

// checked explains a failed check.
func (e *explainer) checked(c check) finding {
	f := finding{message: strings.TrimSpace(c.text), frame: trace.Frame{File: c.File, Line: c.Line}}
	if _, here := e.src.kind(c.Frame); here {
		f.frame.File = e.src.path(c.File)
		f.headline = headline(f.message)
	}
	if t, ok := parseTestify(c.text); ok {
		if at, ok := e.scope.first(t.trace); ok {
			f.frame = at
		} else if at, ok := e.ofTest(t.trace); ok {
			f.frame = at
		}
		f.message = strings.TrimSpace(strings.TrimSpace(t.text) + "\n" + t.messages)
		f.headline = headline(t.text) + " " + t.messages
	}
	return f
}

// ofTest returns the first frame in a test file of the package. Old releases of testify name
// files without their directory, and print the place of their own t.FailNow first.
func (e *explainer) ofTest(frames []trace.Frame) (trace.Frame, bool) {
	for _, f := range frames {
		if f.File != filepath.Base(f.File) || !strings.HasSuffix(f.File, "_test.go") {
			continue
		}
		if _, here := e.src.kind(trace.Frame{File: f.File, Line: f.Line}); here {
			return trace.Frame{File: e.src.path(f.File), Line: f.Line}, true
		}
	}
	return trace.Frame{}, false
}

// unlocated explains a test that failed without a located message: t.Fail alone, an example whose
// output differs, the checks of TestMain.
func (e *explainer) unlocated(o *Outcome) finding {
	out := strings.TrimSpace(o.Output)
	if strings.HasPrefix(out, "got:\n") && strings.Contains(out, "\nwant:\n") {
		return finding{message: out, headline: "output of the example differs"}
	}
	if at, ok := e.scope.first(o.At); ok {
		return finding{message: "failed, and its output is lost", frame: at}
	}
	if out == "" {
		return finding{message: "failed without a message"}
	}
	return finding{message: out, headline: lastLine(out)}
}

// exited explains a process that ended without a message from the runtime. The test's last line
// is often the reason, as with log.Fatal.
func exited(o *Outcome, exit Exit) finding {
	f := finding{message: exitText(exit)}
	if out := strings.TrimSpace(o.Output); out != "" {
		f.headline = f.message + ": " + lastLine(out)
		f.message += "\n" + out
	}
	return f
}

// headline returns the first line of a message, and the next one if the first only introduces it.
// Gomega prints its expectation on several lines, and the first is the same for all checks.
func headline(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	first = strings.TrimSpace(first)
	if first == "Expected" {
		return strings.Join(strings.Fields(s[:min(len(s), maxLine)]), " ")
	}
	next, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	isDiff := strings.HasSuffix(first, "):") || strings.HasPrefix(next, "expected:")
	if strings.HasSuffix(first, ":") && !isDiff {
		return first + " " + next
	}
	return first
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}

// A testify is the block that an assertion of github.com/stretchr/testify prints.
type testify struct {
	trace    []trace.Frame // innermost first
	text     string        // of the Error field
	messages string        // the user's own words, from the Messages field
}

var testifyField = regexp.MustCompile(`^\s*\t(Error Trace|Error|Test|Messages):\s*(.*)$`)

func isTestify(text string) bool { return strings.Contains(text, "\tError Trace:") }

func parseTestify(text string) (t testify, ok bool) {
	if !isTestify(text) {
		return t, false
	}
	field := ""
	for line := range strings.Lines(text) {
		if m := testifyField.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			field, line = m[1], m[2]
		}
		line = strings.TrimSpace(line)
		switch field {
		case "Error Trace":
			if f, ok := position(line); ok {
				t.trace = append(t.trace, f)
			}
		case "Error":
			t.text += line + "\n"
		case "Messages":
			t.messages = strings.TrimSpace(t.messages + "\n" + line)
		}
	}
	return t, true
}

// position parses "/a/b_test.go:12".
func position(s string) (trace.Frame, bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return trace.Frame{}, false
	}
	line, ok := lineNumber(strings.TrimSpace(s[i+1:]))
	return trace.Frame{File: s[:i], Line: line}, ok
}
