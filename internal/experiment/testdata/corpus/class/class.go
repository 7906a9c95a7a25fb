// Package class has failures that take more than one late goroutine.
package class

import "sync"

// A Group of workers. One of them is enough.
type Group struct {
	mu   sync.Mutex
	done int
}

func (g *Group) work() {
	g.mu.Lock() // cause workers
	g.done++    // cause workers
	g.mu.Unlock()
}

// Any reports whether some worker is done.
func (g *Group) Any() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done > 0
}

// A Mirror is written to twice, by different goroutines; one copy suffices.
type Mirror struct {
	mu   sync.Mutex
	a, b bool
}

func (m *Mirror) writeA() {
	m.mu.Lock() // cause pair
	m.a = true  // cause pair
	m.mu.Unlock()
}

func (m *Mirror) writeB() {
	m.mu.Lock() // cause pair
	m.b = true  // cause pair
	m.mu.Unlock()
}

// Written reports whether there is a copy.
func (m *Mirror) Written() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.a || m.b
}
