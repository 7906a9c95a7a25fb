package trace

import (
	"encoding/binary"
	"math"
)

// A Note is what a goroutine did beside its events. A test has a limited number of each kind, the first ones.
type Note struct {
	Kind      ActKind
	Goroutine int32 // number in Trace.Goroutines, counted from 1; 0 if it ran no instrumented code
	Event     int64 // how many events the goroutine had written
	Time      int64 // nanoseconds since the process started
	// Value is, of what outlives a test, a [Touch]; of a goroutine that can never go on, its number in dumps.
	Value int64
}

// MostNotes is how many notes of a kind a top-level test has at most.
const MostNotes = 128

// A Touch is that a test looks at a thing that outlives it, changes it, or both.
type Touch struct {
	Looks, Changes bool
	Thing          int    // TouchEnv and so on
	Stack          uint32 // a key of [Trace.Stacks]
	Number         int    // of the thing, in this process
	Was            int    // its state before that; equal for equal ones
}

// TouchOf returns the touch that the value of a note stands for.
func TouchOf(value int64) Touch {
	return Touch{value&TouchLooks != 0, value&TouchChanges != 0, int(value >> 2 & 3), uint32(value>>4) & stackMask,
		int(value >> 32 & (1<<10 - 1)), int(value >> 42)}
}

// noted reads a rawNote record.
func (s *rawScan) noted(rec rawRecord, b []byte) bool {
	number := s.numbers[rec.serial]
	if len(b) < 8 || rec.serial != 0 && number == 0 || rec.aux > math.MaxInt64 || rec.ordinal > math.MaxUint8 {
		return false
	}
	s.trace.Notes = append(s.trace.Notes, Note{
		Kind:      ActKind(rec.ordinal),
		Goroutine: number,
		Event:     int64(rec.aux),
		Time:      rec.time,
		Value:     int64(binary.LittleEndian.Uint64(b)),
	})
	return true
}

// notes writes the notes.
func (w *indexWriter) notes(t *Trace) {
	w.natural(len(t.Notes))
	last := int64(0)
	for _, n := range t.Notes {
		w.uint(uint64(n.Kind))
		w.natural(int(n.Goroutine))
		w.uint(uint64(n.Event))
		w.int(n.Time - last)
		w.int(n.Value)
		last = n.Time
	}
}

// notes reads what indexWriter.notes wrote.
func (r *indexReader) notes(t *Trace) {
	if n := r.count(5); n > 0 {
		t.Notes = make([]Note, n)
	}
	last := int64(0)
	for i := range t.Notes {
		n := Note{Kind: ActKind(r.uint()), Goroutine: int32(r.natural()), Event: r.count64(),
			Time: last + r.int(), Value: r.int()}
		if int(n.Goroutine) > len(t.Goroutines) {
			r.fail("its index has a note of goroutine %d", n.Goroutine)
		}
		t.Notes[i], last = n, n.Time
	}
}
