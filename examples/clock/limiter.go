// Package clock is an HTTP middleware that limits the rate of requests per
// client. Time is cut into windows, and each client may make a fixed number of
// requests in each of them.
package clock

import (
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A Limiter counts the requests of each client.
type Limiter struct {
	max    int
	window time.Duration

	mu      sync.Mutex
	current time.Time // start of the window that is counted
	count   map[string]int
}

// NewLimiter returns a limiter that allows each client max requests per window.
func NewLimiter(max int, window time.Duration) *Limiter {
	return &Limiter{max: max, window: window, count: make(map[string]int)}
}

// Allow reports whether the client may make another request, and how many it
// has left in this window.
func (l *Limiter) Allow(client string) (left int, ok bool) {
	start := time.Now().Truncate(l.window)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !start.Equal(l.current) {
		l.current = start
		clear(l.count)
	}
	if l.count[client] >= l.max {
		return 0, false
	}
	l.count[client]++
	return l.max - l.count[client], true
}

// Wrap returns a handler that passes the requests which are allowed on to next,
// and answers the others with 429 Too Many Requests.
func (l *Limiter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			client = r.RemoteAddr
		}
		left, ok := l.Allow(client)
		w.Header().Set("X-RateLimit-Remaining", strconv.Itoa(left))
		if !ok {
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
