package trace

import "testing"

// Stored traces and the probe runtime depend on these values. They must never change.
func TestHashEventsGolden(t *testing.T) {
	golden := []struct {
		n    int
		want uint64
	}{
		{0, 0xa40dae5b5d64a4e6},
		{1, 0x295b8f47c2fdf38e},
		{2, 0x0f68cdd3ff19e550},
		{7, 0xb2419fe8cb29724e},
		{8, 0xa04bdca52b145191},
		{9, 0x89f85f3e7fb01e7b},
		{15, 0x4cc433aaf00eff8f},
		{16, 0x16e92b3b4af1c275},
		{64, 0x42ee5b5360a08772},
		{100, 0x7ccd10fe64035824},
		{4096, 0x9ec2a942dd01868e},
	}
	for _, g := range golden {
		events := make([]Event, g.n)
		for i := range events {
			events[i] = Event(uint32(i+1) * 2654435761)
		}
		if got := HashEvents(events); got != g.want {
			t.Errorf("hash of %d events is %#016x, want %#016x", g.n, got, g.want)
		}
	}
}

// A chunk that differs in one event, or in the order of two, has another hash.
func TestHashEventsDiffers(t *testing.T) {
	events := loop(200, 1)
	seen := map[uint64]string{HashEvents(events): "the original"}
	try := func(what string) {
		h := HashEvents(events)
		if other, dup := seen[h]; dup {
			t.Errorf("%s has the hash of %s", what, other)
		}
		seen[h] = what
	}
	for i := range events {
		events[i] ^= 1 << (i % 32)
		try("a changed event")
		events[i] ^= 1 << (i % 32)
	}
	for i := 0; i+1 < len(events); i++ {
		if events[i] == events[i+1] {
			continue
		}
		events[i], events[i+1] = events[i+1], events[i]
		try("a swap")
		events[i], events[i+1] = events[i+1], events[i]
	}
}
