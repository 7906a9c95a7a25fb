package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// finish ends the parse: the process has ended as exit says, and the tests that were still
// running get their outcome.
func (p *parser) finish(exit Exit) []*Outcome {
	if len(p.line) > 0 {
		p.flush(true)
	}
	p.endRace()
	dump := p.crash.of(exit)
	// A process that printed its final PASS or FAIL did not die in a test.
	died := dump != "" || exit.TimedOut || exit.Signal != "" || p.final == "" &&
		slices.ContainsFunc(p.tests, func(t *testState) bool { return t.phase != ended })
	pkg := &testState{status: Passed, phase: ended, out: p.pkg}
	if died {
		pkg.status = NotRun // TestMain did not come to its end, as other tests that ran
		p.blame(exit, dump, pkg)
	}
	p.settle()
	// A failure that no test accounts for is the package's: a check of TestMain, a race outside
	// any test, a panic in an init function.
	if !exit.ok() && pkg.status == Passed && !p.anyFailed() {
		pkg.status = Failed
		if p.final == "" {
			pkg.status = Crashed
		}
	}
	p.markParents()
	return p.outcomes(pkg)
}

func (e Exit) ok() bool { return e.Code == 0 && e.Signal == "" && !e.TimedOut }

// blame marks the tests that caused the process to die.
func (p *parser) blame(exit Exit, dump string, pkg *testState) {
	status := Crashed
	if exit.TimedOut || timedOutPanic.MatchString(dump) {
		status = Timeout
	}
	culprits := p.culprits(exit, dump)
	if len(culprits) == 0 {
		culprits = []*testState{pkg}
	}
	for _, t := range culprits {
		t.late = t.phase == ended && t.status == Passed // a goroutine that it left behind died
		p.cut(t, status)
		t.dump = dump
		t.shared = len(culprits) > 1 && status == Crashed
	}
	for _, t := range culprits {
		for a := t.parent; a != nil; a = a.parent {
			p.cut(a, status)
		}
	}
}

// cut ends a test that may still be running or paused.
func (p *parser) cut(t *testState, status Status) {
	if t.phase == running {
		t.elapsed += p.now().Sub(t.started)
	}
	t.phase, t.status = ended, status
}

var (
	timedOutPanic = regexp.MustCompile(`^panic: test timed out after `)
	afterEnd      = regexp.MustCompile(`^panic: (?:Log|Fail|Write called|Run called)[^\n]* after (\S+) has completed`)
	runningLine   = regexp.MustCompile(`(?m)^\t\t(\S+) \([^)]*\)$`)
)

// culprits returns the tests that were running when the process died, or made it die. It tries
// the evidence from the strongest to the weakest.
func (p *parser) culprits(exit Exit, dump string) []*testState {
	leaves := p.leaves(p.tests)
	if exit.TimedOut {
		return leaves
	}
	if timedOutPanic.MatchString(dump) {
		return p.namedRunning(dump)
	}
	if m := afterEnd.FindStringSubmatch(dump); m != nil && p.byName[m[1]] != nil {
		return []*testState{p.byName[m[1]]}
	}
	if t := p.repanicked(dump); t != nil {
		return []*testState{t}
	}
	if named := p.inStack(dump, leaves); len(named) > 0 {
		return named
	}
	return leaves
}

// namedRunning returns the innermost tests that the panic of -timeout lists.
func (p *parser) namedRunning(dump string) []*testState {
	var ts []*testState
	head, _, _ := strings.Cut(dump, "\n\ngoroutine ")
	for _, m := range runningLine.FindAllStringSubmatch(head, -1) {
		if t := p.byName[m[1]]; t != nil && t.phase != ended {
			ts = append(ts, t)
		}
	}
	return p.leaves(ts)
}

// repanicked returns the test whose own goroutine panicked. Package testing recovers, reports it
// and its parents as failed, innermost first, and panics again.
func (p *parser) repanicked(dump string) *testState {
	gs := ParseDump(dump)
	if len(gs) == 0 || len(p.ends) == 0 || !gs[0].calls("testing.tRunner.func1") {
		return nil
	}
	t := p.ends[len(p.ends)-1]
	for i := len(p.ends) - 2; i >= 0 && p.ends[i].parent == t; i-- {
		t = p.ends[i]
	}
	if t.status != Failed {
		return nil
	}
	return t
}

func (g *Dumped) calls(name string) bool {
	return slices.ContainsFunc(g.Frames, func(f trace.Frame) bool { return f.Func == name })
}

// inStack returns the tests whose function the crashed goroutine runs or was started by: running
// tests, or else one that ended and left the goroutine behind.
func (p *parser) inStack(dump string, leaves []*testState) []*testState {
	gs := ParseDump(dump)
	if len(gs) == 0 || asleep(dump) {
		return nil
	}
	var in []*testState
	for _, t := range leaves {
		if gs[0].mentions(trace.TopTest(t.name)) {
			in = append(in, t)
		}
	}
	if len(in) > 0 {
		return in
	}
	for _, t := range slices.Backward(p.tests) {
		if t.phase == ended && t.parent == nil && gs[0].mentions(t.name) {
			return []*testState{t}
		}
	}
	return nil
}

// leaves returns the tests in ts that run and don't just wait for a running subtest. Tests paused
// in t.Parallel wait for their turn and are not at fault.
func (p *parser) leaves(ts []*testState) []*testState {
	var leaves []*testState
	for _, t := range ts {
		if t.phase == running {
			leaves = append(leaves, t)
		}
	}
	for _, t := range slices.Clone(leaves) {
		for a := t.parent; a != nil; a = a.parent {
			leaves = slices.DeleteFunc(leaves, func(t *testState) bool { return t == a })
		}
	}
	return leaves
}

func (p *parser) anyFailed() bool {
	return slices.ContainsFunc(p.tests, func(t *testState) bool { return t.status.Failing() })
}

// settle marks the tests that were cut off by the crash of another.
func (p *parser) settle() {
	for _, t := range p.tests {
		if t.phase != ended {
			p.cut(t, NotRun)
		}
	}
}

// markParents marks the tests that failed together with a subtest and did not die themselves.
func (p *parser) markParents() {
	for _, t := range p.tests {
		for a := t.parent; a != nil && t.status.Failing(); a = a.parent {
			a.byChild = a.status.Failing() && a.dump == ""
		}
	}
}

// outcomes returns the outcomes; that of the package itself is the last.
func (p *parser) outcomes(pkg *testState) []*Outcome {
	var os []*Outcome
	for _, t := range append(p.tests, pkg) {
		o := &Outcome{Test: t.name, Nth: t.nth, Status: t.status, Elapsed: t.elapsed, ByChild: t.byChild,
			Shared: t.shared, Late: t.late}
		if t.status.Failing() {
			o.Dump = strings.ToValidUTF8(t.dump, "\uFFFD")
			o.Output = t.out.String()
			if o.Dump != "" { // once is enough
				o.Output, _, _ = strings.Cut(o.Output, o.Dump)
			}
		}
		os = append(os, o)
	}
	return os
}

// exitText describes how a process ended that left no text of its own.
func exitText(exit Exit) string {
	if exit.Signal != "" {
		return fmt.Sprintf("the process was ended by a signal (%s) while the test ran", exit.Signal)
	}
	return fmt.Sprintf("the process exited with status %d while the test ran", exit.Code)
}
