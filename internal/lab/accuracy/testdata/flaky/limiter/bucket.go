// Package limiter is a token bucket.
package limiter

import (
	"errors"
	"sync"
	"time"
)

// ErrLimit says that there were too many calls.
var ErrLimit = errors.New("rate limit exceeded")

// A Bucket holds tokens. Each call takes one, and they come back with time.
type Bucket struct {
	burst float64
	rate  float64 // tokens per second

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// NewBucket returns a full bucket.
func NewBucket(perSecond float64, burst int) *Bucket {
	return &Bucket{burst: float64(burst), rate: perSecond, tokens: float64(burst), last: time.Now()}
}

func (b *Bucket) refill() {
	now := time.Now()
	b.tokens += now.Sub(b.last).Seconds() * b.rate
	b.last = now
	if b.tokens > b.burst {
		b.tokens = b.burst
	}
}

// Allow reports whether a call may be made now.
func (b *Bucket) Allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// A Caller calls a service that limits the rate of its callers.
type Caller struct {
	Bucket *Bucket
	Call   func(path string) (int, error)

	calls, refused int
}

// Get calls the service if that is allowed.
func (c *Caller) Get(path string) (int, error) {
	if !c.Bucket.Allow() {
		c.refused++
		return 0, ErrLimit
	}
	c.calls++
	return c.Call(path)
}

// Stats returns how many calls were made and how many were refused.
func (c *Caller) Stats() (calls, refused int) { return c.calls, c.refused }
