package trace

import (
	"encoding/binary"
	"math"
)

// Values of [Stamp].Waker that are no goroutine.
const (
	WakerUnknown int32 = 0  // not recorded, or the network poller: see the reason
	WakerTimer   int32 = -1 // a timer: time.Sleep, time.After, a context's deadline
	WakerOther   int32 = -2 // a goroutine that ran no instrumented code
)

const (
	wakerShift = 40 // of the serial in the last word of a stamp
	maxReasons = 256
)

// Waker returns the goroutine that made another go on, as its stamp says, nil
// if none is known.
func (t *Trace) Waker(s Stamp) *Goroutine {
	if s.Waker <= 0 || int(s.Waker) > len(t.Goroutines) {
		return nil
	}
	return t.Goroutines[s.Waker-1]
}

// HeldReason is the reason that the patched runtime gives for the wait of a goroutine that
// an experiment holds.
const HeldReason = "held by fdebug"

// Reason returns what a goroutine waits for in the words of the runtime, "chan
// receive"; "" if it is not known.
func (t *Trace) Reason(s Stamp) string {
	if s.GoesOn || int(s.Reason) >= len(t.Reasons) {
		return ""
	}
	return t.Reasons[s.Reason]
}

// setWhat takes the last word of a raw stamp. The waker is a serial until
// rawScan.wakers.
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

// wakers turns the serials of wakers into numbers of goroutines, and drops
// those that are not there, or not up to that event.
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

// what writes the last part of a stamp.
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

// what reads what indexWriter.what wrote. Whether there is such a goroutine is
// known only in the end: see checkWakers.
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

// checkWakers makes sure that wakers are there, and had come that far.
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
