package trace

import (
	"cmp"
	"io"
	"slices"
	"sync"
)

// assemble makes the trace from the records.
func (s *rawScan) assemble(src *rawSource) {
	for _, st := range s.order {
		s.attribute(st)
		s.join(st, src)
		orderValues(st)
		s.trace.Goroutines = append(s.trace.Goroutines, st.g)
		st.pieces = nil
	}
	for _, g := range s.trace.Goroutines {
		orderStamps(g)
	}
	s.trace.Stacks = make(map[uint32][]Frame, len(s.stacks))
	for _, r := range s.stacks {
		if s.trace.Stacks[r.hash] != nil {
			continue // events refer to the first stack of a hash
		}
		frames := make([]Frame, len(r.places))
		for i, p := range r.places {
			frames[i] = s.places[p]
		}
		s.trace.Stacks[r.hash] = frames
	}
}

// attribute looks up the test and the places of a goroutine.
func (s *rawScan) attribute(st *rawStream) {
	st.g.Spawn = s.places[st.spawn]
	st.g.Entry = s.places[st.entry]
	if st.test == 0 {
		return
	}
	i, ok := s.tests[st.test]
	if !ok {
		s.note("damaged: goroutine %s belongs to test %d, which is not there", st.g.ID, st.test)
		return
	}
	st.g.Test, st.g.Nth = s.trace.Tests[i].Name, s.trace.Tests[i].Nth
}

// join puts the pieces of a stream in order, up to the first gap.
func (s *rawScan) join(st *rawStream, src *rawSource) {
	slices.SortStableFunc(st.pieces, func(a, b rawPiece) int { return cmp.Compare(a.ordinal, b.ordinal) })
	var offs []int64
	for i := 0; i < len(st.pieces); {
		p, n := merge(st.pieces[i:])
		if int(p.ordinal) != len(offs) || p.len == 0 {
			s.note("damaged: goroutine %s is lost from chunk %d on", st.g.ID, len(offs))
			break
		}
		i += n
		st.g.Chunks = append(st.g.Chunks, Chunk{Hash: p.hash, Len: int(p.len), Time: p.time, Kept: p.off != 0})
		offs = append(offs, p.off)
		if int(p.len) < ChunkLen(len(offs)-1) && i < len(st.pieces) {
			s.note("damaged: goroutine %s is lost after chunk %d, which is not full", st.g.ID, len(offs)-1)
			break
		}
	}
	st.g.load = func(i int, buf []Event) ([]Event, error) {
		return src.load(offs[i], st.g.Chunks[i].Len, buf)
	}
}

// merge combines the leading pieces that have the same ordinal, and returns how many they are. A
// known hash outranks content, which counts only if it has that hash: if the process ended while
// it moved to the next chunk, the content may already be partly cleared.
func merge(pieces []rawPiece) (rawPiece, int) {
	n := 1
	for n < len(pieces) && pieces[n].ordinal == pieces[0].ordinal {
		n++
	}
	best := pieces[0]
	if i := slices.IndexFunc(pieces[:n], func(p rawPiece) bool { return p.off == 0 }); i >= 0 {
		best = pieces[i]
	}
	for _, p := range pieces[:n] {
		if p.off != 0 && p.hash == best.hash && p.len == best.len {
			return p, n
		}
	}
	return best, n
}

// A rawSource loads chunks from a raw trace.
type rawSource struct {
	r    io.ReaderAt
	path string

	mu  sync.Mutex
	buf []byte // one chunk
}

// load appends the n events at off to buf[:0].
func (src *rawSource) load(off int64, n int, buf []Event) ([]Event, error) {
	src.mu.Lock()
	defer src.mu.Unlock()
	if src.buf == nil {
		src.buf = make([]byte, fullChunkLen*eventSize)
	}
	b := src.buf[:n*eventSize]
	if got, err := src.r.ReadAt(b, off); got < len(b) {
		return nil, inFile(src.path, err)
	}
	return decodeEvents(buf[:0], b), nil
}
