package trace

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Numbers is the source of what the probe runtime shares with this package.
//
//go:embed numbers.go
var Numbers string

// KindOf returns the kind with a name, 0 if there is none.
func KindOf(name string) ActKind { return ActKind(max(0, slices.Index(actNames[:], name))) }

func (k ActKind) String() string {
	if int(k) >= len(actNames) || actNames[k] == "" {
		return fmt.Sprintf("act %d", uint8(k))
	}
	return actNames[k]
}

// An Act records that a perturbation acted. If Applied is false, the goroutine went past the
// place, or ended before it.
type Act struct {
	Kind      ActKind
	Index     int    // in the plan's list of the kind
	Goroutine int32  // number in Trace.Goroutines, counted from 1
	Event     int64  // how many events the goroutine had written
	Block     uint32 // the event it was about to write, 0 if it ended
	Start     int64  // nanoseconds since the process started
	Held      int64  // nanoseconds, 0 if the process ended first
	Applied   bool   // false if it was missed
	Met       bool   // for an order: the awaited event came within the limit
}

// A Draw counts what goroutines of one class did after one block: random choices of the runtime,
// or requests to the system that a perturbation can answer, such as reading the clock, setting a
// timer, or reading from a socket. The block is the last one they had written.
type Draw struct {
	Kind  ActKind
	Block uint32 // 0 if the goroutine had written none
	Class uint64
	Count int64 // about how many
}

// act reads a rawAct record.
func (s *rawScan) act(rec rawRecord, b []byte) bool {
	number := s.numbers[rec.serial]
	if len(b) < 24 || number == 0 || rec.aux > math.MaxInt64 {
		return false
	}
	kind := binary.LittleEndian.Uint32(b)
	s.trace.Acts = append(s.trace.Acts, Act{
		Kind:      ActKind(kind),
		Index:     ordinal(rec),
		Goroutine: number,
		Event:     int64(rec.aux),
		Block:     binary.LittleEndian.Uint32(b[4:]),
		Start:     max(0, int64(binary.LittleEndian.Uint64(b[8:]))-s.epoch),
		Held:      max(0, int64(binary.LittleEndian.Uint64(b[16:]))),
		Applied:   kind&actApplied != 0,
		Met:       kind&actMet != 0,
	})
	return true
}

// draw reads a rawDraw record.
func (s *rawScan) draw(b []byte) bool {
	if len(b) < 24 {
		return false
	}
	s.trace.Draws = append(s.trace.Draws, Draw{
		Kind:  ActKind(binary.LittleEndian.Uint32(b)),
		Block: binary.LittleEndian.Uint32(b[4:]),
		Class: binary.LittleEndian.Uint64(b[8:]),
		Count: int64(binary.LittleEndian.Uint64(b[16:]) & math.MaxInt64),
	})
	return true
}

// acts writes the acts and the draws.
func (w *indexWriter) acts(t *Trace) {
	w.natural(len(t.Acts))
	for _, a := range t.Acts {
		kind := uint64(a.Kind)
		if a.Applied {
			kind |= actApplied
		}
		if a.Met {
			kind |= actMet
		}
		w.uint(kind)
		w.natural(a.Index)
		w.natural(int(a.Goroutine))
		w.uint(uint64(a.Event))
		w.uint(uint64(a.Block))
		w.int(a.Start)
		w.int(a.Held)
	}
	w.natural(len(t.Draws))
	for _, d := range t.Draws {
		w.uint(uint64(d.Kind))
		w.uint(uint64(d.Block))
		w.b = binary.LittleEndian.AppendUint64(w.b, d.Class)
		w.uint(uint64(d.Count))
	}
}

// acts reads what indexWriter.acts wrote.
func (r *indexReader) acts(t *Trace) {
	if n := r.count(7); n > 0 {
		t.Acts = make([]Act, n)
	}
	for i := range t.Acts {
		kind := r.uint()
		a := Act{Kind: ActKind(kind), Applied: kind&actApplied != 0, Met: kind&actMet != 0}
		a.Index, a.Goroutine, a.Event, a.Block = r.natural(), int32(r.natural()), r.count64(), r.natural32()
		a.Start, a.Held = r.int(), r.int()
		if a.Goroutine < 1 || int(a.Goroutine) > len(t.Goroutines) {
			r.fail("its index has an act of goroutine %d", a.Goroutine)
		}
		t.Acts[i] = a
	}
	if n := r.count(11); n > 0 {
		t.Draws = make([]Draw, n)
	}
	for i := range t.Draws {
		t.Draws[i] = Draw{Kind: ActKind(r.uint()), Block: r.natural32(), Class: r.word(), Count: r.count64()}
	}
}

// natural32 returns a number that fits 32 bits.
func (r *indexReader) natural32() uint32 {
	v := r.uint()
	if v > math.MaxUint32 {
		r.fail("its index has the number %d", v)
	}
	return uint32(v)
}

// count64 returns a number that fits 63 bits.
func (r *indexReader) count64() int64 {
	v := r.uint()
	if v > math.MaxInt64 {
		r.fail("its index has the number %d", v)
	}
	return int64(v & math.MaxInt64)
}
