// Package errgroup runs goroutines that work on parts of one task.
package errgroup

import (
	"context"
	"sync"
)

// A Group is a collection of goroutines. The first error cancels the others.
type Group struct {
	cancel  context.CancelCauseFunc
	wg      sync.WaitGroup
	errOnce sync.Once
	err     error
}

// WithContext returns a group, and a context that is cancelled at the first
// error or when Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &Group{cancel: cancel}, ctx
}

// Go calls f in a new goroutine.
func (g *Group) Go(f func() error) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		if err := f(); err != nil {
			g.errOnce.Do(func() {
				g.err = err
				g.cancel(err)
			})
		}
	}()
}

// Wait waits for all goroutines and returns the first error.
func (g *Group) Wait() error {
	g.wg.Wait()
	g.cancel(g.err)
	return g.err
}
