// Package frontier keeps the addresses that a crawler has still to visit.
package frontier

import "sync"

// A Frontier knows which addresses were seen.
type Frontier struct {
	mu   sync.Mutex
	seen map[string]bool
}

// New returns an empty frontier.
func New() *Frontier { return &Frontier{seen: make(map[string]bool)} }

// Seen reports whether an address was marked.
func (f *Frontier) Seen(addr string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[addr]
}

// Mark marks an address.
func (f *Frontier) Mark(addr string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[addr] = true
}

// Hosts counts the marked addresses by their first letter.
func (f *Frontier) Hosts() map[byte]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := make(map[byte]int)
	for addr := range f.seen {
		if addr != "" {
			count[addr[0]]++
		}
	}
	return count
}
