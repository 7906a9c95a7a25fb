package runner

import (
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/trace"
)

// A process may drop its output, or print that of other tests. Where the output does not tell the outcome of a test,
// the recorder and the exit status do.

// Tell completes a run from its trace. Remember must have been called.
func (x *Exec) Tell(run *Run, t *trace.Trace) {
	run.tell(t)
	run.GiveDeath(t)
	x.explainer.explainAll(run)
}

// untold reports whether the output may not tell everything: it has no end, or has failures, which may be of others.
func (r *Run) untold() bool { return r.Cut || r.Failed() }

// tell takes the outcomes from a trace that the output does not tell, and leaves out those of other tests.
func (r *Run) tell(t *trace.Trace) {
	if !r.untold() {
		return
	}
	w := &witness{t, r.Exit}
	var list []*Outcome
	pkg := &Outcome{Status: Passed}
	for _, o := range r.Outcomes {
		if o.Test == "" {
			pkg = o
		} else if o = w.correct(o); o != nil {
			list = append(list, o)
		}
	}
	if r.Cut {
		list = append(list, w.missing(list, pkg.Dump)...)
	}
	r.Outcomes = append(list, r.packageBeside(pkg, list))
}

// packageBeside returns the outcome of the package beside those of its tests: a failure that one of them accounts for
// is not the package's, and one that none accounts for is. Where the process died in a test, TestMain did not end.
func (r *Run) packageBeside(pkg *Outcome, list []*Outcome) *Outcome {
	isFailing := func(o *Outcome) bool { return o.Test != "" && o.Status.Failing() }
	switch was, is := slices.ContainsFunc(r.Outcomes, isFailing), slices.ContainsFunc(list, isFailing); {
	case is && !was:
		pkg = &Outcome{}
	case was && !is && !r.Exit.ok() && !pkg.Status.Failing():
		return &Outcome{Status: Crashed}
	}
	if !pkg.Status.Failing() {
		pkg.Status = Passed
		if slices.ContainsFunc(list, func(o *Outcome) bool { return o.Status == Crashed || o.Status == Timeout }) {
			pkg.Status = NotRun
		}
	}
	return pkg
}

// A witness is the recorder of a process that ended as exit says.
type witness struct {
	*trace.Trace
	exit Exit
}

// correct returns the outcome of a test that the output tells of, as the recorder saw it; nil if the process had no such
// test, or a test of it ran that one.
func (w *witness) correct(o *Outcome) *Outcome {
	i := slices.IndexFunc(w.Tests, func(t trace.TestRun) bool { return t.Name == o.Test && t.Nth == o.Nth })
	if i < 0 {
		if o.Status.Failing() && w.exit.ok() && ginkgo.SuiteOf(o.Test) == "" {
			return nil
		}
		return o
	}
	t := &w.Tests[i]
	switch {
	case o.Status.Failing() && w.inTest(t):
		return nil
	case o.Status == Failed && w.exit.ok() && w.check(t, trace.CheckFail, trace.CheckFailNow) == nil:
		return w.outcome(t) // a line that the process made nothing of
	case o.Dump != "":
		if failed := w.check(t, trace.CheckFail, trace.CheckFailNow); failed != nil {
			o.At, o.Signature = w.Stacks[failed.stack], Signature{} // to be explained by that
		}
	case (o.Status == Crashed || o.Status == NotRun) && t.End != 0:
		return w.outcome(t) // it ended, but the output did before
	}
	return o
}

// missing returns the outcomes of the tests that the output does not name. dump is the last that the process said.
func (w *witness) missing(known []*Outcome, dump string) (list []*Outcome) {
	for i := range w.Tests {
		t := &w.Tests[i]
		is := func(o *Outcome) bool { return o.Test == t.Name && o.Nth == t.Nth }
		if !slices.ContainsFunc(known, is) && !w.inTest(t) {
			list = append(list, w.outcome(t))
		}
	}
	cut := slices.DeleteFunc(slices.Clone(list), func(o *Outcome) bool { return o.ByChild || o.Status != Crashed })
	for _, o := range cut {
		o.Dump, o.Shared = dump, len(cut) > 1
	}
	return list
}

// outcome returns the outcome of a test by the recorder and the exit status. A check that fails in a process that ends
// with 0 is one of a [testing.T] that is not the test's own, and the end of a test may come too late to be recorded.
func (w *witness) outcome(t *trace.TestRun) *Outcome {
	o := &Outcome{Test: t.Name, Nth: t.Nth, Status: Passed,
		Elapsed: time.Duration(max(0, t.End-t.Start)).Truncate(10 * time.Millisecond)}
	failed := w.check(t, trace.CheckFail, trace.CheckFailNow)
	switch {
	case t.End == 0 && !w.exit.ok():
		o.Status, o.ByChild = Crashed, w.waits(t)
		if w.exit.TimedOut {
			o.Status = Timeout
		}
	case failed != nil && !w.exit.ok():
		o.Status, o.At, o.ByChild = Failed, w.Stacks[failed.stack], failed.by != t.Name
	case w.check(t, trace.CheckSkip) != nil:
		o.Status = Skipped
	}
	return o
}

// waits reports whether a test that did not end has a subtest that did not either.
func (w *witness) waits(t *trace.TestRun) bool {
	return slices.ContainsFunc(w.Tests, func(s trace.TestRun) bool {
		return s.End == 0 && strings.HasPrefix(s.Name, t.Name+"/")
	})
}

// inTest reports whether a test ran in another one that it is no part of: with testing.RunTests.
func (w *witness) inTest(t *trace.TestRun) bool {
	for _, g := range w.Goroutines {
		if g.Root && g.Test == t.Name && g.Nth == t.Nth {
			i := slices.IndexFunc(w.Goroutines, func(p *trace.Goroutine) bool { return p.ID == g.Parent })
			return i >= 0 && w.Goroutines[i].Test != "" && !strings.HasPrefix(t.Name, w.Goroutines[i].Test+"/")
		}
	}
	return false
}

// A seenCheck is one that the recorder saw.
type seenCheck struct {
	by    string // the test whose goroutine made it
	stack uint32 // hash
}

// check returns the first check of the given kinds that goroutines of a test made, one of the test itself before those
// of its subtests; nil if none did.
func (w *witness) check(t *trace.TestRun, kinds ...trace.CheckKind) (first *seenCheck) {
	var buf []trace.Event
	for _, g := range w.GoroutinesOf(t.Name) {
		if g.Nth != t.Nth || first != nil && g.Test != t.Name {
			continue
		}
		for i := range g.Chunks {
			events, err := g.Load(i, buf)
			if err != nil {
				continue // not kept
			}
			buf = events
			for _, e := range events {
				if kind, stack, ok := e.Check(); ok && slices.Contains(kinds, kind) {
					first = &seenCheck{g.Test, stack}
					if g.Test == t.Name {
						return first
					}
				}
			}
		}
	}
	return first
}

// checkControls leaves out the runs of a package without a trace if one of them does not tell what became of its tests:
// it has no end, or has ended with 0, and names a failure without a dump that no recorded run has. It reports whether it
// has left out any.
func (p *Package) checkControls() bool {
	failed := make(map[string]bool)
	for _, r := range p.Runs {
		for _, o := range r.Outcomes {
			failed[o.Test] = failed[o.Test] || o.Status.Failing()
		}
	}
	if !slices.ContainsFunc(p.Controls, func(r *Run) bool {
		return (r.Cut || r.Exit.ok()) && slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool {
			return o.Status.Failing() && o.Dump == "" && !failed[o.Test]
		})
	}) {
		return false
	}
	p.Controls = nil
	return true
}
