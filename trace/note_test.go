package trace

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestReadNotes has the note of a goroutine, one of a goroutine without a record, and one of a goroutine that
// is not there.
func TestReadNotes(t *testing.T) {
	w := newRawWriter()
	g := w.goroutine(1, 0, 0, 0, 0, 0, 0)
	w.chunk(g, 0, 0, loop(10, 1))
	note := func(serial uint32, kind ActKind, event uint64, time, value int64) {
		w.record(rawNote, serial, uint32(kind), time, event, binary.LittleEndian.AppendUint64(nil, uint64(value)))
	}
	note(g, ActRead, 4, 50, 37)
	note(0, ActGC, 0, 60, 2)
	note(9, ActRead, 1, 70, 1)
	note(g, ActLimits, 9, 80, -98)
	raw, err := parseKept(w.bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []Note{{ActRead, 1, 4, 50, 37}, {ActGC, 0, 0, 60, 2}, {ActLimits, 1, 9, 80, -98}}
	for name, tr := range map[string]*Trace{"raw": raw, "kept": keep(t, raw)} {
		if !slices.Equal(tr.Notes, want) || tr.Truncated == "" {
			t.Errorf("%s: got %+v, truncated %q\nwant %+v", name, tr.Notes, tr.Truncated, want)
		}
	}
}

// TestListing follows how the probe runtime writes an order: how many entries, then a bit for each pair in turn
// that says whether the earlier one has the greater name.
func TestListing(t *testing.T) {
	for _, c := range []struct {
		value int64
		want  []int
	}{
		{0b10_0, []int{0, 1}},               // a b
		{0b10_1, []int{1, 0}},               // b a
		{0b11_1_10, []int{2, 0, 1}},         // c a: 1; c b: 1, a b: 0
		{0b11_1_11, []int{2, 1, 0}},         // c b a
		{0b100_0_00_111, []int{1, 2, 3, 0}}, // b c d a
		{0b11, nil},
		{-5, nil},
	} {
		if got := Listing(c.value); !slices.Equal(got, c.want) {
			t.Errorf("%b: got %v, want %v", c.value, got, c.want)
		}
	}
}
