package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

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
	// after has the packages of a run in which nothing failed and that goes on as this hunt,
	// with their binaries; nil for fdebug hunt itself.
	after []*runner.Package

	head     *shardHeader     // with -shard
	task     *experiment.Task // of -next, nil without
	known    string           // directory of what hunts know
	knew     int              // runs that were known before this hunt
	deadline time.Time        // of the budget
	show     *huntProgress
	preys    []*prey
	untested []*ciout.Suite
	raced    []*raced
	raceRuns []*runner.Package // with the race detector
	an       *analyze.Analyzer
	result   *finding.Result // of what was provoked, nil if nothing was
}

// A prey is a test that is hunted.
type prey struct {
	lab        *lab
	name       string
	usual      time.Duration // in the suite
	status     runner.Status // there
	threads    int           // goroutines with probes that it had there
	draws      int           // blocks that drew by chance there
	exp        *experiment.Experimenter
	res        *experiment.Result
	order      *experiment.Finding // of the kind tests
	left       *finding.Pollution  // what the tests of order leave in package variables, nil if not known
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return j.run(ctx)
}

func (j *huntJob) parse(args []string) error {
	fs := newFlagSet("hunt")
	fs.DurationVar(&j.budget.whole, "budget", huntBudget, "")
	fs.BoolVar(&j.json, "json", false, "")
	fs.BoolVar(&j.anew, "new", false, "")
	fs.BoolVar(&j.every, "every", false, "")
	fs.Var(&j.only, "only", "")
	fs.Var((*kindList)(&j.kinds), "kinds", "")
	j.n, j.hunts, j.shard.hunt = 1, true, true
	err := j.commonFlags(fs, args)
	j.ci.machine = j.json
	if err == nil && j.json && j.shard.part.Of > 0 {
		return usagef("-json and -shard exclude each other")
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
	defer j.cleanUp()
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
	j.show = &huntProgress{console: j.console}
	j.deadline = time.Now().Add(j.budget.whole)
	err = j.hunt(ctx)
	j.show.close()
	j.markDone()
	if err != nil && ctx.Err() == nil {
		return j.ci.finish(j.ciReport(nil), exitTrouble, err)
	}
	return j.conclude(ctx, notes)
}

// prepare instruments the packages and takes what earlier hunts know.
func (j *huntJob) prepare(ctx context.Context) error {
	if err := j.readTask(); err != nil {
		return err
	}
	if err := j.obtain(ctx); err != nil {
		return err
	}
	if j.plan.Shadow == nil {
		return withHint(errors.New("goroutines can't be held with this version of Go, or on this system"), "fdebug run finds what fails by itself")
	}
	if err := j.onlyChanged(ctx); err != nil {
		return err
	}
	if err := j.setStore(); err != nil {
		return err
	}
	if err := j.checkTask(ctx); err != nil {
		return err
	}
	if j.shard.part.Of > 0 {
		return j.prepareShard(ctx)
	}
	if j.task != nil { // what is known is in the task
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

// takeKnown takes hold of what earlier hunts know.
func (j *huntJob) takeKnown() error {
	j.known = filepath.Join(j.store.Dir, "hunt")
	lock, err := store.Exclusive(j.known)
	if errors.Is(err, store.ErrInUse) {
		return withHint(fmt.Errorf("another hunt is under way in %s", j.app.show(j.store.Dir)), "-o DIR gives this one a place of its own")
	} else if err != nil {
		return err
	}
	j.locks = append(j.locks, lock)
	return nil
}

// forget removes what earlier hunts know.
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

// hunt builds all packages, looks at what their tests do, and makes experiments with
// one test after the other.
func (j *huntJob) hunt(ctx context.Context) error {
	if j.task != nil {
		return j.confirm(ctx)
	}
	for i, p := range j.plan.Packages {
		if j.bundle == nil && j.after == nil {
			j.progressf("[%d/%d] building %s", i+1, len(j.plan.Packages), p.ImportPath)
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
		if j.diff != nil && len(j.plan.Packages) == 0 {
			return nil
		}
		if len(j.untested) > 0 {
			return fmt.Errorf("no package could be tested")
		}
		return j.explainRun(fmt.Errorf("%w in %s", runner.ErrNoTests, strings.Join(j.patterns, " ")))
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

// search tries of each test what finds most in few runs before anything is built with the race
// detector, which takes longer than these, then all else.
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
	until := time.Now().Add(min(j.budget.whole/firstBudget, time.Until(j.deadline)))
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
		j.warnf("%s: %v", p.name, p.err)
	}
}

// comparePreys puts tests first that may well have something to find, of these the
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

// probe builds a package and runs its tests once, to see which there are and what
// they do.
func (j *huntJob) probe(ctx context.Context, target runner.Target) error {
	l, err := j.labOf(ctx, target)
	if l == nil || err != nil {
		return err
	}
	if text := j.budget.eaten(l.plain, l.traced); text != "" && j.after == nil {
		j.progressf("%s", text)
	}
	done := filepath.Join(l.dir, doneName)
	if found, err := os.ReadFile(done); err == nil && len(found) == 0 { // everything was tried, for nothing: begin anew, with other seeds
		if err := os.RemoveAll(l.dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(l.dir, "traces"), 0o777); err != nil {
		return err
	}
	log, header, err := experiment.OpenLog(filepath.Join(l.dir, shard.LogFile), experiment.Header{Package: target.ImportPath, Build: l.build + " " + l.flags(), Seed: cmp.Or(j.seed, rand.Uint64())})
	if err != nil {
		return err
	}
	if n := log.Len(); n > 0 {
		j.knew += n
		j.progressf("going on with %d runs of %s that are known already; -new begins anew", n, target.ImportPath)
	} else if err := os.RemoveAll(filepath.Join(l.dir, "traces")); err != nil {
		return err // of another build
	}
	l.seen = l.recall(fmt.Sprintf("%s %+v", l.build, j.sel)) // of the tests chosen now
	tests, err := l.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range tests {
		p.exp = &experiment.Experimenter{
			Test: p.name, Sites: j.plan.Sites, Source: l.source, Parallel: j.parallel, Seed: header.Seed, Every: j.every, Only: j.only, Traces: true, Kinds: j.kinds,
			Grace: j.grace(), Log: log, Run: l.runs(p.name), Report: j.show.event, Share: j.shard.share(),
		}
	}
	j.preys = append(j.preys, tests...)
	return nil
}

// labOf returns a lab with the binaries of a package: new ones, or those of the run that
// goes on. It is nil without test files, and where there is no binary with probes.
func (j *huntJob) labOf(ctx context.Context, target runner.Target) (*lab, error) {
	dir := filepath.Join(j.known, dirName(target.ImportPath))
	if j.after == nil {
		return j.newLab(ctx, target, dir)
	}
	i := slices.IndexFunc(j.after, func(p *runner.Package) bool { return p.ImportPath == target.ImportPath })
	if i < 0 || j.after[i].Plain == nil || j.after[i].Traced == nil || j.after[i].NoTests {
		return nil, nil
	}
	l := &lab{job: j.session, target: target, plain: j.after[i].Plain, traced: j.after[i].Traced, dir: dir}
	return l, l.begin()
}

// grace is how much longer what has been provoked may be looked into.
func (j *huntJob) grace() time.Duration {
	if j.after != nil {
		return j.budget.whole // it has half of the time of experiments
	}
	return max(20*time.Second, j.budget.whole/5)
}

// flags returns what of the flags makes other runs of a test with the same binary.
func (l *lab) flags() string {
	sel := l.selection("", &experiment.Trial{})
	sel.Skip, sel.Shuffle = "", ""
	return fmt.Sprintf("%+v", sel)
}

// doneName is the file that says of what is known of a package that everything was tried. It
// has the names of the tests that something was found for.
const doneName = "done"

// markDone marks the packages of which everything was tried.
func (j *huntJob) markDone() {
	done := make(map[*lab]bool)
	found := make(map[*lab]string)
	for _, p := range j.preys {
		if p.res != nil && len(p.res.Findings) > 0 || p.order != nil {
			found[p.lab] += p.name + "\n"
		}
		was, seen := done[p.lab]
		done[p.lab] = (was || !seen) && p.res != nil && (p.res.Complete || p.res.NotRun)
	}
	for l, is := range done {
		if is {
			os.WriteFile(filepath.Join(l.dir, doneName), []byte(found[l]), 0o666)
		}
	}
}

// source reads a file of the module.
func (l *lab) source(name string) ([]byte, error) {
	if text, ok := l.job.edited[name]; ok {
		return text, nil
	}
	return analyze.ReadSource(filepath.Join(l.job.here(l.job.plan.Sites.Root), filepath.FromSlash(name)))
}

// dirName makes a directory's name of an import path.
func dirName(importPath string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, importPath)
}

// done reports whether nothing is left to be tried of a test, or can be.
func (p *prey) done() bool {
	return p.err != nil || p.res != nil && (p.res.Complete || p.res.NotRun)
}

// leastSlice is how much time a test gets at least when its turn comes.
const leastSlice = 2 * time.Second

// rounds gives each test a share of what is left of the time, until there is nothing
// left of that, or nothing to try.
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
