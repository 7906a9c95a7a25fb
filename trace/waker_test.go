package trace

import (
	"encoding/binary"
	"slices"
	"testing"
)

// wait returns a stamp as a rawWaits record has it.
func wait(pos uint64, goesOn bool, time int64, what uint64) []byte {
	word := pos << 1
	if goesOn {
		word |= 1
	}
	b := binary.LittleEndian.AppendUint64(nil, word)
	b = binary.LittleEndian.AppendUint64(b, uint64(rawEpoch+time))
	return binary.LittleEndian.AppendUint64(b, what)
}

// sampleWaits is the trace of goroutine 1 (serial 5), which waits four times, and of goroutine 2
// (serial 3), which sends the first time. The records of wakers follow those that name them.
func sampleWaits() []byte {
	w := newRawWriter()
	reason := func(n uint32, name string) {
		w.record(rawReason, n, 0, 0, 0, append(words(uint32(len(name)), 0), name...))
	}
	w.streams = 4
	g := w.goroutine(1, 0, 0, 0, 0, 0, 0)
	w.chunk(g, 0, 0, loop(10, 1))
	reason(14, "chan receive")
	w.record(rawWaits, g, 0, 0, 0, slices.Concat(
		wait(4, false, 10, 14), wait(4, true, 20, 3<<40|2),
		wait(5, false, 30, 14), wait(5, true, 40, 1),
		wait(6, false, 50, 200), wait(6, true, 60, 2),
		wait(7, true, 70, 0),
		wait(9, false, 95, 1<<40), // no such reason
		make([]byte, waitSize)))
	w.streams = 2
	h := w.goroutine(2, 1, 0, 0, 0, 0, 0)
	w.chunk(h, 0, 0, loop(3, 2))
	reason(200, "select")
	return w.bytes()
}

func TestReadWaits(t *testing.T) {
	raw, err := parseKept(sampleWaits())
	if err != nil {
		t.Fatal(err)
	}
	want := []Stamp{
		{Pos: 4, Time: 10, Reason: 14}, {Pos: 4, Time: 20, GoesOn: true, Waker: WakerProbed},
		{Pos: 5, Time: 30, Reason: 14}, {Pos: 5, Time: 40, GoesOn: true, Waker: WakerTimer},
		{Pos: 6, Time: 50, Reason: 200}, {Pos: 6, Time: 60, GoesOn: true, Waker: WakerOther},
		{Pos: 7, Time: 70, GoesOn: true},
		{Pos: 9, Time: 95, Reason: 255},
	}
	for name, tr := range map[string]*Trace{"raw": raw, "kept": keep(t, raw)} {
		g := tr.Goroutines[0]
		if tr.Truncated != "" || !slices.Equal(g.Stamps, want) {
			t.Errorf("%s: got %v, truncated %q\nwant %v", name, g.Stamps, tr.Truncated, want)
		}
		var reasons []string
		for _, s := range g.Stamps {
			reasons = append(reasons, tr.Reason(s))
		}
		if want := []string{"chan receive", "", "chan receive", "", "select", "", "", ""}; !slices.Equal(reasons, want) {
			t.Errorf("%s: got reasons %q, want %q", name, reasons, want)
		}
	}
}
