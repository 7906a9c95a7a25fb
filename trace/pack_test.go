package trace

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// different returns n events of exactly k different kinds.
func different(n, k int, step Event, r *rand.Rand) []Event {
	events := make([]Event, n)
	for i := range events {
		events[i] = 1 + step*Event(r.IntN(k))
		if i < k {
			events[i] = 1 + step*Event(i)
		}
	}
	return events
}

// Property: unpacking returns the packed bytes, for any part of it, any number of different
// events, and whether or not they share slots.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var p packer // shared: a frame must leave nothing behind for the next
	var list *[maxListed]Event
	for _, c := range []struct {
		name   string
		n, k   int
		step   Event
		listed bool
	}{
		{"one", 1, 1, 1, false},
		{"one many times", 1000, 1, 1, true},
		{"fills a byte", 1000, 256, 1, true},
		{"more than a byte", 1000, 257, 1, false},
		{"half of them", 100, 50, 1, false},
		{"less than half", 101, 50, 1, true},
		{"share a slot", 3000, 200, packSlots, true},
		{"share a slot, too many", 3000, 257, packSlots, false},
		{"large frame", maxFrameEvents, 256, 3, true},
	} {
		for range 3 {
			events := different(c.n, c.k, c.step, r)
			b := p.pack([]byte("x"), events)
			if b[0] != 'x' || len(b)-1 > packHead+eventSize*len(events) {
				t.Fatalf("%s: %d events packed in %d bytes, after %q", c.name, c.n, len(b)-1, b[0])
			}
			got, err := parsePacked(b[1:], len(events), list)
			if err != nil || (got.list != nil) != c.listed {
				t.Fatalf("%s: with a list: %v, want %v; error %v", c.name, got.list != nil, c.listed, err)
			}
			if got.list != nil {
				list = got.list
			}
			for range 5 {
				from := r.IntN(len(events))
				n := r.IntN(len(events) - from + 1)
				if part := got.events([]Event{77}, from, n); part[0] != 77 || !slices.Equal(part[1:], events[from:from+n]) {
					t.Fatalf("%s: events %d to %d differ", c.name, from, from+n)
				}
			}
		}
	}
}

// Three different events: the list, then a byte for each event.
func TestPackBytes(t *testing.T) {
	var p packer
	got := p.pack(nil, []Event{9, 300, 9, 9, 0x80000001, 300, 9})
	want := []byte{3, 0, 0, 0, 9, 0, 0, 0, 44, 1, 0, 0, 1, 0, 0, 0x80, 0, 1, 0, 0, 2, 1, 0}
	if !bytes.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := p.pack(nil, []Event{5, 6}); !bytes.Equal(got, []byte{0, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0}) {
		t.Errorf("events that are all different: %v", got)
	}
}

func TestParsePackedDamaged(t *testing.T) {
	var p packer
	b := p.pack(nil, different(1000, 200, 1, rand.New(rand.NewPCG(1, 1))))
	for n := range len(b) {
		if _, err := parsePacked(b[:n], 1000, nil); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d bytes of %d: error %v", n, len(b), err)
		}
	}
	for _, c := range []struct {
		name string
		b    []byte
		n    int
	}{
		{"a list longer than the frame", []byte{255, 255, 255, 255, 1, 0, 0, 0}, 1},
		{"more codes than events", []byte{1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0}, 2},
		{"no events", []byte{0, 0, 0, 0}, 1},
	} {
		if _, err := parsePacked(c.b, c.n, nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
	// Codes beyond the list are events that no stream has.
	forged := p.pack(nil, different(1000, 200, 1, rand.New(rand.NewPCG(1, 1))))
	forged[len(forged)-1] = 255
	got, err := parsePacked(forged, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	if events := got.events(nil, 998, 2); events[1] != 0 || events[0] == 0 {
		t.Errorf("got events %v, want the last one to be 0", events)
	}
}
