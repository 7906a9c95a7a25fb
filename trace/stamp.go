package trace

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// A Stamp ties a goroutine's stream to the clock. A goroutine writes one when it begins to wait,
// when it goes on, and at failed checks.
type Stamp struct {
	Pos    int64 // how many events it had written
	Time   int64 // nanoseconds since the process started
	GoesOn bool  // false: it begins to wait

	// If it begins to wait: what for, an index in Trace.Reasons; 0 if unknown.
	Reason uint8
	// If it goes on after a wait: who woke it.
	Waker Waker
}

// Between returns bounds of the time at which event i of the stream happened, in nanoseconds
// since the process started. A goroutine does not wait between two stamps, so the bounds are
// mostly microseconds apart. latest is math.MaxInt64 if the process ended before the next stamp.
func (g *Goroutine) Between(i int64) (earliest, latest int64) {
	earliest, latest = g.Start, math.MaxInt64
	if g.End != 0 {
		latest = g.End
	}
	n := sort.Search(len(g.Stamps), func(n int) bool { return g.Stamps[n].Pos > i })
	if n > 0 {
		earliest = max(earliest, g.Stamps[n-1].Time)
	}
	if n < len(g.Stamps) {
		latest = min(latest, g.Stamps[n].Time)
	}
	c := chunkOf(i)
	if c < len(g.Chunks) && g.Chunks[c].Kept {
		earliest = max(earliest, g.Chunks[c].Time)
	}
	if c+1 < len(g.Chunks) && g.Chunks[c+1].Kept {
		latest = min(latest, g.Chunks[c+1].Time)
	}
	return earliest, max(earliest, latest)
}

// Burst returns the range from..to-1 of events around event i for which Between returns the same
// bounds: those between two stamps, in one chunk.
func (g *Goroutine) Burst(i int64) (from, to int64) {
	c := chunkOf(i)
	from = chunkStart(c)
	to = max(min(g.Len(), chunkStart(c+1)), i+1)
	n := sort.Search(len(g.Stamps), func(n int) bool { return g.Stamps[n].Pos > i })
	if n > 0 {
		from = max(from, g.Stamps[n-1].Pos)
	}
	if n < len(g.Stamps) {
		to = min(to, g.Stamps[n].Pos)
	}
	return from, to
}

// chunkStart returns the number of the first event of chunk c of a stream.
func chunkStart(c int) int64 {
	if c <= fullChunkAfter {
		return firstChunkLen * (1<<c - 1)
	}
	return chunkStart(fullChunkAfter) + int64(c-fullChunkAfter)*fullChunkLen
}

// chunkOf returns the number of the chunk that contains event i of a stream.
func chunkOf(i int64) int {
	for c := range fullChunkAfter {
		n := int64(ChunkLen(c))
		if i < n {
			return c
		}
		i -= n
	}
	return fullChunkAfter + int(i/fullChunkLen)
}

const (
	stampSize = 16 // of a stamp in a rawStamps record
	waitSize  = 24 // in a rawWaits record
)

// stamps reads a rawStamps or rawWaits record, window by window, because it can have any length.
// size is that of one stamp.
func (s *rawScan) stamps(rec rawRecord, size int64) error {
	st := s.stream(rec)
	if st == nil {
		return nil
	}
	for pos := int64(0); pos < rec.size-recHeaderSize; {
		b, err := s.payload(rec, pos, windowSize/size*size)
		if err != nil {
			return err
		}
		if int64(len(b)) < size {
			return nil
		}
		for ; int64(len(b)) >= size; b = b[size:] {
			word, t := binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
			if t == 0 || word>>1 > math.MaxInt64/2 {
				return nil
			}
			stamp := Stamp{Pos: int64(word >> 1), Time: t - s.epoch, GoesOn: word&1 == 1}
			if size == waitSize {
				stamp.setWhat(binary.LittleEndian.Uint64(b[stampSize:]))
			}
			st.g.Stamps = append(st.g.Stamps, stamp)
			pos += size
		}
	}
	return nil
}

// orderStamps drops stamps beyond the known events, and those that a damaged file has out of
// order.
func orderStamps(g *Goroutine) {
	n := g.Len()
	var last Stamp
	g.Stamps = slices.DeleteFunc(g.Stamps, func(s Stamp) bool {
		if s.Pos > n || s.Pos < last.Pos || s.Time < last.Time {
			return true
		}
		last = s
		return false
	})
}

// stamps writes the stamps of a goroutine as differences.
func (w *indexWriter) stamps(g *Goroutine) {
	w.natural(len(g.Stamps))
	last := Stamp{Time: g.Start}
	for _, s := range g.Stamps {
		pos := uint64(s.Pos-last.Pos) << 1
		if s.GoesOn {
			pos |= 1
		}
		w.uint(pos)
		w.int(s.Time - last.Time)
		w.what(s)
		last = s
	}
}

// stamps reads what indexWriter.stamps wrote.
func (r *indexReader) stamps(g *Goroutine) {
	n := r.count(2)
	if n == 0 {
		return
	}
	g.Stamps = make([]Stamp, n)
	last := Stamp{Time: g.Start}
	for i := range g.Stamps {
		pos, t := r.uint(), r.int()
		s := Stamp{Pos: last.Pos + int64(pos>>1), Time: last.Time + t, GoesOn: pos&1 == 1}
		r.what(&s)
		if s.Pos < last.Pos || s.Pos > math.MaxInt64/2 {
			r.fail("goroutine %s has a stamp at event %d", g.ID, s.Pos)
			return
		}
		g.Stamps[i], last = s, s
	}
}
