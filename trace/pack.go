package trace

import (
	"encoding/binary"
	"slices"
)

// A frame is packed before it is compressed. Most of its events are of a few dozen blocks, and
// one-byte numbers are compressed and decompressed in far less time than four-byte words. The
// package comment has the format.

const (
	packHead    = eventSize // what precedes the list
	maxListed   = 1 << 8    // how many events one-byte numbers can tell apart
	packSlots   = 1 << 12   // of the table of numbers
	maxPackSize = packHead + eventSize*maxFrameEvents
)

// A packer packs frames.
type packer struct {
	table []packSlot
	frame uint32          // counts frames: slots of earlier frames are free
	rest  map[Event]uint8 // events whose slot is taken by another event
	list  []Event         // the different events of the frame, by number
}

type packSlot struct {
	event  Event
	frame  uint32
	number uint8
}

// pack appends the packed form of events to dst. If there are too many different ones, or hardly
// any event occurs twice, the packed form is the events themselves.
func (p *packer) pack(dst []byte, events []Event) []byte {
	if p.table == nil {
		p.table = make([]packSlot, packSlots)
	}
	p.frame++
	p.rest, p.list = nil, p.list[:0]
	start := len(dst)
	// The numbers follow the list, whose length is not known yet.
	room := packHead + eventSize*maxListed
	dst = slices.Grow(dst, room+len(events)+eventSize*len(events))[:start+room+len(events)]
	if !p.numbers(dst[start+room:], events) || 2*len(p.list) >= len(events) {
		return encodeEvents(binary.LittleEndian.AppendUint32(dst[:start], 0), events)
	}
	numbers := dst[start+room:]
	dst = binary.LittleEndian.AppendUint32(dst[:start], uint32(len(p.list)))
	return append(encodeEvents(dst, p.list), numbers...)
}

// numbers sets the number of each event. It reports false if there are more different events than
// one byte can number.
func (p *packer) numbers(dst []byte, events []Event) bool {
	dst = dst[:len(events)]
	for i, e := range events {
		s := &p.table[e%packSlots]
		n := s.number
		if s.event != e || s.frame != p.frame {
			var ok bool
			if n, ok = p.number(s, e); !ok {
				return false
			}
		}
		dst[i] = n
	}
	return true
}

// number returns the number of an event that is not in its slot. If the event has none, it gets a
// new one, as long as one is left.
func (p *packer) number(s *packSlot, e Event) (n uint8, ok bool) {
	if n, ok = p.rest[e]; ok {
		return n, true
	}
	if len(p.list) == maxListed {
		return 0, false
	}
	n = uint8(len(p.list))
	p.list = append(p.list, e)
	if s.frame != p.frame {
		*s = packSlot{e, p.frame, n}
		return n, true
	}
	if p.rest == nil {
		p.rest = make(map[Event]uint8)
	}
	p.rest[e] = n
	return n, true
}

// A packed is a packed frame.
type packed struct {
	list  *[maxListed]Event // by number; nil if the codes are the events
	codes []byte            // the numbers of all events, or the events themselves
}

// parsePacked splits b, the packed form of n events. The codes stay in b. It uses the space of
// list if that is not nil.
func parsePacked(b []byte, n int, list *[maxListed]Event) (packed, error) {
	if len(b) < packHead {
		return packed{}, damaged("has %d bytes", len(b))
	}
	k := binary.LittleEndian.Uint32(b)
	if k > maxListed || int(k) > (len(b)-packHead)/eventSize {
		return packed{}, damaged("has a list of %d events in %d bytes", k, len(b))
	}
	p := packed{codes: b[packHead+eventSize*int(k):]}
	width := eventSize
	if k > 0 {
		if width, p.list = 1, list; list == nil {
			p.list = new([maxListed]Event)
		}
		clear(p.list[k:]) // a number beyond the list gives 0, an event that no stream has
		decodeEvents(p.list[:0], b[packHead:][:eventSize*k])
	}
	if len(p.codes) != width*n {
		return packed{}, damaged("has %d bytes for %d events", len(b), n)
	}
	return p, nil
}

// events appends n events, from the at-th on, to dst.
func (p *packed) events(dst []Event, at, n int) []Event {
	if p.list == nil {
		return decodeEvents(dst, p.codes[eventSize*at:][:eventSize*n])
	}
	from := len(dst)
	dst = slices.Grow(dst, n)[:from+n]
	out := dst[from:]
	for i, c := range p.codes[at:][:n] {
		out[i] = p.list[c]
	}
	return dst
}
