package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Share divides time among experiments with several tests, so that as many as possible come to a verdict: the quick
// and the promising first, a round at a time. In the first round of several each gets some runs and no more. The rest
// of a test's slice is for those after it, and one that has its verdict needs nothing more. A test in which something
// was provoked goes on beyond its slice, since it is near to a verdict.
type Share struct {
	Until time.Time
	// Spare is until when tests are tried at which goroutines were held at each place; zero for Until.
	Spare time.Time
	// Extra is how much longer a test may go on if something was provoked in it.
	Extra time.Duration
	clock func() time.Time // nil for time.Now
	// Begin is told before a test has a slice; may be nil.
	Begin func(e *Experimenter, atMost time.Duration)
}

const (
	leastSlice = 2 * time.Second // that a test gets when its turn comes
	firstRuns  = 50              // that each of several has in the first round
	// graceShare is the part of all that is left which one test may have beyond its slice.
	graceShare = 3
)

// A contender is a test that shares time with others.
type contender struct {
	e      *Experimenter
	res    *Result // of its last slice, nil before
	failed bool    // it can't be experimented with
}

// Find makes experiments with all tests until the time is up, or nothing is left to be
// tried. It returns a result for each, nil for those that it did not come to. A test that
// can't be experimented with does not end those with the others.
func (s *Share) Find(ctx context.Context, list []*Experimenter) ([]*Result, error) {
	var all []*contender
	for _, e := range list {
		if e.Log == nil { // the runs of one slice are known to the next
			e.Log = newLog()
		}
		all = append(all, &contender{e: e})
	}
	err := s.rounds(ctx, slices.Clone(all))
	results := make([]*Result, len(all))
	for i, c := range all {
		results[i] = c.res
	}
	return results, err
}

// rounds gives each test a slice, again and again. A round in which no run was made is the last.
func (s *Share) rounds(ctx context.Context, todo []*contender) (err error) {
	most := firstRuns * min(len(todo)-1, 1) // one alone has no rounds
	for ; len(todo) > 0; most = 0 {
		slices.SortStableFunc(todo, compareContenders)
		runs := 0
		for i, c := range todo {
			left := s.left()
			if left <= 0 || ctx.Err() != nil {
				return cmp.Or(context.Cause(ctx), err)
			}
			before := c.e.Runs()
			err = errors.Join(err, s.slice(ctx, c, left, len(todo)-i, most))
			runs += c.e.Runs() - before
		}
		todo = slices.DeleteFunc(todo, (*contender).done)
		if runs == 0 && most == 0 {
			return err
		}
	}
	return err
}

// done reports whether nothing is left to be tried for a test, or can be.
func (c *contender) done() bool { return c.failed || c.res.Done() }

func (s *Share) left() time.Duration {
	if s.clock != nil {
		return s.Until.Sub(s.clock())
	}
	return time.Until(s.Until)
}

// slice lets one of n tests that are waiting make experiments.
func (s *Share) slice(ctx context.Context, c *contender, left time.Duration, n, most int) (err error) {
	e := c.e
	atMost := min(left, max(left/time.Duration(n), leastSlice))
	e.Until = s.Until.Add(atMost - left)
	e.Grace = min(left-atMost, left/graceShare) + s.Extra
	e.Most, e.spare = most, s.Spare
	if s.Begin != nil {
		s.Begin(e, atMost)
	}
	if c.res, err = e.Find(ctx); err != nil {
		c.failed = true
		return fmt.Errorf("%s: %w", e.Test, err)
	}
	return nil
}

// compareContenders puts those first that need least until they have a verdict: first those that have one and lack
// details only, then those in which something was provoked, then the quick ones.
func compareContenders(a, b *contender) int {
	return cmp.Or(a.needs()-b.needs(), cmp.Compare(a.e.expected(), b.e.expected()))
}

// needs says how far a test is from a verdict.
func (c *contender) needs() int {
	switch {
	case c.res == nil:
		return 2
	case c.res.explained:
		return 0
	case c.res.provoked:
		return 1
	}
	return 2
}

// expected returns how long a run of the test takes, as far as that is known.
func (e *Experimenter) expected() time.Duration {
	if usual := e.Usual(); usual > 0 {
		return usual
	}
	var took []time.Duration
	for _, r := range e.Recorded {
		took = append(took, r.Elapsed)
	}
	return median(took)
}
