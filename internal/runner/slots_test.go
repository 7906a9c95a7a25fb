package runner

import (
	"context"
	"errors"
	"testing"
)

// TestSlots has two processors: two packages run in parallel, one package does not. A process
// that must be alone waits for both and keeps a third one waiting.
func TestSlots(t *testing.T) {
	s := &Slots{Most: 2}
	a, ok := s.try("a", false)
	if !ok {
		t.Fatal("no slot on an idle machine")
	}
	if _, ok := s.try("a", false); ok {
		t.Error("two processes of one package run side by side")
	}
	b, ok := s.try("b", false)
	if !ok {
		t.Error("two packages do not run side by side")
	}
	if _, ok := s.try("c", false); ok {
		t.Error("three processes run on two processors")
	}
	got := make(chan func())
	go func() {
		release, err := s.take(t.Context(), "a", true)
		if err != nil {
			t.Error(err)
		}
		got <- release
	}()
	for { // until it waits
		s.mu.Lock()
		waits := s.waiting > 0
		s.mu.Unlock()
		if waits {
			break
		}
	}
	a()
	if _, ok := s.try("c", false); ok {
		t.Error("a process starts before one that waits to run alone")
	}
	b()
	alone := <-got
	if _, ok := s.try("c", false); ok {
		t.Error("a process runs beside one that is alone")
	}
	alone()
	c, ok := s.try("c", false)
	if !ok {
		t.Error("no slot after the one that was alone")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.take(ctx, "c", false); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a slot in a context that has ended: %v", err)
	}
	c()
}
