package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/alloc"
)

// parseRaw reads a raw trace from memory.
func parseRaw(b []byte) (*Trace, error) { return readRaw(bytes.NewReader(b), int64(len(b)), "mem") }

// content returns all events of g. It fails for chunks that were not kept.
func content(g *Goroutine) ([]Event, error) {
	var all, buf []Event
	for i := range g.Chunks {
		var err error
		if buf, err = g.Load(i, buf); err != nil {
			return all, err
		}
		all = append(all, buf...)
	}
	return all, nil
}

// sampleRaw returns a raw trace with a record of each kind, and the events of its two goroutines.
func sampleRaw() (b []byte, main, worker []Event) {
	main, worker = loop(440, 1), loop(20, 2)
	w := newRawWriter()
	test := w.test("TestX/case_3", 1, 10)
	spawn := w.place(Frame{Func: "example.com/m/p.TestX", File: "/m/p/x_test.go", Line: 12})
	entry := w.place(Frame{Func: "example.com/m/p.worker", File: "/m/p/x.go", Line: 30})
	g1 := w.goroutine(0xa1, 0, test, 1, 0, 0, 20)
	parts := cut(main)
	w.chunk(g1, 0, 25, parts[0])
	w.record(99, 7, 7, 0, 0, make([]byte, 40)) // of an unknown kind
	g2 := w.goroutine(0xb2, 0xa1, test, 0, spawn, entry, 30)
	w.chunk(g2, 0, 36, worker)
	w.chunk(g1, 1, 50, parts[1])
	w.record(rawStack, 0, 0, 0, 77, words(3, 0, entry, spawn, 9999))
	w.record(rawEnd, g2, 0, 60, 0, nil)
	w.chunk(g1, 2, 70, parts[2])
	w.record(rawTestEnd, test, 0, 80, 0, nil)
	w.record(rawEnd, g1, 0, 90, 0, nil)
	return w.bytes(), main, worker
}

func TestReadRaw(t *testing.T) {
	b, main, worker := sampleRaw()
	tr, err := ReadRaw(writeTemp(t, b))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	spawn := Frame{Func: "example.com/m/p.TestX", File: "/m/p/x_test.go", Line: 12}
	entry := Frame{Func: "example.com/m/p.worker", File: "/m/p/x.go", Line: 30}
	if tr.PID != 4242 || tr.Truncated != "" || len(tr.Goroutines) != 2 {
		t.Fatalf("got pid %d, %d goroutines, truncated %q", tr.PID, len(tr.Goroutines), tr.Truncated)
	}
	if want := []TestRun{{"TestX/case_3", 1, 10, 80}}; !slices.Equal(tr.Tests, want) {
		t.Errorf("tests: got %v, want %v", tr.Tests, want)
	}
	if want := map[uint32][]Frame{77: {entry, spawn, {}}}; !reflect.DeepEqual(tr.Stacks, want) {
		t.Errorf("stacks: got %v, want %v", tr.Stacks, want)
	}
	want := []*Goroutine{
		{ID: 0xa1, Test: "TestX/case_3", Nth: 1, Root: true, Start: 20, End: 90},
		{ID: 0xb2, Parent: 0xa1, Test: "TestX/case_3", Nth: 1, Spawn: spawn, Entry: entry, Start: 30, End: 60},
	}
	times := [][]int64{{25, 50, 70}, {36}}
	for i, events := range [][]Event{main, worker} {
		got := *tr.Goroutines[i]
		all, err := content(&got)
		if err != nil || !slices.Equal(all, events) {
			t.Errorf("goroutine %d: %d events, error %v, want %d", i, len(all), err, len(events))
		}
		for j, c := range got.Chunks {
			if c.Hash != HashEvents(cut(events)[j]) || c.Time != times[i][j] || !c.Kept {
				t.Errorf("goroutine %d, chunk %d: %+v", i, j, c)
			}
		}
		got.Chunks, got.load = nil, nil
		if !reflect.DeepEqual(&got, want[i]) {
			t.Errorf("goroutine %d:\n got %+v\nwant %+v", i, got, *want[i])
		}
	}
}

func TestReadRawBudget(t *testing.T) {
	events := loop(64+128+256+512+1024+2048+3*4096+10, 3)
	parts := cut(events)
	const whole = 7
	last := len(parts) - 1
	tests := []struct {
		name string
		// change edits the file, given the offsets of the payloads of the reused chunk and of the
		// hashes
		change func(b []byte, chunk, hashes int)
		chunks int
		kept   func(i int) bool
	}{
		{"in the last chunk", func([]byte, int, int) {}, last + 1, func(i int) bool { return i < whole || i == last }},
		{"hash written, chunk not cleared", func(b []byte, chunk, hashes int) {
			setOrdinal(b, chunk, last-1)
			copy(b[chunk:], encodeEvents(nil, parts[last-1]))
		}, last, func(i int) bool { return i < whole || i == last-1 }},
		{"hash written, chunk partly cleared", func(b []byte, chunk, hashes int) {
			setOrdinal(b, chunk, last-1)
			copy(b[chunk:], encodeEvents(nil, parts[last-1]))
			clear(b[chunk+400 : chunk+4*fullChunkLen])
		}, last, func(i int) bool { return i < whole }},
		{"chunk cleared, nothing written", func(b []byte, chunk, hashes int) {
			clear(b[chunk : chunk+4*fullChunkLen])
		}, last, func(i int) bool { return i < whole }},
		{"chunk full, hash not written", func(b []byte, chunk, hashes int) {
			setOrdinal(b, chunk, last-1)
			copy(b[chunk:], encodeEvents(nil, parts[last-1]))
			clear(b[hashes+8*(last-1-whole):][:8])
		}, last, func(i int) bool { return i < whole || i == last-1 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newRawWriter()
			w.flags = rawBudget
			chunk, hashes := w.budgeted(w.goroutine(1, 0, 0, 0, 0, 0, 0), events, whole)
			b := w.bytes()
			tt.change(b, chunk, hashes)
			tr, err := parseRaw(b)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(tr.Truncated, "budget") || strings.Contains(tr.Truncated, "damaged") {
				t.Errorf("truncated: %q", tr.Truncated)
			}
			checkParts(t, tr.Goroutines[0], parts[:tt.chunks], tt.kept)
			kept := keep(t, tr)
			checkParts(t, kept.Goroutines[0], parts[:tt.chunks], tt.kept)
		})
	}
}

// setOrdinal sets the ordinal of the record whose payload is at payload.
func setOrdinal(b []byte, payload, ordinal int) {
	binary.LittleEndian.PutUint32(b[payload-recHeaderSize+12:], uint32(ordinal))
}

// checkParts checks that g has the given chunks, and content where kept says so.
func checkParts(t *testing.T, g *Goroutine, parts [][]Event, kept func(i int) bool) {
	t.Helper()
	if len(g.Chunks) != len(parts) {
		t.Fatalf("got %d chunks, want %d", len(g.Chunks), len(parts))
	}
	for i, c := range g.Chunks {
		if c.Hash != HashEvents(parts[i]) || c.Len != len(parts[i]) || c.Kept != kept(i) {
			t.Errorf("chunk %d: got %+v, want %d events, kept %v", i, c, len(parts[i]), kept(i))
		}
		events, err := g.Load(i, nil)
		if !c.Kept {
			if !errors.Is(err, ErrNotKept) {
				t.Errorf("chunk %d: got error %v, want ErrNotKept", i, err)
			}
		} else if err != nil || !slices.Equal(events, parts[i]) {
			t.Errorf("chunk %d: got %d events and error %v, want %d", i, len(events), err, len(parts[i]))
		}
	}
}

// However a raw trace is cut off, ReadRaw reads what is there, and it is a prefix.
func TestReadRawTruncated(t *testing.T) {
	b, main, worker := sampleRaw()
	for n := range len(b) {
		tr, err := parseRaw(b[:n])
		if n < rawFieldsSize {
			if !errors.Is(err, ErrEmpty) {
				t.Fatalf("%d bytes: got error %v, want ErrEmpty", n, err)
			}
			continue
		}
		if err != nil || tr.Truncated == "" {
			t.Fatalf("%d bytes: error %v, truncated %q", n, err, tr.Truncated)
		}
		for i, g := range tr.Goroutines {
			got, err := content(g)
			want := [][]Event{main, worker}[i]
			if err != nil || len(got) > len(want) || !slices.Equal(got, want[:len(got)]) {
				t.Fatalf("%d bytes: goroutine %d has %d events, error %v, not a prefix", n, i, len(got), err)
			}
		}
	}
}

// Damage anywhere gives an error or a trace that can be walked and kept.
func TestReadRawCorrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	b, _, _ := sampleRaw()
	for i := range b {
		if i >= rawFieldsSize && i < rawHeaderSize {
			continue // not in use
		}
		for _, mask := range []byte{0x01, 0x80, 0xff} {
			c := slices.Clone(b)
			c[i] ^= mask
			walkRaw(t, c)
		}
	}
}

// walkRaw reads b as a raw trace and, if it is one, uses all of it.
func walkRaw(t *testing.T, b []byte) {
	t.Helper()
	tr, err := parseRaw(b)
	if err != nil {
		return
	}
	for _, g := range tr.Goroutines {
		for i, c := range g.Chunks {
			events, err := g.Load(i, nil)
			if c.Kept && (err != nil || HashEvents(events) != c.Hash || slices.Contains(events, 0)) {
				t.Fatalf("chunk %d: error %v or wrong content", i, err)
			}
		}
	}
	keep(t, tr)
}

func TestReadRawGaps(t *testing.T) {
	events := loop(64+128+256+20, 4)
	parts := cut(events)
	tests := []struct {
		name   string
		chunks []int // ordinals in file order
		want   int
		note   string
	}{
		{"in order", []int{0, 1, 2, 3}, 4, ""},
		{"out of order", []int{2, 0, 3, 1}, 4, ""},
		{"second lost", []int{0, 2, 3}, 1, "lost from chunk 1 on"},
		{"first lost", []int{1, 2}, 0, "lost from chunk 0 on"},
		{"twice", []int{0, 1, 1, 2}, 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newRawWriter()
			g := w.goroutine(1, 0, 0, 0, 0, 0, 0)
			for _, i := range tt.chunks {
				w.chunk(g, i, 0, parts[i])
			}
			tr, err := parseRaw(w.bytes())
			if err != nil {
				t.Fatal(err)
			}
			if (tr.Truncated == "") != (tt.note == "") || !strings.Contains(tr.Truncated, tt.note) {
				t.Errorf("truncated: %q, want %q", tr.Truncated, tt.note)
			}
			checkParts(t, tr.Goroutines[0], parts[:tt.want], func(int) bool { return true })
		})
	}
}

func TestReadRawForeign(t *testing.T) {
	b, _, _ := sampleRaw()
	edit := func(off int, v uint64) []byte {
		c := slices.Clone(b)
		binary.LittleEndian.PutUint64(c[off:], v)
		return c
	}
	tests := []struct {
		name string
		b    []byte
		want error
		text string
	}{
		{"empty", nil, ErrEmpty, "the process ended before"},
		{"zeros", make([]byte, 5000), ErrEmpty, ""},
		{"text", []byte("mode: count\n"), ErrNotTrace, "not an fdebug trace"},
		{"elf", []byte("\x7fELF\x02\x01\x01"), ErrNotTrace, ""},
		{"one byte", []byte("x"), ErrNotTrace, ""},
		{"newer", edit(40, 2), ErrVersion, "raw format 2, this program reads 1"},
		{"other endian", edit(40, 1<<56), ErrVersion, "big-endian"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeTemp(t, tt.b)
			for _, read := range []func(string) (*Trace, error){ReadRaw, Open} {
				_, err := read(path)
				if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "trace: "+path+": ") || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("got error %v, want %v", err, tt.want)
				}
			}
		})
	}
	if _, err := ReadRaw(t.TempDir()); !errors.Is(err, ErrNotTrace) {
		t.Errorf("directory: got error %v", err)
	}
	if _, err := ReadRaw(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got error %v", err)
	}
}

// A process says when it began to write by its own clock; old runtimes do not.
func TestBegan(t *testing.T) {
	b, _, _ := sampleRaw()
	for _, at := range []int64{0, 1_795_737_600_123_456_789} {
		binary.LittleEndian.PutUint64(b[56:], uint64(at))
		began, err := Began(writeTemp(t, b))
		if want := (time.Time{}); err != nil || at == 0 && !began.Equal(want) || at != 0 && began.UnixNano() != at {
			t.Errorf("%d: %v, %v", at, began, err)
		}
	}
	if at, err := Began(writeTemp(t, []byte("mode: count\n"))); err == nil {
		t.Errorf("no trace began at %v", at)
	}
}

// A small file that claims to hold gigabytes must not make the reader allocate them.
func TestReadRawBoundedMemory(t *testing.T) {
	huge := func(kind uint32, payload []byte) []byte {
		w := newRawWriter()
		g := w.goroutine(1, 0, 0, 0, 0, 0, 0)
		at := w.record(kind, g, 1<<31, 0, 5, payload)
		b := w.bytes()
		binary.LittleEndian.PutUint32(b[at-recHeaderSize:], 0xfffffff8)
		binary.LittleEndian.PutUint64(b[8:], 1<<60)
		return b
	}
	payload := slices.Repeat([]byte{0xff}, 512)
	for kind := uint32(1); kind <= 9; kind++ {
		b := huge(kind, payload)
		if n := alloc.Bytes(func() { walkRaw(t, b) }); n > 32<<20 {
			t.Errorf("kind %d: %d bytes allocated for a file of %d", kind, n, len(b))
		}
	}
}

// A long table of hashes is read in pieces.
func TestReadRawManyHashes(t *testing.T) {
	const n = windowSize/8*2 + 100
	table := make([]byte, 8*n)
	for i := range n {
		binary.LittleEndian.PutUint64(table[8*i:], uint64(i+1))
	}
	w := newRawWriter()
	w.record(rawHashes, w.goroutine(1, 0, 0, 0, 0, 0, 0), 0, 0, 0, table)
	w.stream(w.goroutine(2, 0, 0, 0, 0, 0, 0), loop(100, 1))
	tr, err := parseRaw(w.bytes())
	if err != nil || tr.Truncated != "" || len(tr.Goroutines) != 2 {
		t.Fatalf("error %v, truncated %q", err, tr.Truncated)
	}
	chunks := tr.Goroutines[0].Chunks
	if len(chunks) != n || chunks[n-1].Hash != n || tr.Goroutines[1].Len() != 100 {
		t.Errorf("got %d chunks, want %d", len(chunks), n)
	}
}
