// Package visit has code that goes wrong in a later round of a loop only.
package visit

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Ring keeps the last few samples. One goroutine writes, in rounds.
type Ring struct {
	mu    sync.Mutex
	slots [4]int
	next  int
	round atomic.Int64
}

// Write writes rounds of samples. The round is counted before its last sample is there.
func (r *Ring) Write(rounds int) {
	for n := 1; n <= rounds; n++ {
		if n == rounds {
			r.round.Store(int64(n)) // cause ring
		}
		r.mu.Lock()           // cause ring
		r.slots[r.next%4] = n // cause ring
		r.next++              // cause ring
		r.mu.Unlock()
	}
}

// Round returns the round and the sum of the samples.
func (r *Ring) Round() (round int64, sum int) {
	round = r.round.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.slots {
		sum += s
	}
	return round, sum
}

// A Log is written in segments. After every third line a new segment begins, and lines
// that were written before that can be read.
type Log struct {
	mu     sync.Mutex
	closed []string
	open   []string
}

func (l *Log) write(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, s)
	return len(l.open) == 3
}

func (l *Log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	open := l.open // cause segments
	l.open = nil
	return open
}

func (l *Log) keep(lines []string) {
	l.mu.Lock() // cause segments
	defer l.mu.Unlock()
	l.closed = append(l.closed, lines...)
}

// Write writes a line.
func (l *Log) Write(s string) {
	if l.write(s) {
		lines := l.take() // cause segments
		l.keep(lines)     // cause segments
	}
}

// Len counts the lines.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.closed) + len(l.open)
}

// A Ticker counts steps in the background until it is stopped.
type Ticker struct {
	steps atomic.Int64
	stop  atomic.Bool
}

// Run makes steps, each of them a little work.
func (t *Ticker) Run(pause time.Duration) {
	for !t.stop.Load() {
		time.Sleep(pause)
		t.steps.Add(1) // cause ticker
	}
}
