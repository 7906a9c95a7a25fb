package main

import (
	"context"
	"math/rand"
	"os/exec"
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

// shuffle runs the tests of each package in other orders, and looks into those that
// fail. They run with the binary without probes, as quick as they are.
func (j *huntJob) shuffle(ctx context.Context) error {
	if s := j.sel.Shuffle; s == "off" || !j.kinds.has("tests") {
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
		if len(byLab[l]) < 2 {
			continue
		}
		for _, seed := range seedsOf(l.testNames(ctx), shuffles) {
			if !time.Now().Before(until) {
				break
			}
			failed, err := l.shuffled(ctx, seed, time.Until(j.deadline))
			if err != nil {
				return err
			}
			if err := j.ordered(ctx, byLab[l], failed, seed); err != nil {
				return err
			}
		}
	}
	return nil
}

// testNames returns the tests of the package in the order of the source.
func (l *lab) testNames(ctx context.Context) []string {
	cmd := exec.CommandContext(ctx, l.plain.Path, "-test.list=^Test")
	cmd.Dir, cmd.Env = l.job.here(l.target.Dir), l.exec.Env
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return strings.Fields(string(out))
}

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

// shuffled runs all tests in the order of a seed, and returns the top-level tests that
// failed. What takes longer than the limit is given up.
func (l *lab) shuffled(ctx context.Context, seed int64, limit time.Duration) (map[string]bool, error) {
	x := l.exec
	x.Binary, x.Select = l.plain, l.selection("", &experiment.Trial{Suite: true, Shuffle: seed})
	x.Limit, x.Grace = limit, time.Second
	run, err := x.Run(ctx)
	if err != nil {
		return nil, err
	}
	failed := make(map[string]bool)
	for _, o := range run.Outcomes {
		if o.Test != "" && (o.Status == runner.Failed || o.Status == runner.Crashed && !o.Shared) {
			failed[trace.TopTest(o.Test)] = true
		}
	}
	return failed, nil
}

// ordered looks into tests that failed in the order of a seed.
func (j *huntJob) ordered(ctx context.Context, all []*prey, failed map[string]bool, seed int64) error {
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	for _, p := range all {
		if !failed[p.name] || p.order != nil || p.orderTries == maxOrderTries {
			continue
		}
		p.orderTries++
		p.exp.Until = j.deadline
		f, err := p.exp.FindOrder(ctx, names, seed)
		if err != nil {
			return err
		}
		p.order = f
	}
	return nil
}

// maxOrderTries is in how many orders a test is looked into that fails.
const maxOrderTries = 2
