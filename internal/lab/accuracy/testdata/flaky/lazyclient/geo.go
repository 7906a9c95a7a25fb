// Package lazyclient finds the country of an address in a database that is
// loaded when it is needed.
package lazyclient

import (
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// A Loader reads the database.
type Loader func() (map[netip.Prefix]string, error)

// A Finder finds countries. It loads its database once.
type Finder struct {
	load Loader
	once sync.Once

	mu      sync.RWMutex
	table   map[netip.Prefix]string
	loaded  time.Time
	lastErr error
}

// New returns a finder that has loaded nothing yet.
func New(load Loader) *Finder { return &Finder{load: load} }

func (f *Finder) init() {
	f.once.Do(func() {
		go f.reload()
	})
}

func (f *Finder) reload() {
	table, err := f.load()
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.lastErr = err
		return
	}
	f.table, f.loaded, f.lastErr = table, time.Now(), nil
}

// Country returns the country of an address, "" if it is not known.
func (f *Finder) Country(addr string) (string, error) {
	f.init()
	ip, err := netip.ParseAddr(addr)
	if err != nil {
		return "", fmt.Errorf("country: %w", err)
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	best := -1
	country := ""
	for p, c := range f.table {
		if p.Contains(ip) && p.Bits() > best {
			best, country = p.Bits(), c
		}
	}
	return country, nil
}

// Err returns why the database could not be loaded.
func (f *Finder) Err() error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.lastErr
}
