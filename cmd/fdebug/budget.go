package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/runner"
)

// afterSignal is how long comparing may go on after an interrupt that ended the
// runs: who sends one often sends the next before long. One that comes while runs
// are compared ends that at once.
const afterSignal = 5 * time.Second

// A budget divides the time of a run: two thirds are for building and running
// tests, the rest for comparing runs and for those that record values.
type budget struct {
	whole    time.Duration // -budget, 0 for none
	began    time.Time
	ran      time.Duration // how long the runs took
	compared time.Duration // how long it took to compare the first runs
}

// Without a budget, comparing may take twice as long as the runs did, and no less than minComparing:
// where dozens of tests of a package fail with long traces it would take many times that.
const (
	comparingShare = 2
	minComparing   = 2 * time.Minute
)

// at returns when a part of the budget is used up, zero for never.
func (b *budget) at(part time.Duration) time.Time {
	if b.whole <= 0 {
		return time.Time{}
	}
	return b.began.Add(part)
}

// runs returns when the runs of the first build end.
func (b *budget) runs() time.Time { return b.at(b.whole * 2 / 3) }

// values returns when the runs that record values, and experiments, end: comparing
// values takes about as long as comparing the first runs.
func (b *budget) values() time.Time { return b.at(b.whole - b.compared) }

// comparing returns the context for comparing. ctx ends when a signal comes.
func (b *budget) comparing(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() != nil {
		return context.WithTimeoutCause(context.WithoutCancel(ctx), afterSignal, analyze.ErrInterrupted)
	}
	if b.whole <= 0 {
		limit := max(comparingShare*b.ran, minComparing)
		return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w in %v, which is how long comparing may take without -budget", analyze.ErrLong, rounded(limit)))
	}
	return context.WithDeadlineCause(ctx, b.at(b.whole), analyze.ErrSpent)
}

// buildShare is the part of a budget from which on it is said that building took that: one in so
// many.
const buildShare = 10

// eaten says how much of the budget it took to build a package, "" if that is little.
func (b *budget) eaten(plain, traced *runner.Binary) string {
	if b.whole <= 0 || plain == nil || traced == nil || plain.Took+traced.Took < b.whole/buildShare {
		return ""
	}
	return fmt.Sprintf("building %s took %v, and %v with probes, of the budget of %v", plain.ImportPath, rounded(plain.Took), rounded(traced.Took), b.whole)
}

// carries reports whether there is time before the end of the budget for what compares runs,
// records values and makes experiments.
func (b *budget) carries(d time.Duration) bool {
	end := b.values()
	return end.IsZero() || !time.Now().Add(d).After(end)
}

// spent is the error of what there is no time for.
func (b *budget) spent() error { return fmt.Errorf("%w (-budget %v)", analyze.ErrSpent, b.whole) }
