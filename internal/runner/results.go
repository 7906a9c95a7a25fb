package runner

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// Results has the results of all runs of all packages.
type Results struct {
	Started  time.Time
	Elapsed  time.Duration
	N        int // requested runs of each package
	Controls int // requested control runs
	Parallel int // parallel processes of one package
	// Interrupted is set if the context was cancelled, OverBudget if the time ran out. In both
	// cases the completed runs are all there.
	Interrupted bool
	OverBudget  bool
	Packages    []*Package
	Warnings    []string
}

// Rounds returns how many runs every package had that could be run. Runs with higher numbers were
// made of some packages only, because one of their runs had failed or there was time.
func (r *Results) Rounds() int {
	rounds := r.N
	for _, p := range r.Packages {
		if p.Err != nil || p.NoTests || p.NoTestFiles || p.NeverRun() {
			continue
		}
		last := 0
		for _, run := range p.Runs {
			last = max(last, run.N)
		}
		rounds = min(rounds, last)
	}
	return rounds
}

// NeverRun reports whether there was no time for a package.
func (p *Package) NeverRun() bool {
	return p.Err == nil && !p.NoTests && !p.NoTestFiles && len(p.Runs)+len(p.Controls) == 0
}

// A Package has the results of one test package.
type Package struct {
	Target
	// NoTestFiles is set if there is nothing to build, NoTests if no test matched the selection.
	NoTestFiles bool
	NoTests     bool
	Err         error   // why it was not run, usually a *BuildError
	TracedErr   error   // why only the plain binary ran: the instrumented one did not build
	Plain       *Binary // nil if it does not build, or was loaded from a file
	Traced      *Binary // the same
	Runs        []*Run  // the E runs, traced if there is an instrumented binary
	Controls    []*Run  // runs of the plain binary in between
	// Unfinished is the run that was under way when time was up, though it took no unusual time;
	// the longest of them if there were several. It does not count.
	Unfinished *Run
	Warnings   []string
}

// A Unit is the smallest test that a failure can be assigned to: a subtest rather than the test
// that contains it.
type Unit struct {
	Package *Package
	Test    string    // "" for the package itself
	Runs    []UnitRun // one for each of Package.Runs that was not made for another test
	Control []UnitRun // one for each of Package.Controls
	Groups  []*Group  // its failures, the most frequent first
	// Counts over Runs.
	Passed, Failed int
}

// A UnitRun is the result of a unit in one run.
type UnitRun struct {
	Run     *Run
	Status  Status
	Outcome *Outcome // the one that decided the status; nil if it did not run
}

// Units returns the tests that failed in any run, flaky or not, in the order of packages and of
// first appearance.
func (r *Results) Units() []*Unit {
	var us []*Unit
	for _, p := range r.Packages {
		us = append(us, p.Units()...)
	}
	return us
}

// Units returns the tests of the package that failed in any run.
//
// A failure belongs to the innermost test that failed. If that test never passed although a test
// that contains it did (it exists only in failing runs, or has a random name), the failure
// belongs to the latter.
func (p *Package) Units() []*Unit {
	t := newTally(slices.Concat(p.Runs, p.Controls))
	owners := make(map[string]bool)
	var order []string
	for _, run := range t.runs {
		for _, o := range run.Outcomes {
			if o.Status.Failing() && !o.ByChild {
				owner := t.owner(o.Test)
				if !owners[owner] {
					owners[owner] = true
					order = append(order, owner)
				}
			}
		}
	}
	var us []*Unit
	for _, name := range order {
		us = append(us, &Unit{Package: p, Test: name})
	}
	for _, run := range p.Runs {
		of := run.became(t.owner)
		for _, u := range us {
			u.add(of(u.Test))
		}
	}
	for _, run := range p.Controls {
		of := run.became(t.owner)
		for _, u := range us {
			u.Control = append(u.Control, of(u.Test))
		}
	}
	for _, u := range us {
		u.Groups = groups(u.Runs)
	}
	return us
}

// add adds a run of the test.
func (u *Unit) add(r UnitRun) {
	if r.Outcome == nil && u.Test != "" && r.Run.For != "" && r.Run.For != trace.TopTest(u.Test) {
		return
	}
	u.Runs = append(u.Runs, r)
	switch {
	case r.Status.Failing():
		u.Failed++
	case r.Status == Passed:
		u.Passed++
	}
}

// tables returns the runs in which each test passed or failed, with and without the recorder.
func (p *Package) tables() map[string]*stats.Table {
	tables := make(map[string]*stats.Table)
	for _, run := range slices.Concat(p.Runs, p.Controls) {
		for _, o := range run.Outcomes {
			if o.ByChild || !o.Status.Failing() && o.Status != Passed {
				continue
			}
			if tables[o.Test] == nil {
				tables[o.Test] = new(stats.Table)
			}
			tables[o.Test].Add(o.Status.Failing(), !run.Control)
		}
	}
	return tables
}

// open reports whether every recorded run of a test failed and no other did, and there are too few of these to say
// that it fails only with the recorder.
func (p *Package) open() bool {
	for _, t := range p.tables() {
		if t.Perfect() && !t.Decides() {
			return true
		}
	}
	return false
}

// OnlyRecorded returns the tests that fail only with the recorder.
func (p *Package) OnlyRecorded() map[string]bool {
	only := make(map[string]bool)
	for name, t := range p.tables() {
		if t.Decides() {
			only[name] = true
		}
	}
	return only
}

// A tally knows how often each test passed, over all runs of a package.
type tally struct {
	runs   []*Run
	passed map[string]int
}

// newTally counts the runs of a package, in any order.
func newTally(runs []*Run) *tally {
	t := &tally{runs: runs, passed: make(map[string]int)}
	for _, run := range runs {
		for _, o := range run.Outcomes {
			if o.Status == Passed {
				t.passed[o.Test]++
			}
		}
	}
	return t
}

// owner returns the test that a failure of the named one belongs to.
func (t *tally) owner(test string) string {
	for name := test; name != ""; name = parentOf(name) {
		if t.passed[name] > 0 {
			return name
		}
	}
	return test
}

// Became returns the outcome of a top-level test in the run, its subtests included, or of the package if it is "".
func (r *Run) Became(test string) UnitRun { return r.became(trace.TopTest)(test) }

// became returns a function that chooses the outcome of a test in the run: a failure of its own if there is one. owner
// says whose a failure is. A test that failed only because of a subtest, which has its own outcome, says nothing about
// itself, nor does a run that did not come to the test, or to its end.
func (r *Run) became(owner func(string) string) func(test string) UnitRun {
	failure, last := make(map[string]*Outcome), make(map[string]*Outcome)
	for _, o := range r.Outcomes {
		if o.Status.Failing() && !o.ByChild {
			if test := owner(o.Test); failure[test] == nil {
				failure[test] = o
			}
		}
		if !o.ByChild && o.Status != NotRun {
			last[o.Test] = o
		}
	}
	return func(test string) UnitRun {
		if o := cmp.Or(failure[test], last[test]); o != nil {
			return UnitRun{Run: r, Status: o.Status, Outcome: o}
		}
		return UnitRun{Run: r, Status: NotRun}
	}
}
