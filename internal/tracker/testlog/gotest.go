package testlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// maxLine limits a line. Output of a test comes line by line.
const maxLine = 4 << 20

// An event is a line of go test -json: see go doc test2json. Events of a build (ImportPath) are
// not needed.
type event struct {
	Time        string
	Action      string
	Package     string
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
	Key, Value  string // of attr, since Go 1.25
	Path        string // of artifacts, since Go 1.26
}

// A goReader reads go test -json.
type goReader struct {
	*sink
	line     int
	packages map[string]*goPackage // packages under way
	order    int
	noise    int // how many lines are not events
	first    int // line number of the first of them
}

// A goPackage is a package under way.
type goPackage struct {
	name     string
	order    int // number among all packages, for results without times
	kind     history.Kind
	many     bool      // several runs, made by fdebug: each begins with an attribute
	started  time.Time // from the file, to the nanosecond; zero if it does not say
	text     *runner.Transcript
	exit     runner.Exit
	cached   bool
	notBuilt bool
	notes    []history.Note
}

func readJSON(in *bufio.Reader, s *sink) error {
	r := &goReader{sink: s, packages: make(map[string]*goPackage)}
	for {
		line, long, err := readLine(in)
		r.line++
		if long {
			s.report.problem(r.line, "a line of more than %d bytes", maxLine)
		} else if line = bytes.TrimLeft(line, " \t\r\n\ufeff"); len(line) > 0 {
			if err := r.take(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	switch {
	case r.noise == 1:
		s.report.problem(r.first, "no event of go test -json")
	case r.noise > 1:
		s.report.problem(r.first, "no event of go test -json, nor are %d other lines", r.noise-1)
	}
	left := slices.SortedFunc(maps.Values(r.packages), func(a, b *goPackage) int { return a.order - b.order })
	for _, p := range left {
		s.report.problem(r.line, "the file ends before package %s does", p.name)
		if err := r.finish(p, false); err != nil {
			return err
		}
	}
	return nil
}

// readLine reads a line. It keeps nothing of one that is too long.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long, line = true, nil
		}
		if !long {
			if err != bufio.ErrBufferFull && line == nil {
				return part, false, err // valid until the next read
			}
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}

// take processes a line.
func (r *goReader) take(line []byte) error {
	if line[0] != '{' { // output of the go command about a build, for example
		if r.noise++; r.noise == 1 {
			r.first = r.line
		}
		return nil
	}
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		r.report.problem(r.line, "%v", err)
		return nil
	}
	if e.Package == "" {
		if e.Action == "" {
			r.report.problem(r.line, "an object without Action and Package: no event of go test -json")
		}
		r.known = r.known || strings.HasPrefix(e.Action, "build-")
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, e.Time)
	if err != nil && e.Time != "" {
		r.report.problem(r.line, "time %q is not understood", e.Time)
	}
	return r.event(&e, at)
}

func (r *goReader) event(e *event, at time.Time) error {
	p := r.packages[e.Package]
	if p != nil && e.Action == "start" { // it had no end
		r.report.problem(r.line, "package %s starts anew and had not ended", p.name)
		if err := r.finish(p, false); err != nil {
			return err
		}
		p = nil
	}
	if p == nil {
		p = r.begin(e.Package, at)
	}
	p.text.At(at)
	if e.Test != "" {
		p.test(e, r)
		return nil
	}
	return r.whole(p, e, at)
}

func (r *goReader) begin(name string, at time.Time) *goPackage {
	r.order++
	p := &goPackage{
		name: name, order: r.order, started: at, text: runner.NewTranscript(name),
		exit: runner.Exit{Code: 1}, kind: history.Plain,
	}
	r.packages[name] = p
	return p
}

// ends are the actions with which a test ends.
var ends = map[string]runner.Status{"pass": runner.Passed, "fail": runner.Failed, "skip": runner.Skipped}

// test processes an event of a test.
func (p *goPackage) test(e *event, r *goReader) {
	elapsed := r.seconds(e.Elapsed)
	switch e.Action {
	case "run":
		p.text.Start(e.Test)
	case "pause":
		p.text.Pause(e.Test)
	case "cont":
		p.text.Continue(e.Test)
	case "pass", "fail", "skip":
		p.text.End(e.Test, ends[e.Action], elapsed)
	case "output":
		switch {
		case isFrame(e.Output, e.Test):
		case isGoCommand(e.Output, p.name): // it follows the last output of a test
			p.said(e.Output)
		default:
			p.text.Output(e.Test, e.Output)
		}
	case "attr":
		p.notes = append(p.notes, history.Note{Test: e.Test, Key: e.Key, Value: e.Value})
	case "artifacts":
		p.notes = append(p.notes, history.Note{Test: e.Test, Key: "artifacts", Value: e.Path})
	case "start", "bench":
	default:
		r.report.problem(r.line, "action %q is not known", e.Action)
	}
}

// seconds reads a duration.
func (r *goReader) seconds(s float64) time.Duration {
	if s < 0 || s > 1e7 {
		r.report.problem(r.line, "elapsed %v is not understood", s)
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// isFrame reports whether the test binary uses a line of output to report what it does, which has
// events of its own.
func isFrame(text, test string) bool {
	text = strings.TrimLeft(text, " ")
	for _, frame := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
		if strings.HasPrefix(text, frame) {
			return true
		}
	}
	for _, frame := range []string{"--- PASS: ", "--- FAIL: ", "--- SKIP: "} {
		if rest, ok := strings.CutPrefix(text, frame); ok && strings.HasPrefix(rest, test+" (") {
			return true
		}
	}
	return false
}

// isGoCommand reports whether the go command uses a line to report how a test binary ended.
func isGoCommand(text, pkg string) bool {
	return exitLine.MatchString(text) || strings.HasPrefix(text, "FAIL\t"+pkg+"\t") ||
		strings.HasPrefix(text, "*** Test killed") ||
		strings.HasPrefix(text, "signal: ")
}

var exitLine = regexp.MustCompile(`^exit status (\d+)\n?$`)

// whole processes an event of a package as a whole.
func (r *goReader) whole(p *goPackage, e *event, at time.Time) error {
	switch e.Action {
	case "output":
		p.said(e.Output)
	case "attr":
		if e.Key == recordedRun || e.Key == plainRun {
			return r.next(p, e, at)
		}
	case "pass", "fail", "skip":
		p.notBuilt = p.notBuilt || e.FailedBuild != ""
		if e.Action != "fail" { // whatever is missing in between
			p.exit = runner.Exit{}
			p.text.Output("", "PASS\n")
		}
		return r.finish(p, true)
	case "start", "artifacts", "run", "pause", "cont", "bench":
	default:
		r.report.problem(r.line, "action %q is not known", e.Action)
	}
	return nil
}

// next ends a run of fdebug, and begins the next.
func (r *goReader) next(p *goPackage, e *event, at time.Time) error {
	if p.many {
		if err := r.finish(p, true); err != nil {
			return err
		}
		p = r.begin(e.Package, at)
	}
	p.many, p.started = true, at
	if p.kind = history.Recorded; e.Key == plainRun {
		p.kind = history.Plain
	}
	p.text.At(at)
	return nil
}

// said processes output of the package as a whole, including that of the go command.
func (p *goPackage) said(text string) {
	m := exitLine.FindStringSubmatch(text)
	switch {
	case m != nil:
		p.exit.Code, _ = strconv.Atoi(m[1])
	case strings.HasPrefix(text, "signal: "):
		p.exit.Code, p.exit.Signal = -1, strings.TrimSpace(strings.TrimPrefix(text, "signal: "))
	case strings.HasPrefix(text, "*** Test killed"):
		p.exit.TimedOut = true
	case strings.HasPrefix(text, "FAIL\t") &&
		(strings.Contains(text, "[build failed]") || strings.Contains(text, "[setup failed]")):
		p.notBuilt = true
	case strings.HasPrefix(text, "ok  \t") && strings.Contains(text, "\t(cached)"):
		p.cached = true
	case strings.HasPrefix(text, "FAIL\t"+p.name) || strings.HasPrefix(text, "ok  \t"+p.name) ||
		strings.HasPrefix(text, "?   \t"):
	default:
		p.text.Output("", text)
	}
}

// finish makes a run of a package.
func (r *goReader) finish(p *goPackage, ended bool) error {
	delete(r.packages, p.name)
	switch {
	case p.cached:
		r.report.Cached++
		return nil
	case p.notBuilt:
		r.report.NotBuilt++
		return nil
	}
	run := &history.Run{Package: p.name, Kind: p.kind, Started: r.time(p.started), Unfinished: !ended, Notes: p.notes}
	if p.many { // the end of the package is the end of all its runs
		p.exit = runner.Exit{}
		if p.text.Failed() {
			p.exit.Code = 1
		} else {
			p.text.Output("", "PASS\n")
		}
	}
	outcomes := p.text.Cut
	if ended {
		outcomes = func() []*runner.Outcome { return p.text.Finish(p.exit) }
	}
	run.Results = r.results(p.text, outcomes())
	if !slices.ContainsFunc(run.Results, func(x history.Result) bool { return x.Test != "" || x.Status.Failing() }) {
		r.known = true
		return nil // no test ran
	}
	run.Key = Key(p.name, p.started)
	if p.started.IsZero() {
		run.Key = key("go", p.name, strconv.Itoa(p.order), contentOf(run), r.o.Identity)
	}
	return r.put(run)
}
