package trace

import (
	"encoding/binary"
	"slices"
)

// eventSize is the size of an event in a file.
const eventSize = 4

// decodeEvents appends the events in b, little-endian words, to dst.
func decodeEvents(dst []Event, b []byte) []Event {
	n := len(b) / eventSize
	dst = slices.Grow(dst, n)
	at := len(dst)
	dst = dst[:at+n]
	for i := range n {
		dst[at+i] = Event(binary.LittleEndian.Uint32(b[eventSize*i:]))
	}
	return dst
}

// encodeEvents appends the events to dst as little-endian words.
func encodeEvents(dst []byte, events []Event) []byte {
	dst = slices.Grow(dst, eventSize*len(events))
	at := len(dst)
	dst = dst[:at+eventSize*len(events)]
	for i, e := range events {
		binary.LittleEndian.PutUint32(dst[at+eventSize*i:], uint32(e))
	}
	return dst
}
