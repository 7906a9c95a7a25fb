package trace

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

// A rawWriter makes raw traces as the probe runtime does. It follows the documentation in raw.go
// alone.
type rawWriter struct {
	b       []byte
	flags   uint64
	places  uint32
	tests   uint32
	streams uint32
}

const rawEpoch = 1_000_000 // the monotonic clock when the trace began

func newRawWriter() *rawWriter { return &rawWriter{b: make([]byte, rawHeaderSize)} }

// bytes returns the file as it is now.
func (w *rawWriter) bytes() []byte {
	b := append([]byte(nil), w.b...)
	copy(b, rawMagic)
	for i, v := range []uint64{uint64(len(b)), w.flags, rawEpoch, 4242, rawVersion} {
		binary.LittleEndian.PutUint64(b[8+8*i:], v)
	}
	return b
}

// record appends a record and returns the offset of its payload.
func (w *rawWriter) record(kind, serial, ordinal uint32, time int64, aux uint64, payload []byte) int {
	size := recHeaderSize + (len(payload)+7)/8*8
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(size))
	for _, v := range []uint32{kind, serial, ordinal} {
		w.b = binary.LittleEndian.AppendUint32(w.b, v)
	}
	w.b = binary.LittleEndian.AppendUint64(w.b, uint64(rawEpoch+time))
	w.b = binary.LittleEndian.AppendUint64(w.b, aux)
	at := len(w.b)
	w.b = append(w.b, payload...)
	for len(w.b)%8 != 0 {
		w.b = append(w.b, 0)
	}
	return at
}

func (w *rawWriter) place(f Frame) uint32 {
	w.places++
	p := words(uint32(f.Line), uint32(len(f.Func)), uint32(len(f.File)))
	p = append(append(p, f.Func...), f.File...)
	w.record(rawPlace, w.places, 0, 0, 0x401000, p)
	return w.places
}

func (w *rawWriter) test(name string, nth uint32, time int64) uint32 {
	w.tests++
	w.record(rawTest, w.tests, nth, time, 0, append(words(uint32(len(name)), 0), name...))
	return w.tests
}

func (w *rawWriter) goroutine(id, parent GoroutineID, test, root, spawn, entry uint32, started int64) uint32 {
	w.streams++
	p := binary.LittleEndian.AppendUint64(nil, uint64(parent))
	p = append(p, words(test, root, spawn, entry)...)
	p = binary.LittleEndian.AppendUint64(p, uint64(rawEpoch+started))
	w.record(rawGoroutine, w.streams, 0, started+5, uint64(id), p)
	return w.streams
}

// chunk appends a chunk record with room for all of its events.
func (w *rawWriter) chunk(serial uint32, i int, time int64, events []Event) int {
	room := make([]Event, ChunkLen(i))
	copy(room, events)
	return w.record(rawChunk, serial, uint32(i), time, 0, encodeEvents(nil, room))
}

// stream appends all events of a goroutine as chunks.
func (w *rawWriter) stream(serial uint32, events []Event) {
	for i := 0; len(events) > 0; i++ {
		n := min(ChunkLen(i), len(events))
		w.chunk(serial, i, int64(100*i), events[:n])
		events = events[n:]
	}
}

// budgeted appends a goroutine's events the way the probe runtime does past the budget: kept
// chunks below keep, then hashes, and one chunk record that is used again. It returns the offsets
// of the payloads of the chunk and the hashes.
func (w *rawWriter) budgeted(serial uint32, events []Event, keep int) (chunk, hashes int) {
	parts := cut(events)
	for i := range keep {
		w.chunk(serial, i, int64(100*i), parts[i])
	}
	table := make([]byte, 8*(len(parts)+3))
	for i := keep; i < len(parts)-1; i++ {
		binary.LittleEndian.PutUint64(table[8*(i-keep):], HashEvents(parts[i]))
	}
	hashes = w.record(rawHashes, serial, uint32(keep), 100*int64(keep), 0, table)
	last := len(parts) - 1
	return w.chunk(serial, last, int64(100*last), parts[last]), hashes
}

// cut cuts events into chunks.
func cut(events []Event) [][]Event {
	var parts [][]Event
	for i := 0; len(events) > 0; i++ {
		n := min(ChunkLen(i), len(events))
		parts = append(parts, events[:n])
		events = events[n:]
	}
	return parts
}

func words(v ...uint32) []byte {
	var b []byte
	for _, v := range v {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// writeTemp writes b to a new file and returns its path.
func writeTemp(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.fdt")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// loop returns n events of a loop with branches, as a test that polls or computes would write
// them. The same seed gives the same events.
func loop(n int, seed uint64) []Event {
	events := make([]Event, 0, n+8)
	for i := 0; len(events) < n; i++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		events = append(events, 100, 101)
		switch r := seed >> 60; {
		case r < 8:
			events = append(events, 102, 103)
		case r < 15:
			events = append(events, 104, 110, 111, 105)
		default:
			events = append(events, CheckEvent(CheckFail, uint32(seed>>32)))
		}
	}
	return events[:n]
}
