package ciout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// An event is a line of what go test -json prints, see `go doc test2json`.
type event struct {
	Time        time.Time `json:",omitzero"`
	ImportPath  string    `json:",omitempty"` // of build-output and build-fail, in place of Package
	Action      string
	Package     string   `json:",omitempty"`
	Test        string   `json:",omitempty"`
	Elapsed     *float64 `json:",omitempty"`
	Output      string   `json:",omitempty"`
	FailedBuild string   `json:",omitempty"`
	Key         string   `json:",omitempty"`
	Value       string   `json:",omitempty"`
}

// Events writes each execution of each test while runs are made, as go test -json does
// with -count: a package starts once, and ends when all of it is known. Attributes tell
// what go test does not: which run the events after it are of, and what was found.
type Events struct {
	w     io.Writer
	clean *cleaner
	open  map[string]*openPackage
	err   error
}

// An openPackage is a package that has started and not ended.
type openPackage struct {
	took   time.Duration // all runs
	failed bool
	last   time.Time // of its last event
}

// NewEvents returns a writer of events. home and environ are for what must not be
// written, see [Report].
func NewEvents(w io.Writer, home string, environ []string) *Events {
	e := &Events{w: w, clean: newCleaner(home, environ), open: make(map[string]*openPackage)}
	e.clean.left = 1 << 62 // what was written is gone: each text is bounded, not their sum
	return e
}

// Attributes of packages. Those of a test must come while it runs: to programs that
// read them any later event is one of another execution.
const (
	keyRun   = "fdebug.run"   // number of the run with the recorder that follows
	keyPlain = "fdebug.plain" // of the control run
	keyFound = "fdebug.found" // what was found of a test: an eventFound as JSON
)

type eventFound struct {
	Test        string        `json:"test"`
	State       finding.State `json:"state"`
	Failed      int           `json:"failed"` // runs with the recorder
	Passed      int           `json:"passed"`
	PlainFailed int           `json:"plainFailed"` // control runs
	PlainPassed int           `json:"plainPassed"`
	Class       string        `json:"class"` // how the cause is known: "proved"
	Place       string        `json:"place,omitempty"`
	Cause       string        `json:"cause"`
}

// Event takes a step of the runner.
func (e *Events) Event(x runner.Event) {
	switch x.Kind {
	case runner.RunDone:
		e.run(e.of(x.Package), x.Run)
	case runner.PackageDone:
		e.done(e.of(x.Package), &x)
	}
}

// of returns the state of a package in the stream.
func (e *Events) of(pkg string) *openPackage {
	if e.open[pkg] == nil {
		e.open[pkg] = new(openPackage)
	}
	return e.open[pkg]
}

// done ends a package without failed tests.
func (e *Events) done(p *openPackage, x *runner.Event) {
	ran := !p.last.IsZero()
	var build *runner.BuildError
	switch {
	case !ran && x.Err != nil:
		text := x.Err.Error()
		failed := ""
		if errors.As(x.Err, &build) {
			text, failed = build.Output, x.Package
			e.lines(event{Action: "build-output", ImportPath: x.Package}, text)
			e.write(event{Action: "build-fail", ImportPath: x.Package})
		}
		e.write(event{Action: "start", Package: x.Package})
		e.lines(event{Action: "output", Package: x.Package}, "FAIL\t"+x.Package+" [build failed]\n")
		if failed == "" {
			e.lines(event{Action: "output", Package: x.Package}, text)
		}
		e.write(event{Action: "fail", Package: x.Package, Elapsed: elapsed(p.took), FailedBuild: failed})
		delete(e.open, x.Package)
	case !ran:
		e.write(event{Action: "start", Package: x.Package})
		e.lines(event{Action: "output", Package: x.Package}, "?   \t"+x.Package+"\t[no test files]\n")
		e.write(event{Action: "skip", Package: x.Package, Elapsed: elapsed(0)})
		delete(e.open, x.Package)
	case !p.failed:
		e.end(x.Package, p)
	}
}

func (e *Events) end(pkg string, p *openPackage) {
	action, word, short := "pass", "PASS", "ok  "
	if p.failed {
		action, word, short = "fail", "FAIL", "FAIL"
	}
	e.lines(event{Time: p.last, Action: "output", Package: pkg},
		fmt.Sprintf("%s\n%s\t%s\t%.3fs\n", word, short, pkg, p.took.Seconds()))
	e.write(event{Time: p.last, Action: action, Package: pkg, Elapsed: elapsed(p.took)})
	delete(e.open, pkg)
}

// run writes the outcomes of a run.
func (e *Events) run(p *openPackage, run *runner.Run) {
	if p.last.IsZero() {
		e.write(event{Time: run.Started, Action: "start", Package: run.Package})
	}
	p.last = run.Started.Add(run.Wall)
	p.failed = p.failed || run.Failed()
	p.took += run.Wall
	key := keyRun
	if run.Control {
		key = keyPlain
	}
	e.write(event{Time: run.Started, Action: "attr", Package: run.Package, Key: key, Value: strconv.Itoa(run.N)})
	for _, n := range tree(run.Outcomes) {
		e.outcome(run, n, 0)
	}
}

// A node is an outcome with those of its subtests.
type node struct {
	*runner.Outcome
	subtests []*node
}

// tree puts subtests below the tests that they are part of, each in the order in which
// they started. Side by side, others may have started in between.
func tree(list []*runner.Outcome) []*node {
	type id struct {
		test string
		nth  int
	}
	var roots []*node
	byID := make(map[id]*node)
	for _, o := range list {
		n := &node{Outcome: o}
		byID[id{o.Test, o.Nth}] = n
		parent := o.Test[:max(0, strings.LastIndexByte(o.Test, '/'))]
		if up := byID[id{parent, o.Nth}]; up != nil && parent != "" {
			up.subtests = append(up.subtests, n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots
}

// outcome writes that a test began, what its subtests did, what it printed if it
// failed, and how it ended: as an action, and in the words of go test -v, since there
// are programs that read nothing else.
func (e *Events) outcome(run *runner.Run, n *node, depth int) {
	if n.Status == runner.NotRun && len(n.subtests) == 0 {
		return
	}
	x := event{Time: run.Started, Package: run.Package, Test: e.clean.line(n.Test, maxName)}
	if n.Test != "" {
		e.write(x.as("run"))
		e.lines(x.as("output"), "=== RUN   "+x.Test)
	}
	for _, sub := range n.subtests {
		e.outcome(run, sub, depth+1)
	}
	x.Time = run.Started.Add(run.Wall)
	if n.Status.Failing() {
		e.lines(x.as("output"), e.clean.cut(join(n.Output, n.Dump), 4<<10, 12<<10))
	}
	if n.Test == "" { // the package itself: it ends once
		return
	}
	action := ending(finding.Status(n.Status))
	if action == "" {
		return
	}
	e.lines(x.as("output"), fmt.Sprintf("%s--- %s: %s (%.2fs)",
		strings.Repeat("    ", depth), strings.ToUpper(action), x.Test, n.Elapsed.Seconds()))
	x.Elapsed = elapsed(n.Elapsed)
	e.write(x.as(action))
}

func (x event) as(action string) event {
	x.Action = action
	return x
}

// End says what was found, and ends all packages.
func (e *Events) End(r *Report) error {
	for _, s := range r.Suites {
		p := e.open[s.Package]
		if p == nil || p.last.IsZero() {
			continue
		}
		p.failed = false
		for _, c := range s.Cases {
			if c.failed() {
				e.found(p, s, c, r.causeOf(c))
				p.failed = p.failed || c.state() != finding.Recorder
			}
		}
		e.end(s.Package, p)
	}
	return e.err
}

// found writes what was found of a test.
func (e *Events) found(p *openPackage, s *Suite, c *Case, cause cause) {
	x := event{Time: p.last, Package: s.Package}
	said := e.clean.line(cause.Said, maxMessage)
	value, err := json.Marshal(eventFound{
		e.clean.line(c.Name, maxName), c.state(), c.Runs.Failed, c.Runs.Passed, c.Plain.Failed, c.Plain.Passed,
		cause.Verdict, e.clean.line(cause.Place(), maxName), said,
	})
	if err != nil {
		e.err = err
		return
	}
	a := x.as("attr")
	a.Key, a.Value = keyFound, string(value)
	e.write(a)
	text := "fdebug: " + e.clean.line(c.name()+" is "+c.said(), maxMessage) + "\n"
	e.lines(x.as("output"), text+"fdebug: "+e.clean.line(strings.TrimPrefix(cause.Place()+": "+said, ": "), maxMessage))
}

// lines writes an event for each line of a text.
func (e *Events) lines(x event, text string) {
	for line := range strings.Lines(text) {
		if x.Output = line; !strings.HasSuffix(line, "\n") {
			x.Output += "\n"
		}
		e.write(x)
	}
}

func elapsed(d time.Duration) *float64 {
	s := d.Round(time.Millisecond).Seconds()
	return &s
}

// write writes an event. "##[" would be a command to the runner of GitHub Actions,
// wherever it stands in a line.
func (e *Events) write(x event) {
	if e.err != nil {
		return
	}
	x.Package, x.ImportPath = e.clean.line(x.Package, maxName), e.clean.line(x.ImportPath, maxName)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	if e.err = enc.Encode(x); e.err == nil {
		_, e.err = e.w.Write(bytes.ReplaceAll(b.Bytes(), []byte("##["), []byte(`#\u0023[`)))
	}
}
