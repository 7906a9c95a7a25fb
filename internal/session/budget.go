package session

import (
	"context"
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
)

// A Budget divides the time of a run: two thirds are for building and running tests, the rest for comparing runs, for
// runs that record values and for experiments. Without these two, comparing has a tenth.
type Budget struct {
	Whole  time.Duration // -budget; 0 for none
	Rounds time.Duration // without it, how long runs begin; 0 until all are made
	Began  time.Time
}

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

// lateShare is the part of a budget that all but comparing may take, in percent. One run of a package is worth more
// than the results of the rest of the time.
const lateShare = 90

// Late returns when the first run of each package ends, and the runs that record values, and experiments.
func (b *Budget) Late() time.Time { return b.At(b.Whole * lateShare / 100) }

// Begin begins the budget now, and returns the context of everything that it is for.
func (b *Budget) Begin(ctx context.Context) (context.Context, context.CancelFunc) {
	b.Began = time.Now()
	if b.Whole <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, b.At(b.Whole), exit.ErrSpent)
}

// Comparing returns the context for comparing. Runs made before the end of ctx are still compared for a moment.
func Comparing(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() != nil {
		return exit.Closing(ctx)
	}
	return context.WithCancel(ctx)
}

// spent is the error if there is no time left for something.
func (b *Budget) spent() error { return fmt.Errorf("%w (-budget %v)", exit.ErrSpent, b.Whole) }
