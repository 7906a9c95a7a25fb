package runner

import (
	"context"
	"sync"
)

// Slots are the places where processes run on this machine. As under go test, there are as many
// as processors, but no more than Each for one package, because tests of a package share ports
// and files. Rounds and experiments share the same Slots.
type Slots struct {
	Most int // parallel processes; 0 for one
	Each int // of one package; 0 for one

	mu      sync.Mutex
	used    int
	of      map[string]int // slots in use, by package
	alone   bool           // whether a process runs that must be alone
	waiting int            // processes that wait to run alone: none starts before them
	changed chan struct{}  // closed when a slot is given back
}

// try takes a slot for a process of a package if there is one, and returns a function to release
// it.
func (s *Slots) try(pkg string, alone bool) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if alone {
		ok = s.used == 0
	} else {
		ok = s.waiting == 0 && !s.alone && s.used < max(s.Most, 1) && s.of[pkg] < max(s.Each, 1)
	}
	if !ok {
		return nil, false
	}
	if s.of == nil {
		s.of = make(map[string]int)
	}
	s.used, s.alone = s.used+1, alone
	s.of[pkg]++
	return func() { s.release(pkg) }, true
}

func (s *Slots) release(pkg string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.alone = s.used-1, false
	s.of[pkg]--
	s.wakeLocked()
}

// wake makes all waiters look again.
func (s *Slots) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakeLocked()
}

func (s *Slots) wakeLocked() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// change returns a channel that is closed when a slot is released, or by wake.
func (s *Slots) change() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// take waits for a slot. A process that must be alone waits until no other one runs, and none
// starts until it has ended.
func (s *Slots) take(ctx context.Context, pkg string, alone bool) (release func(), err error) {
	if alone {
		s.wait(1)
		defer s.wait(-1)
	}
	for {
		changed := s.change()
		if release, ok := s.try(pkg, alone); ok {
			return release, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (s *Slots) wait(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting += n; s.waiting == 0 {
		s.wakeLocked()
	}
}
