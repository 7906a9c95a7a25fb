package main

import (
	"context"
	"math/rand"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	shuffles     = 5  // orders of the tests of a package that are tried
	shuffleShare = 10 // of the budget: one part in so many is for that
)

// shuffle runs the tests of each package in other orders, and with few files, and looks into
// those that fail. Orders run with the binary without probes, as quick as they are.
func (j *huntJob) shuffle(ctx context.Context) error {
	orders, files := j.sel.Shuffle != "off" && j.kinds.has("tests"), j.kinds.has("limits")
	if !orders && !files {
		return nil
	}
	byLab := make(map[*lab][]*prey)
	var labs []*lab
	for _, p := range j.preys {
		if byLab[p.lab] == nil {
			labs = append(labs, p.lab)
		}
		byLab[p.lab] = append(byLab[p.lab], p)
	}
	until := time.Now().Add(j.budget.whole / shuffleShare)
	for _, l := range labs {
		var trials []experiment.Trial
		if orders && len(byLab[l]) > 1 {
			for _, seed := range seedsOf(l.testNames(ctx, "^Test"), shuffles) {
				trials = append(trials, experiment.Trial{Shuffle: seed})
			}
		}
		if files && len(byLab[l]) > 1 {
			trials = append(trials, experiment.FewFiles())
		}
		if err := j.suites(ctx, l, byLab[l], trials, until); err != nil {
			return err
		}
	}
	return nil
}

// suites runs all tests of a package under each of some trials, up to a time, and looks into
// those that fail.
func (j *huntJob) suites(ctx context.Context, l *lab, all []*prey, trials []experiment.Trial, until time.Time) error {
	trials = slices.DeleteFunc(trials, func(t experiment.Trial) bool { return slices.Contains(l.seen.Passed, suiteOf(t)) })
	for i, t := range trials {
		left := min(time.Until(until), time.Until(j.deadline))
		if left < l.seen.Took {
			j.app.progressf("%s: %s of all tests, in other orders and with few files, not made: one takes %v, and of the budget one part in %d is for that",
				l.target.ImportPath, plural(len(trials)-i, "run"), l.seen.Took.Round(time.Millisecond), shuffleShare)
			return nil
		}
		failed, whole, err := l.suite(ctx, t, left)
		if err != nil {
			return err
		}
		if whole && len(failed) == 0 {
			l.seen.passed(t)
		}
		if err := j.ordered(ctx, all, failed, t); err != nil {
			return err
		}
	}
	return nil
}

// testNames returns the tests of the package that a regular expression matches, in the order
// of the source.
func (l *lab) testNames(ctx context.Context, pattern string) []string {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.plain.Path, "-test.list="+pattern)
	cmd.Dir, cmd.Env = l.job.here(l.target.Dir), l.exec.Env
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !isTest.MatchString(name) }) // TestMain may print too
}

// listLimit is how long a test binary may take to list its tests, with what TestMain does.
const listLimit = 10 * time.Second

var isTest = regexp.MustCompile(`^(Test|Example|Fuzz)[^\s/]*$`)

// seedsOf returns seeds of -shuffle such that of as many tests as possible each comes
// before each other one in some order, that of the source counted.
func seedsOf(tests []string, n int) []int64 {
	type pair struct{ first, second int }
	covered := make(map[pair]bool)
	cover := func(order []int) (fresh int, add func()) {
		var list []pair
		for i, a := range order {
			for _, b := range order[i+1:] {
				if p := (pair{a, b}); !covered[p] {
					list = append(list, p)
				}
			}
		}
		return len(list), func() {
			for _, p := range list {
				covered[p] = true
			}
		}
	}
	m := min(len(tests), maxPaired)
	_, add := cover(shuffledOrder(m, len(tests), 0))
	add()
	var seeds []int64
	for len(seeds) < n {
		best, most := int64(0), 0
		var take func()
		for seed := int64(1); seed <= seedsTried; seed++ {
			if fresh, add := cover(shuffledOrder(m, len(tests), seed)); fresh > most {
				best, most, take = seed, fresh, add
			}
		}
		if most == 0 {
			break
		}
		take()
		seeds = append(seeds, best)
	}
	return seeds
}

const (
	maxPaired  = 200 // tests that orders are chosen for
	seedsTried = 50
)

// shuffledOrder returns the order in which package testing runs the first m of all
// tests with a seed, 0 for that of the source.
func shuffledOrder(m, all int, seed int64) []int {
	order := make([]int, all)
	for i := range order {
		order[i] = i
	}
	if seed != 0 {
		rand.New(rand.NewSource(seed)).Shuffle(all, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return slices.DeleteFunc(order, func(i int) bool { return i >= m })
}

// suite runs all tests under a trial, and returns the top-level tests that failed. What takes
// longer than the limit is given up: then it is not whole, and those under way did not fail.
func (l *lab) suite(ctx context.Context, t experiment.Trial, limit time.Duration) (failed map[string]bool, whole bool, err error) {
	x := l.exec
	x.Binary, x.Select = l.plain, l.selection("", &experiment.Trial{Suite: true, Shuffle: t.Shuffle})
	x.Limit, x.Grace = limit, time.Second
	if len(t.Plan.Acts) > 0 {
		x.Binary, x.Trace = l.traced, l.rawName()
		defer removeRaw(x.Trace)
		if err := perturbed(&x, t.Plan); err != nil {
			return nil, false, err
		}
	}
	run, err := x.Run(ctx)
	if err != nil {
		return nil, false, err
	}
	failed = make(map[string]bool)
	for _, o := range run.Outcomes {
		if o.Test != "" && (o.Status == runner.Failed || o.Status == runner.Crashed && !o.Shared) {
			failed[trace.TopTest(o.Test)] = true
		}
	}
	return failed, !run.Exit.TimedOut, nil
}

// ordered looks into tests that failed in a run of all of them under a trial.
func (j *huntJob) ordered(ctx context.Context, all []*prey, failed map[string]bool, t experiment.Trial) error {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	leaks := 0
	for _, p := range all {
		if !failed[p.name] || p.order != nil || p.orderTries == maxOrderTries {
			continue
		}
		p.exp.Until = j.deadline
		var err error
		if len(t.Plan.Acts) > 0 {
			if leaks++; leaks > maxLeaks {
				continue
			}
			p.order, err = p.exp.FindLeak(ctx, names)
		} else {
			p.orderTries++
			p.order, err = p.exp.FindOrder(ctx, names, t.Shuffle)
		}
		if err != nil {
			return err
		}
		if p.order != nil { // now, since the rest of the hunt may take all the time there is
			p.left = j.pollution(ctx, p)
		}
	}
	return nil
}

const (
	maxOrderTries = 2 // orders in which a test is looked into that fails
	maxLeaks      = 3 // tests of a package that are, of those that have too few files: all after a leak do
)
