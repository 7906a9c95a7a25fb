package timer

import (
	"sync"
	"time"
)

// A cache forgets.
type cache struct {
	mu sync.Mutex
	m  map[string]*time.Timer
}

func (c *cache) put(key string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = make(map[string]*time.Timer)
	}
	c.m[key] = time.NewTimer(d) // cause expiry
}

// has looks at the timer: nothing runs when an entry expires.
func (c *cache) has(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := c.m[key]
	if timer == nil {
		return false
	}
	select {
	case <-timer.C:
		delete(c.m, key)
		return false
	default:
		return true
	}
}
