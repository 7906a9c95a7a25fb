package trace

import (
	"slices"
	"strings"
	"testing"
)

func TestCounts(t *testing.T) {
	s := sampleSites()
	g := NewGoroutine(1, "TestX", append(slices.Repeat([]Event{1, 2, 2}, 100), CheckEvent(CheckFail, 5), 3))
	g.Chunks[1].Kept = false // 128 of its 302 events
	counts, lost, err := s.Counts([]*Goroutine{g, NewGoroutine(2, "", []Event{4})})
	if err != nil || lost != 128 {
		t.Fatalf("lost %d, error %v", lost, err)
	}
	// Of the 300 events, those from 64 to 191 are lost: 42 times block 1.
	if want := []int64{0, 58, 114, 1, 1, 0}; !slices.Equal(counts, want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	for _, e := range []Event{6, 1 << 30} {
		_, _, err := s.Counts([]*Goroutine{NewGoroutine(1, "", []Event{1, e})})
		if err == nil || !strings.Contains(err.Error(), "another build") {
			t.Errorf("event %d: got error %v", e, err)
		}
	}
}
