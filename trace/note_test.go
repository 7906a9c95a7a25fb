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
	note(g, ActLeft, 4, 50, 37)
	note(0, ActStuck, 0, 60, 2)
	note(9, ActLeft, 1, 70, 1)
	note(g, ActStuck, 9, 80, -98)
	raw, err := parseKept(w.bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := []Note{{ActLeft, 1, 4, 50, 37}, {ActStuck, 0, 0, 60, 2}, {ActStuck, 1, 9, 80, -98}}
	for name, tr := range map[string]*Trace{"raw": raw, "kept": keep(t, raw)} {
		if !slices.Equal(tr.Notes, want) || tr.Truncated == "" {
			t.Errorf("%s: got %+v, truncated %q\nwant %+v", name, tr.Notes, tr.Truncated, want)
		}
	}
}
