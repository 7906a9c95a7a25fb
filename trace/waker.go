package trace

import "encoding/binary"

// A Waker is who ended the wait of a goroutine.
type Waker uint8

const (
	WakerUnknown Waker = iota // not recorded, or the network poller: see the reason
	WakerTimer                // a timer: time.Sleep, time.After, a context's deadline
	WakerOther                // a goroutine that ran no instrumented code
	WakerProbed               // one that ran some
)

const maxReasons = 256

// Reason returns the reason of a wait in the words of the runtime, such as "chan receive",
// or "" if unknown.
func (t *Trace) Reason(s Stamp) string {
	if s.GoesOn || int(s.Reason) >= len(t.Reasons) {
		return ""
	}
	return t.Reasons[s.Reason]
}

// setWhat decodes the last word of a raw stamp: of a goroutine with probes it has the serial, and the event.
func (s *Stamp) setWhat(word uint64) {
	if s.GoesOn {
		s.Waker = Waker(min(word, uint64(WakerProbed)))
	} else {
		s.Reason = uint8(min(word, maxReasons-1))
	}
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

// what writes the reason or the waker of a stamp. After one with probes follows what once was the number of its event.
func (w *indexWriter) what(s Stamp) {
	if !s.GoesOn {
		w.uint(uint64(s.Reason))
		return
	}
	if w.uint(uint64(s.Waker)); s.Waker == WakerProbed {
		w.uint(0)
	}
}

// what reads what indexWriter.what wrote, or an earlier version of it, which had the number of the goroutine.
func (r *indexReader) what(s *Stamp) {
	n := r.uint()
	if !s.GoesOn {
		s.Reason = uint8(min(n, maxReasons-1))
		return
	}
	if s.Waker = Waker(min(n, uint64(WakerProbed))); s.Waker == WakerProbed {
		r.uint()
	}
}
