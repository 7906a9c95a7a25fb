package exit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestClosing ends contexts by a signal and by the end of a budget. What is known may be written until 4 seconds later,
// whenever that is begun.
func TestClosing(t *testing.T) {
	for _, c := range []struct {
		name  string
		begun time.Duration // when the context for writing is asked for
		ends  func(context.Context) (context.Context, context.CancelFunc)
		cause error
	}{
		{"budget, asked for before", 0, budgetOf(time.Second), ErrSpent},
		{"budget, asked for after", 3 * time.Second, budgetOf(time.Second), ErrSpent},
		{"signal, asked for before", 0, signalAt(time.Second), &InterruptError{}},
		{"signal, asked for after", 3 * time.Second, signalAt(time.Second), &InterruptError{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			ctx, cancel := c.ends(t.Context())
			defer cancel()
			time.Sleep(c.begun)
			late, done := Closing(ctx)
			defer done()
			<-late.Done()
			if took := time.Since(began); took != 5*time.Second {
				t.Errorf("%s: ended after %v", c.name, took)
			}
			if context.Cause(late).Error() != c.cause.Error() || IsInterrupted(late) == errors.Is(c.cause, ErrSpent) {
				t.Errorf("%s: %v", c.name, context.Cause(late))
			}
		})
	}
}

func budgetOf(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeoutCause(ctx, d, ErrSpent)
	}
}

func signalAt(d time.Duration) func(context.Context) (context.Context, context.CancelFunc) {
	return func(ctx context.Context) (context.Context, context.CancelFunc) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(d, func() { cancel(&InterruptError{At: time.Now()}) })
		return ctx, func() { cancel(nil) }
	}
}
