package trace

import (
	"encoding/binary"
	"math"
)

// An indexReader decodes the index of a kept trace. After the first error, which it keeps in err,
// it returns zeros.
type indexReader struct {
	b   []byte // what is left of the index
	end int64  // of the frames in the file
	src *keptSource
	err error

	version uint32 // of the file
	strings []string
	places  []Frame
	// where the next kept chunk begins
	frame, event int
}

func (r *indexReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = damaged(format, args...)
	}
	r.b = nil
}

func (r *indexReader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("its index ends early")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *indexReader) int() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("its index ends early")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *indexReader) word() uint64 {
	if len(r.b) < 8 {
		r.fail("its index ends early")
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

// natural returns a number that fits any int.
func (r *indexReader) natural() int {
	v := r.uint()
	if v > math.MaxInt32 {
		r.fail("its index has the number %d", v)
		return 0
	}
	return int(v)
}

// count returns the length of a list whose elements take at least size bytes each. A length that
// does not fit the remaining input is an error, so that a damaged file can't make the reader
// allocate much.
func (r *indexReader) count(size int) int {
	v := r.uint()
	if v > uint64(len(r.b)/size) {
		r.fail("its index has a list of %d elements", v)
		return 0
	}
	return int(v)
}

func (r *indexReader) bytes() string {
	n := r.count(1)
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

// string reads the number of a string and returns the string.
func (r *indexReader) string() string {
	n := r.uint()
	if n > uint64(len(r.strings)) {
		r.fail("its index names string %d of %d", n, len(r.strings))
		return ""
	}
	if n == 0 {
		return ""
	}
	return r.strings[n-1]
}

// place reads the number of a place and returns the place.
func (r *indexReader) place() Frame {
	n := r.uint()
	if n > uint64(len(r.places)) {
		r.fail("its index names place %d of %d", n, len(r.places))
		return Frame{}
	}
	if n == 0 {
		return Frame{}
	}
	return r.places[n-1]
}

// trace decodes the whole index.
func (r *indexReader) trace() *Trace {
	t := &Trace{PID: r.natural(), Truncated: r.bytes()}
	r.strings = make([]string, r.count(1))
	for i := range r.strings {
		r.strings[i] = r.bytes()
	}
	r.places = make([]Frame, r.count(3))
	for i := range r.places {
		r.places[i] = Frame{Func: r.string(), File: r.string(), Line: r.natural()}
	}
	t.Stacks = r.stacks()
	t.Tests = make([]TestRun, r.count(4))
	for i := range t.Tests {
		t.Tests[i] = TestRun{Name: r.string(), Nth: r.natural(), Start: r.int(), End: r.int()}
	}
	t.Reasons = r.reasons()
	r.src.frames = r.frames()
	t.Goroutines = make([]*Goroutine, r.count(16+8))
	for i := range t.Goroutines {
		t.Goroutines[i] = r.goroutine()
	}
	if r.version >= actVersion {
		r.acts(t)
	}
	if r.version >= noteVersion {
		r.notes(t)
	}
	if r.err == nil && (len(r.b) > 0 || r.frame < len(r.src.frames)) {
		r.fail("its index does not account for its content")
	}
	return t
}

func (r *indexReader) stacks() map[uint32][]Frame {
	n := r.count(2)
	stacks := make(map[uint32][]Frame, n)
	for range n {
		hash := r.uint()
		if hash > math.MaxUint32 {
			r.fail("its index has the stack hash %#x", hash)
		}
		frames := make([]Frame, r.count(1))
		for i := range frames {
			frames[i] = r.place()
		}
		stacks[uint32(hash)] = frames
	}
	return stacks
}

func (r *indexReader) reasons() []string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	reasons := make([]string, n)
	for i := range reasons {
		reasons[i] = r.string()
	}
	return reasons
}

func (r *indexReader) frames() []frame {
	frames := make([]frame, r.count(2))
	off := int64(keptHeaderSize)
	for i := range frames {
		f := frame{off: off, size: r.natural(), events: r.natural()}
		if f.size == 0 || f.size > maxFrameSize || f.events == 0 || f.events > maxFrameEvents ||
			off+int64(f.size) > r.end {
			r.fail("frame %d is of %d bytes and %d events", i, f.size, f.events)
			return nil
		}
		off += int64(f.size)
		frames[i] = f
	}
	if off != r.end {
		r.fail("its frames end at byte %d, not %d", off, r.end)
	}
	return frames
}

func (r *indexReader) goroutine() *Goroutine {
	g := &Goroutine{ID: GoroutineID(r.word()), Parent: GoroutineID(r.word())}
	if r.version >= actVersion {
		g.Class = r.word()
	}
	g.Root, g.Test, g.Nth = r.uint()&flagRoot != 0, r.string(), r.natural()
	g.Spawn, g.Entry = r.place(), r.place()
	g.Number = r.uint()
	g.Start, g.End = r.int(), r.int()
	r.chunks(g)
	r.stamps(g)
	r.values(g)
	return g
}

func (r *indexReader) chunks(g *Goroutine) {
	g.Chunks = make([]Chunk, r.count(9))
	n := len(g.Chunks)
	if n == 0 {
		return
	}
	for i := range g.Chunks {
		g.Chunks[i].Len = ChunkLen(i)
	}
	last := r.natural()
	if last == 0 || last > ChunkLen(n-1) {
		r.fail("the last chunk of goroutine %s has %d events", g.ID, last)
	}
	g.Chunks[n-1].Len = last
	r.keptRuns(g)
	at := r.locate(g)
	t := g.Start
	for i := range g.Chunks {
		g.Chunks[i].Hash = r.word()
		t += r.int()
		g.Chunks[i].Time = t
	}
	src := r.src // not r, with the whole index
	g.load = func(i int, buf []Event) ([]Event, error) { return src.load(g, i, at[i], buf) }
}

// keptRuns reads which chunks of g were kept.
func (r *indexReader) keptRuns(g *Goroutine) {
	for i, kept := 0, true; i < len(g.Chunks) && r.err == nil; kept = !kept {
		run := r.natural()
		if run > len(g.Chunks)-i || run == 0 && i > 0 {
			r.fail("goroutine %s has %d chunks, and a run of %d", g.ID, len(g.Chunks), run)
			return
		}
		for range run {
			g.Chunks[i].Kept = kept
			i++
		}
	}
}

// A chunkPos is where a chunk's content is.
type chunkPos struct{ frame, event int32 }

// locate finds the chunks of g, which follow those of the previous goroutine.
func (r *indexReader) locate(g *Goroutine) []chunkPos {
	at := make([]chunkPos, len(g.Chunks))
	for i, c := range g.Chunks {
		if !c.Kept {
			continue
		}
		if r.frame == len(r.src.frames) || r.event+c.Len > r.src.frames[r.frame].events {
			r.fail("chunk %d of goroutine %s is in no frame", i, g.ID)
			return nil
		}
		at[i] = chunkPos{int32(r.frame), int32(r.event)}
		if r.event += c.Len; r.event == r.src.frames[r.frame].events {
			r.frame, r.event = r.frame+1, 0
		}
	}
	return at
}
