// Package starter has code that goes on after it has started a goroutine.
package starter

import (
	"context"
	"sync/atomic"
)

// A Pool counts its workers.
type Pool struct {
	running, least atomic.Int64
	done           chan struct{}
}

// NewPool returns a pool without workers.
func NewPool() *Pool { return &Pool{done: make(chan struct{})} }

// Start starts a worker and counts it.
func (p *Pool) Start() {
	go p.work()      // cause counted
	p.running.Add(1) // cause counted
}

// StartCounted counts a worker and starts it.
func (p *Pool) StartCounted() {
	p.running.Add(1)
	go p.work()
}

func (p *Pool) work() {
	if n := p.running.Add(-1); n < p.least.Load() {
		p.least.Store(n)
	}
	close(p.done)
}

// Wait waits until a worker has ended, and returns the fewest that ever ran.
func (p *Pool) Wait() int64 {
	<-p.done
	return p.least.Load()
}

// Flush flushes in the background, and gives up when ctx ends.
func Flush(ctx context.Context, flush func()) error {
	done := make(chan struct{})
	run := func() { flush(); close(done) }
	go run()
	select { // cause both
	case <-done: // cause both
		return nil
	case <-ctx.Done(): // cause both
		return ctx.Err()
	}
}
