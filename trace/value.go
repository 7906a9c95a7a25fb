package trace

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// A Value is what an expression was at one of the places of a build that
// records values. Where a goroutine comes to a place often, only its first and
// its last values there are kept: Nth tells.
type Value struct {
	Site int    // number of the place
	Nth  int    // how many values it had recorded at that place before
	Pos  int64  // how many events it had written
	Hash uint64 // of the whole text
	Text string // at most about 200 bytes
}

const (
	valueHead = 32  // of a value record
	valueSize = 224 // of a value in it
	valueText = 28  // where its text begins
)

// A rawValue is a value with its number among all values of its goroutine.
type rawValue struct {
	Value
	seq uint32
}

// values reads a rawValues record. Sizes other than those of the probe runtime
// make no sense.
func (s *rawScan) values(rec rawRecord) error {
	st := s.stream(rec)
	if st == nil || rec.aux == 0 || rec.aux > math.MaxInt32 {
		return nil
	}
	for pos := int64(valueHead); pos+valueSize <= rec.size-recHeaderSize; pos += valueSize {
		b, err := s.payload(rec, pos, valueSize)
		if err != nil {
			return err
		}
		if len(b) < valueSize {
			return nil
		}
		if v, ok := s.value(b); ok {
			v.Site = int(rec.aux)
			st.values = append(st.values, v)
		}
	}
	return nil
}

// value reads one value, false if it was not written.
func (s *rawScan) value(b []byte) (v rawValue, ok bool) {
	pos, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[24:])
	nth := binary.LittleEndian.Uint32(b[16:])
	if pos == 0 || pos > math.MaxInt64/2 || n > valueSize-valueText || nth > math.MaxInt32 {
		return v, false
	}
	v.Pos, v.Hash, v.Nth = int64(pos-1), binary.LittleEndian.Uint64(b[8:]), int(nth)
	v.Text = s.name(b[valueText:][:n])
	v.seq = binary.LittleEndian.Uint32(b[20:])
	return v, true
}

// orderValues puts the values of a goroutine in order. It drops those beyond
// the events that are known, and those out of order in a damaged file.
func orderValues(st *rawStream) {
	slices.SortStableFunc(st.values, func(a, b rawValue) int { return cmp.Compare(a.seq, b.seq) })
	n, last := st.g.Len(), int64(0)
	for _, v := range st.values {
		if v.Pos <= n && v.Pos >= last {
			st.g.Values = append(st.g.Values, v.Value)
			last = v.Pos
		}
	}
	st.values = nil
}

// values writes the values of a goroutine, positions as differences.
func (w *indexWriter) values(g *Goroutine) {
	w.natural(len(g.Values))
	last := int64(0)
	for _, v := range g.Values {
		w.natural(v.Site)
		w.natural(v.Nth)
		w.uint(uint64(v.Pos - last))
		w.b = binary.LittleEndian.AppendUint64(w.b, v.Hash)
		w.string(v.Text)
		last = v.Pos
	}
}

// values reads what indexWriter.values wrote.
func (r *indexReader) values(g *Goroutine) {
	n := r.count(12)
	if n == 0 {
		return
	}
	g.Values = make([]Value, n)
	last := int64(0)
	for i := range g.Values {
		v := Value{Site: r.natural(), Nth: r.natural()}
		v.Pos = last + int64(r.uint())
		v.Hash, v.Text = r.word(), r.string()
		if v.Pos < last || v.Pos > math.MaxInt64/2 {
			r.fail("goroutine %s has a value at event %d", g.ID, v.Pos)
			return
		}
		g.Values[i], last = v, v.Pos
	}
}
