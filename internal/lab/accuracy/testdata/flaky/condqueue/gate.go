// Package condqueue holds requests back while a service is paused.
package condqueue

import (
	"fmt"
	"sync"
	"time"
)

// A Gate lets callers through while it is open.
type Gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	open    bool
	waiting int
	passed  int

	logMu sync.Mutex
	log   []string
}

// NewGate returns a closed gate.
func NewGate() *Gate {
	g := &Gate{}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// Open lets everybody through.
func (g *Gate) Open() {
	g.mu.Lock()
	g.open = true
	g.mu.Unlock()
	g.changed.Broadcast()
}

// Close holds callers back from now on.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = false
}

// IsOpen reports whether the gate is open.
func (g *Gate) IsOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Pass waits until the gate is open.
func (g *Gate) Pass(name string) {
	if !g.IsOpen() {
		g.note(name)
		g.wait()
	}
	g.mu.Lock()
	g.passed++
	g.mu.Unlock()
}

func (g *Gate) note(name string) {
	g.logMu.Lock()
	defer g.logMu.Unlock()
	g.log = append(g.log, fmt.Sprintf("%s %s waits", time.Now().Format(time.StampMicro), name))
}

func (g *Gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting++
	g.changed.Wait()
	g.waiting--
}

// Passed returns how many callers have passed.
func (g *Gate) Passed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed
}

// Drain waits until n callers have passed, for at most limit.
func (g *Gate) Drain(n int, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if g.Passed() >= n {
			return true
		}
	}
	return false
}
