package runner

import (
	"strings"
	"time"
)

// A Transcript is a record by something else of one execution of a test binary, for example go
// test -json. Failures are explained like those of fdebug's own runs, except where this takes
// the source.
type Transcript struct {
	p   *parser
	pkg string
	now time.Time
}

// NewTranscript begins the transcript of a package.
func NewTranscript(pkg string) *Transcript {
	t := &Transcript{pkg: pkg}
	t.p = newParser(func() time.Time { return t.now })
	return t
}

// At sets the time of the next event.
func (t *Transcript) At(now time.Time) { t.now = now }

// Start notes that a test began.
func (t *Transcript) Start(test string) { t.p.start(test) }

// Pause and Continue note that a test begins and ends to wait for its turn in t.Parallel.
func (t *Transcript) Pause(test string) { t.p.pause(t.p.byName[test]) }

func (t *Transcript) Continue(test string) { t.p.resume(t.p.byName[test]) }

// Output notes the output of a test, "" for the package. Leave out the lines with which the test
// binary reports its progress, except the last, PASS or FAIL.
func (t *Transcript) Output(test, text string) {
	t.p.cur = t.p.byName[test]
	if word := strings.TrimSpace(text); test == "" && (word == "PASS" || word == "FAIL") {
		t.p.final = word
		return
	}
	t.p.output([]byte(text), true)
}

// End notes how a test ended. A test whose beginning was not seen begins now.
func (t *Transcript) End(test string, status Status, elapsed time.Duration) {
	s := t.p.byName[test]
	if s == nil || s.phase == ended && !s.status.Failing() {
		t.p.start(test)
		s = t.p.byName[test]
	}
	t.p.end(s, status, elapsed.Seconds())
	if status != Failed { // for one that panicked, the status comes after the runtime's message
		t.p.attribute(s)
	}
}

// Failed reports whether a test has failed.
func (t *Transcript) Failed() bool { return t.p.anyFailed() }

// Finish returns the outcomes of an execution that ended as exit says. If the status is unknown,
// its last output shows whether the process died in a panic.
func (t *Transcript) Finish(exit Exit) []*Outcome {
	if crash := &t.p.crash; exit.Code == 1 && t.p.final == "" && !crash.stale && !crash.text.empty() {
		exit.Code = 2
	}
	run := &Run{Package: t.pkg, Exit: exit}
	run.Outcomes = t.p.finish(exit)
	return t.explain(run)
}

// Cut returns the outcomes of an execution whose end is missing. Tests under way then have none.
func (t *Transcript) Cut() []*Outcome {
	t.p.settle()
	t.p.markParents()
	run := &Run{Package: t.pkg, Outcomes: t.p.outcomes(&testState{status: NotRun})}
	return t.explain(run)
}

func (t *Transcript) explain(run *Run) []*Outcome {
	run.Races = t.p.races
	e := newExplainer(Target{ImportPath: t.pkg}, nil, "")
	e.src.none = true
	e.learn(t.p.logs)
	e.explainAll(run)
	return run.Outcomes
}
