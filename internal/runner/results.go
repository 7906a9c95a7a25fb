package runner

import (
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

// Flaky reports whether the test both passed and failed.
func (u *Unit) Flaky() bool { return u.Passed > 0 && u.Failed > 0 }

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
		us = append(us, p.unit(t, name))
	}
	return us
}

// unit collects one test's runs.
func (p *Package) unit(t *tally, name string) *Unit {
	u := &Unit{Package: p, Test: name}
	for _, run := range p.Runs {
		ur := t.unitRun(run, name)
		if ur.Outcome == nil && name != "" && run.For != "" && run.For != trace.TopTest(name) {
			continue
		}
		u.Runs = append(u.Runs, ur)
		switch {
		case ur.Status.Failing():
			u.Failed++
		case ur.Status == Passed:
			u.Passed++
		}
	}
	for _, run := range p.Controls {
		u.Control = append(u.Control, t.unitRun(run, name))
	}
	u.Groups = groups(u.Runs)
	return u
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

// unitRun returns what became of a unit in one run.
func (t *tally) unitRun(run *Run, name string) UnitRun { return run.became(name, t.owner) }

// Became returns what became of a top-level test in the run, its subtests included, or of the package if it is "".
func (r *Run) Became(test string) UnitRun { return r.became(test, trace.TopTest) }

// became decides what became of a test in the run: a failure of its own if there is one. owner says whose a failure is.
// A test that failed only because of a subtest, which has its own outcome, says nothing about itself, nor does a run
// that did not come to the test, or to its end.
func (r *Run) became(test string, owner func(string) string) UnitRun {
	var failure, last *Outcome
	for _, o := range r.Outcomes {
		if failure == nil && o.Status.Failing() && !o.ByChild && owner(o.Test) == test {
			failure = o
		}
		if o.Test == test && !o.ByChild && o.Status != NotRun {
			last = o
		}
	}
	switch {
	case failure != nil:
		return UnitRun{Run: r, Status: failure.Status, Outcome: failure}
	case last != nil:
		return UnitRun{Run: r, Status: last.Status, Outcome: last}
	}
	return UnitRun{Run: r, Status: NotRun}
}
