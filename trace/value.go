package trace

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// A Value is the value that an expression had at one place of a build that records values. If a
// goroutine comes to a place often, only its first and last values there are kept; Nth says which
// one this is.
type Value struct {
	Site int    // number of the place
	Nth  int    // how many values the goroutine had recorded there before
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

// values reads a rawValues record. The probe runtime writes no other size of record.
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

// value reads one value, or returns false if none was written.
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

// orderValues sorts the values of a goroutine. It drops those beyond the known events, and those
// that a damaged file has out of order.
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

// values writes the values of a goroutine, with positions as differences.
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
