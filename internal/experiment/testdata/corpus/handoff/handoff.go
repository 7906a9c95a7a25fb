// Package handoff has code that passes things from one goroutine to another.
package handoff

import (
	"context"
	"sync"
	"time"
)

// A Latest keeps the newest reading. Readings carry the time at which they were asked
// for, and are kept in the order in which they come back.
type Latest struct {
	mu    sync.Mutex
	asked int
	value int
}

// Ask asks for a reading and keeps it when it is there.
func (l *Latest) Ask(read func(n int) int) {
	l.mu.Lock()
	l.asked++
	n := l.asked
	l.mu.Unlock()
	v := read(n)  // cause latest
	l.mu.Lock()   // cause latest
	l.value = v   // cause latest
	l.mu.Unlock() // cause latest
}

// Value returns the newest reading.
func (l *Latest) Value() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value
}

// A Signal wakes whoever waits at that time.
type Signal struct {
	mu   sync.Mutex
	wait []chan struct{}
}

// Wait waits for the next wake-up, or for the limit, and says whether it came.
func (s *Signal) Wait(limit time.Duration) bool {
	c := make(chan struct{})   // cause signal
	s.mu.Lock()                // cause signal
	s.wait = append(s.wait, c) // cause signal
	s.mu.Unlock()              // cause signal
	select {
	case <-c:
		return true
	case <-time.After(limit):
		return false
	}
}

// Wake wakes all who wait now.
func (s *Signal) Wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.wait {
		close(c)
	}
	s.wait = nil
}

// A Batch collects lines and hands them on when it is flushed.
type Batch struct {
	in    chan string
	flush chan chan []string
	stop  context.CancelFunc
}

// NewBatch starts a batch.
func NewBatch() *Batch {
	ctx, stop := context.WithCancel(context.Background())
	b := &Batch{in: make(chan string), flush: make(chan chan []string), stop: stop}
	go b.loop(ctx)
	return b
}

func (b *Batch) loop(ctx context.Context) {
	var lines []string
	for {
		select {
		case s := <-b.in:
			lines = append(lines, s)
		case out := <-b.flush:
			out <- lines
			lines = nil
		case <-ctx.Done():
			return
		}
	}
}

// Add adds a line without waiting for it to be taken.
func (b *Batch) Add(s string) {
	go func() { // cause batch
		b.in <- s // cause batch
	}()
}

// Flush returns the lines so far.
func (b *Batch) Flush() []string {
	out := make(chan []string)
	b.flush <- out
	return <-out
}

// Close ends the batch.
func (b *Batch) Close() { b.stop() }
