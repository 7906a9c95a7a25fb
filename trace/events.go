package trace

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

// eventSize is the size of an event in a file.
const eventSize = 4

// asBytes returns the memory of events.
func asBytes(events []Event) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(events))), eventSize*len(events))
}

// littleEndian reports whether events have the same layout in memory as in files.
func littleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}

// decodeEvents appends the events in b, little-endian words, to dst.
func decodeEvents(dst []Event, b []byte) []Event {
	n := len(b) / eventSize
	dst = slices.Grow(dst, n)
	at := len(dst)
	dst = dst[:at+n]
	if littleEndian() {
		copy(asBytes(dst[at:]), b)
		return dst
	}
	for i := range n {
		dst[at+i] = Event(binary.LittleEndian.Uint32(b[eventSize*i:]))
	}
	return dst
}

// encodeEvents appends the events to dst as little-endian words.
func encodeEvents(dst []byte, events []Event) []byte {
	if littleEndian() {
		return append(dst, asBytes(events)...)
	}
	for _, e := range events {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(e))
	}
	return dst
}

// CommonLen returns the length of the common prefix of a and b.
func CommonLen(a, b []Event) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		if (x[0]^y[0])|(x[1]^y[1])|(x[2]^y[2])|(x[3]^y[3])|
			(x[4]^y[4])|(x[5]^y[5])|(x[6]^y[6])|(x[7]^y[7]) != 0 {
			break
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
