package analyze

import (
	"context"
	"errors"
)

// Causes of a context that ends before all is compared.
var (
	ErrSpent       = errors.New("the time budget is spent")
	ErrLong        = errors.New("not all tests could be compared")
	ErrInterrupted = errors.New("fdebug was interrupted")
)

// WhyEnded says why a context has ended.
func WhyEnded(ctx context.Context) string {
	if err := context.Cause(ctx); errors.Is(err, ErrSpent) || errors.Is(err, ErrLong) {
		return err.Error()
	}
	return ErrInterrupted.Error()
}
