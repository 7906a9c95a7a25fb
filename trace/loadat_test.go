package trace

import "testing"

// TestLoadAt looks up each event of a stream of several chunks.
func TestLoadAt(t *testing.T) {
	events := make([]Event, 3*firstChunkLen+5)
	for i := range events {
		events[i] = Event(i + 1)
	}
	g := NewGoroutine(1, "T", events)
	for i := range events {
		got, first, err := g.LoadAt(int64(i))
		if err != nil || got[int64(i)-first] != events[i] {
			t.Fatalf("event %d: got %v from %d on, %v", i, got, first, err)
		}
	}
	if got, first, err := g.LoadAt(g.Len()); len(got) != 0 || first != g.Len() || err != nil {
		t.Errorf("past the end: got %v from %d on, %v", got, first, err)
	}
}
