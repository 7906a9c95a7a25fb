// Package clock has tests that depend on when by the wall clock they run.
package clock

import (
	"fmt"
	"time"
)

// A Quota counts requests in windows of the wall clock.
type Quota struct {
	window time.Duration
	most   int

	begun time.Time
	made  int
}

// Take reports whether there may be one more request.
func (q *Quota) Take() bool {
	now := time.Now().Truncate(q.window) // cause window
	if !now.Equal(q.begun) {
		q.begun, q.made = now, 0
	}
	q.made++
	return q.made <= q.most
}

// A Token is good until the end of a second.
type Token struct{ until int64 }

// NewToken returns a token that is good for a time.
func NewToken(d time.Duration) Token {
	return Token{time.Now().Add(d).Unix()} // cause second
}

// Good reports whether the token can be used.
func (t Token) Good() bool { return time.Now().Unix() < t.until } // cause second

// Name makes a name that no other has.
func Name() string { return fmt.Sprint("job-", time.Now().UnixNano()) } // cause names

// NextMonth returns the month after this one.
func NextMonth() time.Month {
	return time.Now().AddDate(0, 1, 0).Month() // cause month
}

// A Stopwatch measures.
type Stopwatch struct{ start time.Time }

// Start starts it.
func (s *Stopwatch) Start() { s.start = time.Now() }

// Elapsed returns how long ago that was.
func (s *Stopwatch) Elapsed() time.Duration { return time.Since(s.start) }
