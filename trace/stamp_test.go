package trace

import (
	"math"
	"testing"
)

// The goroutine started at 10, wrote 3 events, waited from 20 to 50, wrote 2 more, and waited
// from 60 on without end.
func TestBetween(t *testing.T) {
	g := NewGoroutine(1, "T", []Event{1, 2, 3, 4, 5})
	g.Start = 10
	g.Chunks[0].Time = 12
	g.Stamps = []Stamp{{Pos: 3, Time: 20}, {Pos: 3, Time: 50, GoesOn: true}, {Pos: 5, Time: 60}}
	for _, c := range []struct{ i, earliest, latest int64 }{
		{0, 12, 20}, // after the first chunk was begun, before it waited
		{2, 12, 20},
		{3, 50, 60}, // after it went on
		{4, 50, 60},
		{5, 60, math.MaxInt64}, // never happened: nothing bounds it
	} {
		earliest, latest := g.Between(c.i)
		if earliest != c.earliest || latest != c.latest {
			t.Errorf("event %d: between %d and %d, want %d and %d", c.i, earliest, latest, c.earliest, c.latest)
		}
	}
	for i, want := range [][2]int64{{0, 3}, {0, 3}, {0, 3}, {3, 5}, {3, 5}} {
		if from, to := g.Burst(int64(i)); from != want[0] || to != want[1] {
			t.Errorf("event %d: burst %d to %d, want %v", i, from, to, want)
		}
	}
	g.End = 70
	if _, latest := g.Between(5); latest != 70 {
		t.Errorf("event 5 of a goroutine that ended at 70: latest is %d", latest)
	}
}

func TestChunkOf(t *testing.T) {
	first := int64(0) // event of chunk c
	for c := range 10 {
		n := int64(ChunkLen(c))
		if got := chunkStart(c); got != first {
			t.Errorf("chunk %d starts at event %d, want %d", c, got, first)
		}
		for _, i := range []int64{first, first + n - 1} {
			if got := chunkOf(i); got != c {
				t.Errorf("event %d is in chunk %d, want %d", i, got, c)
			}
		}
		first += n
	}
}

// orderStamps drops stamps that a damaged file has out of order.
func TestOrderStamps(t *testing.T) {
	g := NewGoroutine(1, "T", []Event{1, 2, 3})
	good := []Stamp{{Pos: 1, Time: 20}, {Pos: 1, Time: 30, GoesOn: true}, {Pos: 3, Time: 40}}
	g.Stamps = []Stamp{good[0], {Pos: 0, Time: 25, GoesOn: true}, good[1], {Pos: 2, Time: 10}, good[2], {Pos: 4, Time: 50}}
	orderStamps(g)
	if len(g.Stamps) != 3 || g.Stamps[0] != good[0] || g.Stamps[1] != good[1] || g.Stamps[2] != good[2] {
		t.Errorf("got %v, want %v", g.Stamps, good)
	}
}
