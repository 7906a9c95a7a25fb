package trace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/alloc"
)

// parseKept reads a trace of either form from memory.
func parseKept(b []byte) (*Trace, error) {
	return new(Opener).read(bytes.NewReader(b), int64(len(b)), "mem")
}

// keep writes tr and reads it again.
func keep(t *testing.T, tr *Trace) *Trace {
	t.Helper()
	kept, err := parseKept(written(t, tr))
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func written(t testing.TB, tr *Trace) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// randomTrace returns a trace with up to a few goroutines of all lengths.
func randomTrace(r *rand.Rand) *Trace {
	frame := func() Frame {
		return []Frame{{}, {Func: "p.F", File: "/m/p/f.go", Line: r.IntN(5)}, {Func: "p.G"}, {Line: 7}}[r.IntN(4)]
	}
	tr := &Trace{PID: r.IntN(70000), Stacks: map[uint32][]Frame{}, Tests: []TestRun{}, Goroutines: []*Goroutine{}}
	if r.IntN(2) == 0 {
		tr.Reasons = []string{"", "chan receive", "select"}
	}
	for range r.IntN(4) {
		tr.Stacks[r.Uint32()&stackMask] = []Frame{frame(), frame()}
		tr.Tests = append(tr.Tests, TestRun{"TestX", r.IntN(3), r.Int64(), r.Int64N(2)})
	}
	for range r.IntN(6) {
		g := NewGoroutine(GoroutineID(r.Uint64()), []string{"", "TestX", "TestX/a b"}[r.IntN(3)], loop(r.IntN(1<<r.IntN(18)), r.Uint64()))
		g.Parent, g.Nth, g.Root = GoroutineID(r.Uint64()), r.IntN(3), r.IntN(2) == 0
		g.Spawn, g.Entry = frame(), frame()
		g.Start, g.End = r.Int64N(1e12), r.Int64N(1e12)
		g.Number, g.Class = r.Uint64(), r.Uint64()
		from := r.IntN(len(g.Chunks) + 1)
		for i := range g.Chunks {
			g.Chunks[i].Time = g.Start + int64(i)*r.Int64N(1e9)
			g.Chunks[i].Kept = i < from || r.IntN(3) == 0
		}
		at := Stamp{Time: g.Start}
		for range r.IntN(5) {
			at = Stamp{Pos: min(at.Pos+r.Int64N(100), g.Len()), Time: at.Time + r.Int64N(1e9), GoesOn: !at.GoesOn}
			if !at.GoesOn {
				at.Reason = uint8(r.IntN(maxReasons))
			} else {
				at.Waker = Waker(r.IntN(4))
			}
			g.Stamps = append(g.Stamps, at)
		}
		v := Value{}
		for range r.IntN(5) {
			v = Value{1 + r.IntN(9), r.IntN(40), min(v.Pos+r.Int64N(100), g.Len()), r.Uint64(), []string{"", "nil", "17"}[r.IntN(3)]}
			g.Values = append(g.Values, v)
		}
		tr.Goroutines = append(tr.Goroutines, g)
	}
	for i := range tr.Goroutines {
		tr.Acts = append(tr.Acts, Act{ActKind(r.IntN(9)), r.IntN(99), int32(i + 1), r.Int64(), r.Uint32(), r.Int64(), r.Int64(), r.IntN(2) == 0, r.IntN(2) == 0})
		tr.Draws = append(tr.Draws, Draw{ActKind(r.IntN(9)), r.Uint32(), r.Uint64(), r.Int64()})
		tr.Notes = append(tr.Notes, Note{ActKind(r.IntN(9)), int32(i), r.Int64(), r.Int64N(1e9), r.Int64() - r.Int64()})
	}
	return tr
}

// sameTrace fails the test unless got is want, content included.
func sameTrace(t *testing.T, got, want *Trace) {
	t.Helper()
	if got.PID != want.PID || got.Truncated != want.Truncated || !slices.Equal(got.Reasons, want.Reasons) ||
		!reflect.DeepEqual(got.Stacks, want.Stacks) || !slices.Equal(got.Tests, want.Tests) || !slices.Equal(got.Acts, want.Acts) || !slices.Equal(got.Draws, want.Draws) || !slices.Equal(got.Notes, want.Notes) || len(got.Goroutines) != len(want.Goroutines) {
		t.Fatalf("got %+v\nwant %+v", got, want)
	}
	for i, w := range want.Goroutines {
		g, w := *got.Goroutines[i], *w
		for j := range w.Chunks {
			we, werr := w.Load(j, nil)
			ge, gerr := g.Load(j, nil)
			if !errors.Is(gerr, werr) || !slices.Equal(ge, we) {
				t.Fatalf("goroutine %d, chunk %d: got %d events, error %v; want %d, %v", i, j, len(ge), gerr, len(we), werr)
			}
		}
		if !slices.Equal(g.Chunks, w.Chunks) {
			t.Fatalf("goroutine %d: chunks differ", i)
		}
		g.load, w.load, g.Chunks, w.Chunks = nil, nil, nil, nil
		if !reflect.DeepEqual(g, w) {
			t.Fatalf("goroutine %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
}

// Property: a trace that is written and read is the same trace, and writing it again gives the
// same bytes.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		want := randomTrace(r)
		b := written(t, want)
		got, err := parseKept(b)
		if err != nil {
			t.Fatal(err)
		}
		sameTrace(t, got, want)
		if !bytes.Equal(written(t, got), b) {
			t.Fatal("written again, the bytes differ")
		}
	}
}

func TestCompact(t *testing.T) {
	b, _, _ := sampleRaw()
	raw, dst := writeTemp(t, b), filepath.Join(t.TempDir(), "run 1.fdt")
	if err := Compact(raw, dst); err != nil {
		t.Fatal(err)
	}
	want, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	got, err := Open(dst)
	if err != nil {
		t.Fatal(err)
	}
	sameTrace(t, got, want)
	if err := got.Close(); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(dst), "*")); len(names) != 1 {
		t.Errorf("files left: %v", names)
	}
	if err := Compact(writeTemp(t, []byte("hello")), dst); !errors.Is(err, ErrNotTrace) {
		t.Errorf("foreign file: got error %v", err)
	}
	if err := Compact(raw, filepath.Join(t.TempDir(), "no", "dir")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: got error %v", err)
	}
}

func TestOpenTruncated(t *testing.T) {
	b := written(t, smallTrace())
	for n := range len(b) {
		_, err := parseKept(b[:n])
		want := ErrDamaged
		if n == 0 {
			want = ErrEmpty
		} else if n < len(keptMagic) {
			want = ErrNotTrace
		}
		if !errors.Is(err, want) && !(n < len(keptMagic) && errors.Is(err, ErrEmpty)) {
			t.Fatalf("%d bytes of %d: got error %v", n, len(b), err)
		}
	}
}

func smallTrace() *Trace {
	g := NewGoroutine(1, "TestX", loop(300, 1))
	h := NewGoroutine(2, "TestX", loop(40, 2))
	h.Spawn = Frame{Func: "p.F", File: "/m/p/f.go", Line: 3}
	return &Trace{PID: 1, Goroutines: []*Goroutine{g, h}, Stacks: map[uint32][]Frame{7: {h.Spawn}}, Tests: []TestRun{{"TestX", 0, 1, 2}}}
}

// Damage anywhere is detected by Open or Load, or changes nothing.
func TestOpenCorrupted(t *testing.T) {
	want := smallTrace()
	b := written(t, want)
	for i := range b {
		for bit := range 8 {
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			got, err := parseKept(c)
			if err != nil {
				if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotTrace) && !errors.Is(err, ErrVersion) {
					t.Fatalf("byte %d: got error %v", i, err)
				}
				continue
			}
			if !loads(t, got) {
				continue
			}
			sameTrace(t, got, want)
		}
	}
}

// loads reports whether all kept content of tr can be loaded.
func loads(t *testing.T, tr *Trace) bool {
	t.Helper()
	for _, g := range tr.Goroutines {
		for i := range g.Chunks {
			_, err := g.Load(i, nil)
			if err == nil || errors.Is(err, ErrNotKept) {
				continue
			}
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), g.ID.String()+", chunk ") {
				t.Fatalf("got error %v", err)
			}
			return false
		}
	}
	return true
}

// A file whose checksum is right may still be nonsense.
func TestOpenForgedIndex(t *testing.T) {
	b := written(t, smallTrace())
	off := binary.LittleEndian.Uint64(b[len(b)-keptFooterSize:])
	for i := int(off); i < len(b)-keptFooterSize; i++ {
		for _, mask := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
			c := slices.Clone(b)
			c[i] ^= mask
			n := alloc.Bytes(func() {
				if tr, err := parseKept(resealed(c)); err == nil {
					loads(t, tr)
				} else if !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d: got error %v", i, err)
				}
			})
			if n > 8<<20 {
				t.Fatalf("byte %d: %d bytes allocated", i, n)
			}
		}
	}
}

// resealed returns b, a kept trace, with its checksum corrected, if it has an index at all.
func resealed(b []byte) []byte {
	if len(b) < keptHeaderSize+keptFooterSize {
		return b
	}
	foot := b[len(b)-keptFooterSize:]
	off, end := binary.LittleEndian.Uint64(foot), uint64(len(b)-keptFooterSize)
	if off > end {
		return b
	}
	binary.LittleEndian.PutUint32(foot[16:], keptChecksum(b[:keptHeaderSize], b[off:end], foot[:16]))
	return b
}

func TestOpenNewer(t *testing.T) {
	b := written(t, smallTrace())
	b[8] = 9
	path := writeTemp(t, b)
	_, err := Open(path)
	if want := "trace: " + path + ": trace of another version: format 9, this program reads 5 to 7"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestWriteRejectsOtherChunks(t *testing.T) {
	g := NewGoroutine(1, "", loop(300, 1))
	g.Chunks[0].Len = 63
	if err := Write(new(bytes.Buffer), &Trace{Goroutines: []*Goroutine{g}}); err == nil {
		t.Error("no error for a chunk of 63 events")
	}
}

type failingWriter struct{ left int }

func (w *failingWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return len(b), nil
}

func TestWriteFails(t *testing.T) {
	size := len(written(t, smallTrace()))
	for n := range size {
		if err := Write(&failingWriter{n}, smallTrace()); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("after %d bytes: got error %v", n, err)
		}
	}
}

// Chunks of all goroutines are loaded in any order, by several at once.
func TestLoadConcurrently(t *testing.T) {
	tr := &Trace{}
	for i := range 20 {
		tr.Goroutines = append(tr.Goroutines, NewGoroutine(GoroutineID(i), "", loop(30000, uint64(i))))
	}
	kept := keep(t, tr)
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 300 {
				g := kept.Goroutines[r.IntN(len(kept.Goroutines))]
				i := r.IntN(len(g.Chunks))
				if events, err := g.Load(i, nil); err != nil || len(events) != g.Chunks[i].Len {
					t.Errorf("chunk %d: %d events, error %v", i, len(events), err)
				}
			}
		})
	}
	wg.Wait()
}

// Reading, writing and opening take memory for the index only, however long the trace.
func TestBoundedMemory(t *testing.T) {
	const n = 8 << 20 // events, 32 MB
	dir := t.TempDir()
	w := newRawWriter()
	w.stream(w.goroutine(1, 0, 0, 0, 0, 0, 0), benchLoop(n))
	raw, dst := filepath.Join(dir, "raw"), filepath.Join(dir, "kept")
	if err := os.WriteFile(raw, w.bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	w = nil
	got := alloc.Bytes(func() {
		if err := Compact(raw, dst); err != nil {
			t.Fatal(err)
		}
		tr, err := Open(dst)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		var buf []Event
		for i := range tr.Goroutines[0].Chunks {
			if buf, err = tr.Goroutines[0].Load(i, buf); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got > 20<<20 {
		t.Errorf("%d MB allocated in all for a trace of %d MB", got>>20, n*eventSize>>20)
	}
}

// TestOpenerEnds ends the context while a trace is read.
func TestOpenerEnds(t *testing.T) {
	why := errors.New("time is up")
	name := filepath.Join(t.TempDir(), "trace")
	want := &Trace{Goroutines: []*Goroutine{NewGoroutine(1, "TestX", loop(100, 3))}}
	if err := os.WriteFile(name, written(t, want), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	o := Opener{Context: ctx}
	tr, err := o.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.Goroutines[0].Load(0, nil); err != nil {
		t.Error(err)
	}
	cancel(why)
	if _, err := tr.Goroutines[0].Load(0, nil); !errors.Is(err, why) {
		t.Errorf("loading: %v", err)
	}
	if _, err := o.Open(name); !errors.Is(err, why) {
		t.Errorf("opening: %v", err)
	}
}
