package exit

import (
	"context"
	"errors"
	"time"
)

// ErrSpent is the cause of a context that ends before everything is done.
var ErrSpent = errors.New("the time budget is spent")

// An InterruptError is the cause of a context that a signal has ended.
type InterruptError struct{ At time.Time }

func (*InterruptError) Error() string { return "fdebug was interrupted" }

// IsInterrupted reports whether a signal has ended a context, and not the end of a budget.
func IsInterrupted(ctx context.Context) bool {
	var err *InterruptError
	return errors.As(context.Cause(ctx), &err)
}

// closing is how long what is known may still be compared and written after the end of a context: a second less than
// what a user is promised.
const closing = 4 * time.Second

// Closing returns a context for that, which has the cause of the other one when it ends.
func Closing(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		time.AfterFunc(time.Until(endOf(ctx).Add(closing)), func() { cancel(context.Cause(ctx)) })
	})
	return late, func() {
		stop()
		cancel(context.Canceled)
	}
}

// endOf returns when a context ended.
func endOf(ctx context.Context) time.Time {
	var signal *InterruptError
	if errors.As(context.Cause(ctx), &signal) {
		return signal.At
	}
	if end, ok := ctx.Deadline(); ok && end.Before(time.Now()) {
		return end
	}
	return time.Now()
}
