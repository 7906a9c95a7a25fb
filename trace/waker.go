package trace

import (
	"encoding/binary"
	"math"
)

// Values of [Stamp].Waker that are not goroutines.
const (
	WakerUnknown int32 = 0  // not recorded, or the network poller: see the reason
	WakerTimer   int32 = -1 // a timer: time.Sleep, time.After, a context's deadline
	WakerOther   int32 = -2 // a goroutine that ran no instrumented code
)

const (
	wakerShift = 40 // of the serial in the last word of a stamp
	maxReasons = 256
)

// Waker returns the goroutine that woke the one of stamp s, or nil if unknown.
func (t *Trace) Waker(s Stamp) *Goroutine {
	if s.Waker <= 0 || int(s.Waker) > len(t.Goroutines) {
		return nil
	}
	return t.Goroutines[s.Waker-1]
}

// Reason returns the reason of a wait in the words of the runtime, such as "chan receive",
// or "" if unknown.
func (t *Trace) Reason(s Stamp) string {
	if s.GoesOn || int(s.Reason) >= len(t.Reasons) {
		return ""
	}
	return t.Reasons[s.Reason]
}

// setWhat decodes the last word of a raw stamp. The waker remains a serial until rawScan.wakers
// replaces it.
func (s *Stamp) setWhat(word uint64) {
	switch serial := word >> wakerShift; {
	case !s.GoesOn:
		s.Reason = uint8(min(word, maxReasons-1))
	case serial != 0:
		s.Waker, s.WakerPos = int32(serial), int64(word&(1<<wakerShift-1))
	case word == 1:
		s.Waker = WakerTimer
	case word == 2:
		s.Waker = WakerOther
	}
}

// wakers turns the serials of wakers into numbers of goroutines. It drops those that don't exist
// or have fewer events than the stamp says.
func (s *rawScan) wakers(g *Goroutine) {
	for i := range g.Stamps {
		st := &g.Stamps[i]
		if st.Waker <= 0 {
			continue
		}
		st.Waker = s.numbers[uint32(st.Waker)]
		if w := s.trace.Waker(*st); w == nil || st.WakerPos > s.length(st.Waker) {
			st.Waker, st.WakerPos = WakerUnknown, 0
		}
	}
}

// length returns how many events the goroutine of the given number has.
func (s *rawScan) length(number int32) int64 {
	st := s.order[number-1]
	if st.events < 0 {
		st.events = st.g.Len()
	}
	return st.events
}

func (s *rawScan) reason(rec rawRecord, b []byte) bool {
	if len(b) < 8 || rec.serial >= maxReasons {
		return false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > uint64(len(b)-8) {
		return false
	}
	for len(s.trace.Reasons) <= int(rec.serial) {
		s.trace.Reasons = append(s.trace.Reasons, "")
	}
	s.trace.Reasons[rec.serial] = s.name(b[8:][:n])
	return true
}

// what writes the reason or the waker of a stamp.
func (w *indexWriter) what(s Stamp) {
	switch {
	case !s.GoesOn:
		w.uint(uint64(s.Reason))
	case s.Waker > 0:
		w.uint(uint64(s.Waker) + 2)
		w.uint(uint64(s.WakerPos))
	default:
		w.uint(uint64(-s.Waker))
	}
}

// what reads what indexWriter.what wrote. checkWakers later checks that there is such a
// goroutine.
func (r *indexReader) what(s *Stamp) {
	n := r.uint()
	switch {
	case n > math.MaxInt32:
		r.fail("its index has a stamp with the number %d", n)
	case !s.GoesOn:
		s.Reason = uint8(min(n, maxReasons-1))
	case n <= 2:
		s.Waker = -int32(n)
	default:
		s.Waker, s.WakerPos = int32(n-2), int64(r.uint())
	}
}

// checkWakers checks that each waker exists and has as many events as the stamp says.
func (r *indexReader) checkWakers(t *Trace) {
	length := make([]int64, len(t.Goroutines))
	for i, g := range t.Goroutines {
		if g == nil {
			return // the index is damaged
		}
		length[i] = g.Len()
	}
	for _, g := range t.Goroutines {
		for _, s := range g.Stamps {
			if s.Waker > 0 && (int(s.Waker) > len(length) || s.WakerPos < 0 || s.WakerPos > length[s.Waker-1]) {
				r.fail("goroutine %s was woken by goroutine %d at event %d", g.ID, s.Waker, s.WakerPos)
				return
			}
		}
	}
}
