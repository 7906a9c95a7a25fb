package main

import (
	"context"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
)

const (
	shuffles     = 5  // orders of the tests of a package that are tried
	shuffleShare = 10 // of the budget: one part in so many is for that
)

// shuffle runs the tests of each package in other orders, and looks into those that
// fail. They run with the binary without probes, as quick as they are.
func (j *huntJob) shuffle(ctx context.Context) error {
	if s := j.sel.Shuffle; s == "off" {
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
		for seed := int64(1); seed <= shuffles && time.Now().Before(until); seed++ {
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
			failed[topOf(o.Test)] = true
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
