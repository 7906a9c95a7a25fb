// Package window has code that looks and acts in two steps.
package window

import "sync"

// An Account has a balance that must not become negative.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Balance returns the balance.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *Account) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Withdraw takes n if there is as much.
func (a *Account) Withdraw(n int) bool {
	if a.Balance() < n { // cause balance
		return false
	}
	a.add(-n) // cause balance
	return true
}

// A Cache loads each value once.
type Cache struct {
	mu    sync.Mutex
	vals  map[string]int
	loads int
}

func (c *Cache) get(k string) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.vals[k]
	return v, ok
}

func (c *Cache) load(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.loads++
	c.vals[k] = len(k)
	return len(k)
}

// Get returns the value of k.
func (c *Cache) Get(k string) int {
	if v, ok := c.get(k); ok { // cause once
		return v
	}
	return c.load(k) // cause once
}

// A Pair is two numbers that add up to 100, each with a lock of its own.
type Pair struct {
	am, bm sync.Mutex
	a, b   int
}

// Move moves n from a to b.
func (p *Pair) Move(n int) {
	p.am.Lock()
	p.a -= n      // cause twolocks
	p.am.Unlock() // cause twolocks
	p.bm.Lock()   // cause twolocks
	p.b += n
	p.bm.Unlock()
}

// Sum adds both up.
func (p *Pair) Sum() int {
	p.am.Lock()
	a := p.a
	p.am.Unlock()
	p.bm.Lock()
	defer p.bm.Unlock()
	return a + p.b
}

// A Job tells that it is done before it has stored its result.
type Job struct {
	mu     sync.Mutex
	done   bool
	result string
}

// Run does the job.
func (j *Job) Run() {
	j.mu.Lock()
	j.done = true
	j.mu.Unlock() // cause flag
	j.mu.Lock()   // cause flag
	j.result = "ok"
	j.mu.Unlock()
}

// Result returns the result, once it is done.
func (j *Job) Result() (string, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.result, j.done
}
