package hunt

import (
	"context"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

const (
	shuffles     = 5  // how many orders of the tests of a package are tried
	shuffleShare = 10 // share of the budget for that: one part in 10
)

// shuffle runs the tests of each package in other orders, and with few files, and examines those
// that fail. It uses the binary without probes, which is quicker.
func (j *Hunt) shuffle(ctx context.Context) error {
	orders, files := j.Sel.Shuffle != "off" && j.Takes("tests"), j.Takes("limits")
	if !orders && !files {
		return nil
	}
	var labs []*session.Lab
	for _, p := range j.Tests {
		if !slices.Contains(labs, p.Lab) {
			labs = append(labs, p.Lab)
		}
	}
	left := j.Budget.Whole / shuffleShare
	for _, l := range labs {
		tests := j.testsOf(l)
		if len(tests) < 2 {
			continue
		}
		var trials []experiment.Trial
		names := l.TestNames(ctx, "^Test")
		if orders {
			for _, seed := range seedsOf(names, shuffles) {
				trials = append(trials, experiment.Trial{Shuffle: seed})
			}
		}
		if files {
			trials = append(trials, experiment.FewFiles())
		}
		if err := j.suites(ctx, l, tests, names, trials, &left); err != nil {
			return err
		}
	}
	return nil
}

// suites runs all tests of a package, which have these names, under each of some trials, and examines those that fail.
// left is how long such runs may still take.
func (j *Hunt) suites(ctx context.Context, l *session.Lab, all []*Test, names []string, trials []experiment.Trial,
	left *time.Duration) error {
	trials = slices.DeleteFunc(trials, func(t experiment.Trial) bool {
		return slices.Contains(l.Seen.Passed, session.SuiteOf(t))
	})
	for i, t := range trials {
		most := min(*left, time.Until(j.Deadline))
		if most < l.Seen.Took {
			j.Progressf(
				"%s: %s of all tests, in other orders and with few files, not made: one takes %v, and of the budget one part in %d is for that",
				l.Target.ImportPath, text.Plural(len(trials)-i, "run"),
				l.Seen.Took.Round(time.Millisecond), shuffleShare)
			return nil
		}
		began := time.Now()
		failed, whole, err := l.Suite(ctx, t, most)
		*left -= time.Since(began)
		if err != nil {
			return err
		}
		if whole && len(failed) == 0 {
			l.Seen.NotePassed(t)
		}
		if err := j.ordered(ctx, all, names, failed, t); err != nil {
			return err
		}
	}
	return nil
}

// seedsOf returns seeds for -shuffle such that as many tests as possible each come before each
// other test in some order, including that of the source.
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

// shuffledOrder returns the order in which package testing runs the first m of all tests with a seed.
func shuffledOrder(m, all int, seed int64) []int {
	return slices.DeleteFunc(experiment.ShuffledOrder(all, seed), func(i int) bool { return i >= m })
}

// ordered examines tests that failed in a run of all tests under a trial.
func (j *Hunt) ordered(ctx context.Context, all []*Test, names []string, failed map[string]bool,
	t experiment.Trial) error {
	leaks := 0
	for _, p := range all {
		if !failed[p.Name] || p.order != nil || p.orderTries == maxOrderTries {
			continue
		}
		p.Search.Until = j.Deadline
		var err error
		if len(t.Plan.Acts) > 0 {
			if leaks++; leaks > maxLeaks {
				continue
			}
			p.order, err = p.Search.FindLeak(ctx, names)
		} else {
			p.orderTries++
			p.order, err = p.Search.FindOrder(ctx, names, t.Shuffle)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	maxOrderTries = 2 // orders in which a failing test is examined
	// how many tests of a package with too few files are examined, because all tests after a leak fail
	maxLeaks = 3
)
