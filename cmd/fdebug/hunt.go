package main

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
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/shard"
	"github.com/fdebug/fdebug/internal/store"
)

// A huntJob is `fdebug hunt` from its flags to its reports.
type huntJob struct {
	*runJob
	json  bool
	anew  bool     // -new: forget what earlier hunts found out
	every bool     // -every: equivalent positions too
	only  listFlag // -only: steps of the search
	// after has the packages of a run without failures that continues as this hunt, with their
	// binaries; nil for fdebug hunt itself.
	after []*runner.Package

	head     *shardHeader     // with -shard
	task     *experiment.Task // of -next; nil without
	known    string           // directory with the results of hunts
	knew     int              // runs that were known before this hunt
	deadline time.Time        // of the budget
	show     *session.HuntProgress
	preys    []*prey
	untested []*ciout.Suite
	raced    []*raced
	raceRuns []*runner.Package // with the race detector
	an       *analyze.Analyzer
	result   *finding.Result // of what was provoked; nil if nothing was
}

// A prey is a test that is hunted.
type prey struct {
	lab        *session.Lab
	name       string
	usual      time.Duration // in the suite
	status     runner.Status // there
	threads    int           // how many goroutines with probes it had there
	draws      int           // how many blocks drew by chance there
	exp        *experiment.Experimenter
	res        *experiment.Result
	order      *experiment.Finding // of kind tests
	left       *finding.Pollution  // what the tests of order leave in package variables; nil if unknown
	orderTries int
	err        error
}

// huntBudget is how long a hunt may take by default.
const huntBudget = 5 * time.Minute

func (a *app) huntCmd(args []string) (int, error) {
	j := &huntJob{runJob: a.newRunJob(32 << 20)}
	if err := j.parse(args); err != nil {
		return exitUsage, err
	}
	ctx, stop := interruptible()
	defer stop()
	return j.run(ctx)
}

func (j *huntJob) parse(args []string) error {
	fs := newFlagSet("hunt")
	fs.DurationVar(&j.Budget.Whole, "budget", huntBudget, "")
	fs.BoolVar(&j.json, "json", false, "")
	fs.BoolVar(&j.anew, "new", false, "")
	fs.BoolVar(&j.every, "every", false, "")
	fs.Var(&j.only, "only", "")
	fs.Var((*kindList)(&j.Kinds), "kinds", "")
	j.N, j.Hunts, j.shard.hunt = 1, true, true
	err := j.commonFlags(fs, args)
	j.ci.machine = j.json
	if err == nil && j.json && j.shard.part.Of > 0 {
		return advice.Usagef("-json and -shard exclude each other")
	}
	return err
}

func (j *huntJob) run(ctx context.Context) (int, error) {
	notes, err := readNote(j.note)
	if err != nil {
		return exitUsage, err
	}
	if err := j.ci.begin(); err != nil {
		return exitUsage, err
	}
	defer j.CleanUp()
	if err := j.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted, errors.New("interrupted before the first run")
		}
		return exitTrouble, err
	}
	switch {
	case j.task != nil && j.shard.part.Of > 0:
		return j.confirmShard(ctx)
	case j.shard.part.Of > 0:
		return j.huntShard(ctx)
	}
	j.show = &session.HuntProgress{Console: j.Console}
	j.deadline = time.Now().Add(j.Budget.Whole)
	err = j.hunt(ctx)
	j.show.Clear()
	j.markDone()
	if err != nil && ctx.Err() == nil {
		return j.ci.finish(j.ciReport(nil), exitTrouble, err)
	}
	return j.conclude(ctx, notes)
}

// prepare instruments the packages and loads the results of earlier hunts.
func (j *huntJob) prepare(ctx context.Context) error {
	if err := j.readTask(); err != nil {
		return err
	}
	if err := j.Obtain(ctx); err != nil {
		return err
	}
	if j.Plan.Shadow == nil {
		return advice.With(errors.New("goroutines can't be held with this version of Go, or on this system"), "fdebug run finds what fails by itself")
	}
	if err := j.OnlyChanged(ctx); err != nil {
		return err
	}
	if err := j.SetStore(); err != nil {
		return err
	}
	if err := j.checkTask(ctx); err != nil {
		return err
	}
	if j.shard.part.Of > 0 {
		return j.prepareShard(ctx)
	}
	if j.task != nil { // the task has what is known
		return j.makeKnown()
	}
	if err := j.takeKnown(); err != nil {
		return err
	}
	if j.anew {
		return j.forget()
	}
	return nil
}

// takeKnown takes over the results of earlier hunts.
func (j *huntJob) takeKnown() error {
	j.known = filepath.Join(j.Store.Dir, "hunt")
	lock, err := store.Exclusive(j.known)
	if errors.Is(err, store.ErrInUse) {
		return advice.With(fmt.Errorf("another hunt is under way in %s", j.app.Show(j.Store.Dir)), "-o DIR gives this one a place of its own")
	} else if err != nil {
		return err
	}
	j.Locks = append(j.Locks, lock)
	return nil
}

// forget removes the results of earlier hunts.
func (j *huntJob) forget() error {
	entries, err := os.ReadDir(j.known)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := os.RemoveAll(filepath.Join(j.known, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// hunt builds all packages, examines their tests, and makes experiments with one test after the
// other.
func (j *huntJob) hunt(ctx context.Context) error {
	if j.task != nil {
		return j.confirm(ctx)
	}
	for i, p := range j.Plan.Packages {
		if j.Bundle == nil && j.after == nil {
			j.Progressf("[%d/%d] building %s", i+1, len(j.Plan.Packages), p.ImportPath)
		}
		target := runner.Target{ImportPath: p.ImportPath, Dir: p.Dir}
		if err := j.probe(ctx, target); err != nil {
			if ctx.Err() != nil {
				return err
			}
			j.notTested(target, err)
		}
	}
	if len(j.preys) == 0 {
		if j.Diff != nil && len(j.Plan.Packages) == 0 {
			return nil
		}
		if len(j.untested) > 0 {
			return fmt.Errorf("no package could be tested")
		}
		return j.ExplainRun(fmt.Errorf("%w in %s", runner.ErrNoTests, strings.Join(j.Patterns, " ")))
	}
	if j.shard.part.Of > 0 {
		slices.SortStableFunc(j.preys, comparePreys)
		return j.rounds(ctx)
	}
	if err := j.shuffle(ctx); err != nil {
		return err
	}
	slices.SortStableFunc(j.preys, comparePreys)
	return j.search(ctx)
}

// search first tries what finds most in few runs, for each test. Only then is anything built with
// the race detector, which takes longer. Then it tries everything else.
func (j *huntJob) search(ctx context.Context) error {
	racing := j.racing()
	if len(racing) > 0 {
		if err := j.firstRound(ctx); err != nil {
			return err
		}
		racing = j.races(ctx, racing, j.racePart(racing, time.Now()))
	}
	if err := j.rounds(ctx); err != nil {
		return err
	}
	j.lateRaces(ctx, racing)
	return nil
}

// firstRound gives each test a share of a part of the budget for its first searches.
func (j *huntJob) firstRound(ctx context.Context) error {
	until := time.Now().Add(min(j.Budget.Whole/firstBudget, time.Until(j.deadline)))
	for i, p := range j.preys {
		left := time.Until(until)
		if ctx.Err() != nil || left <= 0 {
			return context.Cause(ctx)
		}
		p.exp.First = true
		j.find(ctx, p, min(left, max(leastSlice, left/time.Duration(len(j.preys)-i))))
		p.exp.First = false
	}
	return nil
}

// find looks for what makes a test fail, for some time.
func (j *huntJob) find(ctx context.Context, p *prey, slice time.Duration) {
	p.exp.Until = time.Now().Add(slice)
	if p.res, p.err = p.exp.Find(ctx); p.err != nil && ctx.Err() == nil {
		j.Warnf("%s: %v", p.name, p.err)
	}
}

// comparePreys sorts tests in which something is likely to be found first, and among these the
// quick ones.
func comparePreys(a, b *prey) int {
	likely := func(p *prey) int {
		switch {
		case p.threads > 1:
			return 0
		case p.draws > 0:
			return 1
		}
		return 2
	}
	if d := likely(a) - likely(b); d != 0 {
		return d
	}
	return int(a.usual.Round(50*time.Millisecond) - b.usual.Round(50*time.Millisecond))
}

// probe builds a package and runs its tests once, to see which there are and what they do.
func (j *huntJob) probe(ctx context.Context, target runner.Target) error {
	l, err := j.labOf(ctx, target)
	if l == nil || err != nil {
		return err
	}
	if text := j.Budget.Eaten(l.Plain, l.Traced); text != "" && j.after == nil {
		j.Progressf("%s", text)
	}
	done := filepath.Join(l.Dir, doneName)
	if found, err := os.ReadFile(done); err == nil && len(found) == 0 { // everything was tried in vain: start over, with other seeds
		if err := os.RemoveAll(l.Dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(l.Dir, "traces"), 0o777); err != nil {
		return err
	}
	log, header, err := experiment.OpenLog(filepath.Join(l.Dir, shard.LogFile), experiment.Header{Package: target.ImportPath, Build: l.Build + " " + l.Flags(), Seed: cmp.Or(j.Seed, rand.Uint64())})
	if err != nil {
		return err
	}
	if n := log.Len(); n > 0 {
		j.knew += n
		j.Progressf("going on with %d runs of %s that are known already; -new begins anew", n, target.ImportPath)
	} else if err := os.RemoveAll(filepath.Join(l.Dir, "traces")); err != nil {
		return err // another build
	}
	l.Seen = l.Recall(fmt.Sprintf("%s %+v", l.Build, j.Sel)) // for the tests chosen now
	tests, err := preysIn(ctx, l)
	if err != nil {
		return err
	}
	for _, p := range tests {
		p.exp = &experiment.Experimenter{
			Test: p.name, Sites: j.Plan.Sites, Source: l.Source, Parallel: j.Parallel, Seed: header.Seed, Every: j.every, Only: j.only, Traces: true, Kinds: j.Kinds, Facts: j.Facts,
			Grace: j.grace(), Log: log, Run: l.Runs(p.name), Report: j.show.Event, Share: j.shard.share(),
		}
	}
	j.preys = append(j.preys, tests...)
	return nil
}

// labOf returns a lab with the binaries of a package: new ones, or those of the run that
// continues. It returns nil if there are no test files, or no binary with probes.
func (j *huntJob) labOf(ctx context.Context, target runner.Target) (*session.Lab, error) {
	dir := filepath.Join(j.known, text.DirName(target.ImportPath))
	if j.after == nil {
		return j.NewLab(ctx, target, dir)
	}
	i := slices.IndexFunc(j.after, func(p *runner.Package) bool { return p.ImportPath == target.ImportPath })
	if i < 0 || j.after[i].Traced == nil || j.after[i].NoTests {
		return nil, nil
	}
	l := &session.Lab{Job: j.Session, Target: target, Plain: j.after[i].Plain, Traced: j.after[i].Traced, Dir: dir}
	return l, l.Begin()
}

// grace is how much longer provoked failures may be examined.
func (j *huntJob) grace() time.Duration {
	if j.after != nil {
		return j.Budget.Whole // it has half of the time of experiments
	}
	return max(20*time.Second, j.Budget.Whole/5)
}

// doneName is the file that says that everything was tried for a package. It has the names of the
// tests for which something was found.
const doneName = "done"

// markDone marks the packages for which everything was tried.
func (j *huntJob) markDone() {
	done := make(map[*session.Lab]bool)
	found := make(map[*session.Lab]string)
	for _, p := range j.preys {
		if p.res != nil && len(p.res.Findings) > 0 || p.order != nil {
			found[p.lab] += p.name + "\n"
		}
		was, seen := done[p.lab]
		done[p.lab] = (was || !seen) && p.res != nil && (p.res.Complete || p.res.NotRun)
	}
	for l, is := range done {
		if is {
			os.WriteFile(filepath.Join(l.Dir, doneName), []byte(found[l]), 0o666)
		}
	}
}

// done reports whether nothing is left to be tried for a test, or can be.
func (p *prey) done() bool {
	return p.err != nil || p.res != nil && (p.res.Complete || p.res.NotRun)
}

// leastSlice is how much time a test gets at least in its turn.
const leastSlice = 2 * time.Second

// rounds gives each test a share of the remaining time, until there is none left, or nothing to
// try.
func (j *huntJob) rounds(ctx context.Context) error {
	todo := slices.DeleteFunc(slices.Clone(j.preys), (*prey).done)
	for len(todo) > 0 {
		var later []*prey
		for i, p := range todo {
			left := time.Until(j.deadline)
			if ctx.Err() != nil || left <= 0 {
				return context.Cause(ctx)
			}
			if j.find(ctx, p, min(left, max(leastSlice, left/time.Duration(len(todo)-i)))); !p.done() {
				later = append(later, p)
			}
		}
		todo = later
	}
	return nil
}
