package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// These benchmarks work on loops of block numbers; MB/s are of the raw trace, on one core.

const benchEvents = 10 << 20 // 40 MB

func benchRaw(b *testing.B) string {
	w := newRawWriter()
	g := w.goroutine(1, 0, w.test("TestX", 0, 0), 1, 0, 0, 0)
	w.stream(g, benchLoop(benchEvents))
	return writeTemp(b, w.bytes())
}

// benchLoop returns n events of nested loops over data, with rare branches and calls to a few
// hundred functions.
func benchLoop(n int) []Event {
	events := make([]Event, 0, n+64)
	var seed uint64 = 42
	for len(events) < n {
		seed = seed*6364136223846793005 + 1442695040888963407
		fn := Event(1000 + 16*(seed>>33%300))
		events = append(events, 7, 8, fn)
		for range seed >> 60 {
			seed = seed*6364136223846793005 + 1442695040888963407
			events = append(events, fn+1, fn+2)
			if seed>>63 == 1 {
				events = append(events, fn+3, fn+4)
			}
			events = append(events, fn+5)
		}
		events = append(events, fn+6, 9)
	}
	return events[:n]
}

func BenchmarkHashEvents(b *testing.B) {
	events := benchLoop(fullChunkLen)
	b.SetBytes(int64(len(events) * eventSize))
	for b.Loop() {
		HashEvents(events)
	}
}

func BenchmarkReadRaw(b *testing.B) {
	path := benchRaw(b)
	b.SetBytes(benchEvents * eventSize)
	for b.Loop() {
		t, err := ReadRaw(path)
		if err != nil {
			b.Fatal(err)
		}
		t.Close()
	}
}

func BenchmarkCompact(b *testing.B) {
	path := benchRaw(b)
	dst := filepath.Join(b.TempDir(), "kept")
	b.SetBytes(benchEvents * eventSize)
	b.ReportAllocs()
	for b.Loop() {
		if err := Compact(path, dst); err != nil {
			b.Fatal(err)
		}
	}
	fi, err := os.Stat(dst)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(benchEvents*eventSize/float64(fi.Size()), "ratio")
}

func BenchmarkLoad(b *testing.B) {
	var kept bytes.Buffer
	if err := Write(&kept, &Trace{Goroutines: []*Goroutine{NewGoroutine(1, "", benchLoop(benchEvents))}}); err != nil {
		b.Fatal(err)
	}
	t, err := Open(writeTemp(b, kept.Bytes()))
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	g := t.Goroutines[0]
	b.SetBytes(benchEvents * eventSize)
	b.ReportAllocs()
	var buf []Event
	for b.Loop() {
		for i := range g.Chunks {
			if buf, err = g.Load(i, buf); err != nil {
				b.Fatal(err)
			}
		}
	}
}
