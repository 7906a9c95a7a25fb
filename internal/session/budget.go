package session

import (
	"context"
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/exit"
)

// A Budget divides the time of a run: two thirds are for building and running tests, the rest for
// comparing runs, for runs that record values and for experiments. Without these two, comparing
// has a tenth.
type Budget struct {
	Whole    time.Duration // -budget; 0 for none
	Rounds   time.Duration // without it, how long runs begin; 0 until all are made
	Began    time.Time
	Ran      time.Duration // how long the runs took
	Compared time.Duration // how long it took to compare the first runs
}

// Without a budget, comparing may take twice as long as the runs did, and at least minComparing.
// If dozens of tests of a package fail with long traces, it would otherwise take many times as
// long.
const (
	comparingShare = 2
	MinComparing   = 2 * time.Minute
)

// At returns when a part of the budget is used up, or zero for never.
func (b *Budget) At(part time.Duration) time.Time {
	if b.Whole <= 0 {
		return time.Time{}
	}
	return b.Began.Add(part)
}

// Runs returns when the runs of the first build end, if others follow.
func (b *Budget) Runs() time.Time { return b.At(b.Whole * 2 / 3) }

// Stop returns when no more runs begin if there is no budget, or zero for never.
func (b *Budget) Stop() time.Time {
	if b.Whole > 0 || b.Rounds <= 0 {
		return time.Time{}
	}
	return b.Began.Add(b.Rounds)
}

// firstShare is the part of a budget that building all packages, and running each once, may take,
// in percent. One run of a package is worth more than what the rest of the time could show.
const firstShare = 90

// First returns when the first run of each package ends.
func (b *Budget) First() time.Time { return b.At(b.Whole * firstShare / 100) }

// Values returns when the runs that record values, and experiments, end: comparing values takes
// about as long as comparing the first runs.
func (b *Budget) Values() time.Time { return b.At(b.Whole - b.Compared) }

// Begin begins the budget now, and returns the context of everything that it is for.
func (b *Budget) Begin(ctx context.Context) (context.Context, context.CancelFunc) {
	b.Began = time.Now()
	if b.Whole <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, b.At(b.Whole), exit.ErrSpent)
}

// Comparing returns the context for comparing. What was done before the end of ctx is still compared for a moment.
func (b *Budget) Comparing(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() != nil {
		return exit.Closing(ctx)
	}
	if b.Whole > 0 {
		return context.WithCancel(ctx)
	}
	limit := max(comparingShare*b.Ran, MinComparing)
	return context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("%w in %v, which is how long comparing may take without -budget", exit.ErrLong, text.Rounded(limit)))
}

// spent is the error if there is no time left for something.
func (b *Budget) spent() error { return fmt.Errorf("%w (-budget %v)", exit.ErrSpent, b.Whole) }
