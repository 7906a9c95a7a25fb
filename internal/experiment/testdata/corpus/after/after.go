// Package after has code that is not over when its test is.
package after

import "sync"

// A Pool runs jobs in the background.
type Pool struct {
	mu   sync.Mutex
	done int
	wg   sync.WaitGroup
	logf func(string, ...any)
}

// Go runs a job.
func (p *Pool) Go(job func()) {
	p.wg.Go(func() {
		job()
		p.mu.Lock()                   // cause log
		p.done++                      // cause log
		n := p.done                   // cause log
		p.mu.Unlock()                 // cause log
		p.logf("%d jobs are done", n) // cause log
	})
}

// Wait waits until all jobs are done.
func (p *Pool) Wait() { p.wg.Wait() }

// A Monitor checks the values that it is given.
type Monitor struct {
	in    chan int
	ended chan struct{}
	check func(v int)
}

// NewMonitor starts a monitor.
func NewMonitor(check func(v int)) *Monitor {
	m := &Monitor{in: make(chan int, 8), ended: make(chan struct{}), check: check}
	go m.loop()
	return m
}

func (m *Monitor) loop() {
	defer close(m.ended)
	for v := range m.in { // cause check
		m.check(v) // cause check
	}
}

// Put gives it a value.
func (m *Monitor) Put(v int) { m.in <- v }

// Close ends the values, and waits for nothing.
func (m *Monitor) Close() { close(m.in) }
