// Package hunt makes tests fail that pass: it holds goroutines, pins choices and changes the
// system around a program, as the package experiment proposes. A [Hunt] has the order of calls.
package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
)

// A Hunt makes tests fail that pass. Set the fields of the first part, and call Prepare, then
// TakeKnown, and Within. Catches has the provoked failures, and Conclude reports them.
type Hunt struct {
	*session.Session
	Screen *terminal.Screen
	Note   string // of the user, for the reports
	JSON   bool   // whether the result is printed as JSON
	// NothingFound notes that nothing was provoked, and so no directory is left.
	NothingFound func(ctx context.Context, began time.Time)
	// after has the packages of a run that continues as this hunt, with their binaries; nil for fdebug hunt itself.
	after  []*runner.Package
	others bool      // some tests failed in it, and have its reports
	spare  time.Time // until when more than places is tried after such a run; zero for as long as the hunt takes

	// Found out on the way.
	Known    string    // directory with the results of hunts
	knew     int       // runs that were known before this hunt
	Deadline time.Time // for new hypotheses; a provoked failure has the grace after it
	show     *session.HuntProgress
	Tests    []*Test
	Untested []Untested
	raceRuns []*runner.Package        // with the race detector
	Result   *finding.Result          // what was found, once the hunt is over
	pages    map[*finding.Test]string // names of the pages that were written
}

// An Untested is a package in which no test could be hunted, and why.
type Untested struct {
	ImportPath string
	Err        error
}

// A Test is a test that is hunted.
type Test struct {
	session.SuiteTest
	Lab        *session.Lab
	Search     *experiment.Experimenter
	Result     *experiment.Result
	order      *experiment.Finding // of kind tests
	orderTries int
	races      []finding.Race
	compared   int // failures without a verdict whose runs were compared for hints
}

// Prepare instruments the packages.
func (j *Hunt) Prepare(ctx context.Context) error {
	if err := j.Obtain(ctx); err != nil {
		return err
	}
	if err := j.OnlyChanged(ctx); err != nil {
		return err
	}
	return j.SetStore()
}

// Within hunts within the budget, which has begun.
func (j *Hunt) Within(ctx context.Context) error {
	j.show = &session.HuntProgress{Console: j.Console, Until: j.Budget.At(j.Budget.Whole)}
	j.Deadline = j.Budget.At(j.Budget.Whole - grace(j.Budget.Whole))
	j.Result = j.nothing()
	defer j.show.Clear()
	return j.hunt(ctx)
}

// TakeKnown takes over the results of earlier hunts.
func (j *Hunt) TakeKnown() error {
	if err := j.Store.Make(); err != nil {
		return err
	}
	j.Known = filepath.Join(j.Store.Dir, "hunt")
	lock, err := store.Exclusive(j.Known)
	if errors.Is(err, store.ErrInUse) {
		return advice.With(fmt.Errorf("another hunt is under way in %s", j.Show(j.Store.Dir)),
			"-o DIR gives this one a place of its own")
	} else if err != nil {
		return err
	}
	j.Locks = append(j.Locks, lock)
	return nil
}

// Forget removes the results of earlier hunts.
func (j *Hunt) Forget() error {
	entries, err := os.ReadDir(j.Known)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := os.RemoveAll(filepath.Join(j.Known, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// hunt builds all packages, examines their tests, and makes experiments with one test after the
// other.
func (j *Hunt) hunt(ctx context.Context) error {
	for i, p := range j.Plan.Packages {
		if j.after == nil {
			j.Buildingf("[%d/%d] building %s", i+1, len(j.Plan.Packages), p.ImportPath)
		}
		target := runner.Target{ImportPath: p.ImportPath, Dir: p.Dir}
		if err := j.probe(ctx, target); err != nil {
			if ctx.Err() != nil {
				return err
			}
			j.notTested(target, err)
		}
	}
	if len(j.Tests) == 0 {
		if j.Diff != nil && len(j.Plan.Packages) == 0 {
			return nil
		}
		if len(j.Untested) > 0 {
			return fmt.Errorf("no package could be tested")
		}
		return j.ExplainRun(fmt.Errorf("%w in %s", runner.ErrNoTests, strings.Join(j.Patterns, " ")))
	}
	if err := j.shuffle(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(j.Tests, compareTests)
	return j.search(ctx)
}

// search gives the tests two thirds of the time. Only then is anything built with the race detector, or when nothing
// else is left to be tried in a hunt that somebody asked for.
func (j *Hunt) search(ctx context.Context) error {
	from := j.raceFrom()
	if err := j.find(ctx, from); err != nil {
		return err
	}
	if j.after == nil || !time.Now().Before(from) {
		j.races(ctx, j.racing())
	}
	return j.find(ctx, j.Deadline)
}

// find looks for the causes of failures, up to a time.
func (j *Hunt) find(ctx context.Context, until time.Time) error {
	var todo []*Test
	var list []*experiment.Experimenter
	for _, p := range j.Tests {
		if !p.Result.Done() {
			todo, list = append(todo, p), append(list, p.Search)
		}
	}
	share := experiment.Share{Until: until, Spare: j.spare, Extra: grace(j.Budget.Whole),
		Begin: func(e *experiment.Experimenter, _ time.Duration) { j.compareSeen(ctx, todo, e) }}
	results, err := share.Find(ctx, list)
	for i, p := range todo {
		p.Result = cmp.Or(results[i], p.Result)
	}
	if err != nil && ctx.Err() == nil {
		j.Warnf("%v", err)
	}
	return context.Cause(ctx)
}

// compareTests sorts tests in which something is likely to be found first, and among these the
// quick ones.
func compareTests(a, b *Test) int {
	likely := func(p *Test) int {
		switch {
		case p.Threads > 1:
			return 0
		case p.Draws > 0:
			return 1
		}
		return 2
	}
	if d := likely(a) - likely(b); d != 0 {
		return d
	}
	return int(a.Usual.Round(50*time.Millisecond) - b.Usual.Round(50*time.Millisecond))
}

// probe builds a package and runs its tests once, to find their names and their profiles.
func (j *Hunt) probe(ctx context.Context, target runner.Target) error {
	l, err := j.labOf(ctx, target)
	if l == nil || err != nil {
		return err
	}
	done := filepath.Join(l.Dir, doneName)
	if found, err := os.ReadFile(done); err == nil && len(found) == 0 {
		// everything was tried in vain: start over, with other seeds
		if err := os.RemoveAll(l.Dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(l.Dir, "traces"), 0o777); err != nil {
		return err
	}
	tests, err := j.testsIn(ctx, l)
	if err != nil {
		return err
	}
	log, header, err := experiment.OpenLog(filepath.Join(l.Dir, experiment.LogFile),
		experiment.Header{Package: target.ImportPath, Build: l.Build + " " + l.Flags(),
			Seed: cmp.Or(j.Seed, rand.Uint64())})
	if err != nil {
		return err
	}
	if n := log.Len(); n > 0 {
		j.knew += n
		j.Progressf("going on with %d runs of %s that are known already; -new begins anew", n, target.ImportPath)
	} else if err := os.RemoveAll(filepath.Join(l.Dir, "traces")); err != nil {
		return err // another build
	}
	for _, p := range tests {
		p.Search = j.experimenter(l, p.Name, header.Seed)
		p.Search.Log = log
	}
	j.Tests = append(j.Tests, tests...)
	return nil
}

// testsIn returns the tests of a package, after a run of all of them unless there was one. That also shows whether
// positions inside statements are wanted, which the lab then has.
func (j *Hunt) testsIn(ctx context.Context, l *session.Lab) ([]*Test, error) {
	l.Seen = l.Recall(fmt.Sprintf("%s %+v", l.Build, j.Sel)) // for the tests chosen now
	if l.Seen.Tests == nil {
		if err := l.FirstRun(ctx); err != nil {
			return nil, err
		}
		l.Seen.Save()
	}
	var list []*Test
	for _, t := range l.Seen.Tests {
		list = append(list, &Test{SuiteTest: t, Lab: l})
	}
	if err := l.SplitStatements(ctx); err != nil && ctx.Err() == nil {
		j.Warnf("%s: no goroutine is held inside a statement: %v", l.Target.ImportPath, err)
	}
	return list, nil
}

// experimenter returns an experimenter for a test of the hunt, without its history.
func (j *Hunt) experimenter(l *session.Lab, test string, seed uint64) *experiment.Experimenter {
	e := l.Experimenter(test, seed, j.show)
	e.Traces, e.Grace = true, grace(j.Budget.Whole)
	return e
}

// labOf returns a lab with the binaries of a package: new ones, or those of the run that
// continues. It returns nil if there are no test files, or no binary with probes.
func (j *Hunt) labOf(ctx context.Context, target runner.Target) (*session.Lab, error) {
	dir := filepath.Join(j.Known, text.DirName(target.ImportPath))
	if j.after == nil {
		return j.NewLab(ctx, target, dir)
	}
	i := slices.IndexFunc(j.after, func(p *runner.Package) bool { return p.ImportPath == target.ImportPath })
	if i < 0 || j.after[i].Traced == nil || j.after[i].NoTests {
		return nil, nil
	}
	return j.LabOf(j.after[i], dir)
}

// grace is the part of a time that is kept for provoked failures: a fifth, but of little time up to a half.
func grace(of time.Duration) time.Duration { return max(of/5, min(of/2, 15*time.Second)) }

// doneName is the file that says that everything was tried for a package. It has the names of the
// tests for which something was found.
const doneName = "done"

// markDone marks the packages for which everything was tried.
func (j *Hunt) markDone() {
	open := make(map[*session.Lab]bool)
	found := make(map[*session.Lab]string)
	for _, p := range j.Tests {
		if p.Result != nil && len(p.Result.Findings) > 0 || p.order != nil {
			found[p.Lab] += p.Name + "\n"
		}
		open[p.Lab] = open[p.Lab] || !p.Result.Done()
	}
	for l, is := range open {
		if !is {
			os.WriteFile(filepath.Join(l.Dir, doneName), []byte(found[l]), 0o666)
		}
	}
}

// notTested notes a package in which no test could be hunted.
func (j *Hunt) notTested(target runner.Target, err error) {
	fmt.Fprintf(j.Stderr, "%v\n", err)
	j.Untested = append(j.Untested, Untested{target.ImportPath, err})
}
