package trace

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// sampleActs is a raw trace with a goroutine that has a class, perturbations that acted on it,
// and two kinds of draws. The last act names a goroutine that does not exist.
func sampleActs() []byte {
	w := newRawWriter()
	w.streams++
	g := w.streams
	p := make([]byte, 48)
	binary.LittleEndian.PutUint64(p[40:], 77)
	w.record(rawGoroutine, g, 0, 0, 5, p)
	w.chunk(g, 0, 0, loop(10, 1))
	act := func(serial, index, kind, block uint32, event uint64, start, held int64) {
		b := words(kind, block)
		b = binary.LittleEndian.AppendUint64(b, uint64(rawEpoch+start))
		w.record(rawAct, serial, index, start, event, binary.LittleEndian.AppendUint64(b, uint64(held)))
	}
	act(g, 0, uint32(ActStall)|actApplied, 3, 4, 50, 30_000)
	act(g, 2, uint32(ActOrder)|actApplied|actMet, 4, 6, 60, 0)
	act(g, 1, uint32(ActStall), 0, 10, 70, 0)
	draw := func(kind ActKind, block uint32, count uint64) {
		b := binary.LittleEndian.AppendUint64(words(uint32(kind), block), 77)
		w.record(rawDraw, 0, 0, 0, 0, binary.LittleEndian.AppendUint64(b, count))
	}
	draw(ActMap, 3, 12)
	draw(ActSelect, 0, 1)
	act(9, 0, uint32(ActStall), 1, 1, 80, 0)
	return w.bytes()
}

func TestReadActs(t *testing.T) {
	raw, err := parseKept(sampleActs())
	if err != nil {
		t.Fatal(err)
	}
	acts := []Act{
		{Kind: ActStall, Goroutine: 1, Event: 4, Block: 3, Start: 50, Held: 30_000, Applied: true},
		{Kind: ActOrder, Index: 2, Goroutine: 1, Event: 6, Block: 4, Start: 60, Applied: true, Met: true},
		{Kind: ActStall, Index: 1, Goroutine: 1, Event: 10, Start: 70},
	}
	draws := []Draw{{ActMap, 3, 77, 12}, {ActSelect, 0, 77, 1}}
	for name, tr := range map[string]*Trace{"raw": raw, "kept": keep(t, raw)} {
		if !slices.Equal(tr.Acts, acts) || !slices.Equal(tr.Draws, draws) {
			t.Errorf("%s: got %+v and %+v\nwant %+v and %+v", name, tr.Acts, tr.Draws, acts, draws)
		}
		if g := tr.Goroutines[0]; g.Class != 77 {
			t.Errorf("%s: class %d", name, g.Class)
		}
		if !strings.HasPrefix(tr.Truncated, "damaged at byte ") {
			t.Errorf("%s: truncated %q", name, tr.Truncated)
		}
	}
}
