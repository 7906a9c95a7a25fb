// Package shared has code in which several use one thing without agreeing on it.
package shared

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Put writes a file in two steps: whoever reads in between finds it empty.
func Put(name, text string) error {
	f, err := os.Create(name) // cause put
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil { // cause put
		return err
	}
	return f.Close()
}

// A Lease is held by one at a time, as far as a file tells.
type Lease struct{ dir string }

var errHeld = errors.New("the lease is held")

// Take takes the lease.
func (l Lease) Take(who string) error {
	name := filepath.Join(l.dir, "lease")
	if _, err := os.Stat(name); err == nil { // cause lease
		return errHeld
	}
	return os.WriteFile(name, []byte(who), 0o666) // cause lease
}

// A Pool hands out numbers and takes them back.
type Pool struct {
	mu   sync.Mutex
	free []int
}

// Get returns a number, or -1 if there is none.
func (p *Pool) Get() int {
	if p.empty() { // cause pool
		return -1
	}
	return p.pop() // cause pool
}

func (p *Pool) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free) == 0
}

func (p *Pool) pop() int {
	p.mu.Lock() // cause pool
	defer p.mu.Unlock()
	n := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return n
}

// A Tally is added up by workers. Each takes the sum and puts it back.
type Tally struct {
	mu  sync.Mutex
	sum int
}

func (t *Tally) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

func (t *Tally) set(n int) {
	t.mu.Lock() // cause tally
	defer t.mu.Unlock()
	t.sum = n
}

// Add adds n.
func (t *Tally) Add(n int) {
	sum := t.get()
	if n != 0 {
		t.set(sum + n) // cause tally
	}
}
