package trace

import (
	"encoding/binary"
	"reflect"
	"testing"
)

// valueSlot is a value as the probe runtime writes it.
func valueSlot(pos, hash uint64, nth, seq uint32, text string) []byte {
	b := make([]byte, valueSize)
	binary.LittleEndian.PutUint64(b, pos+1)
	binary.LittleEndian.PutUint64(b[8:], hash)
	binary.LittleEndian.PutUint32(b[16:], nth)
	binary.LittleEndian.PutUint32(b[20:], seq)
	binary.LittleEndian.PutUint32(b[24:], uint32(len(text)))
	copy(b[valueText:], text)
	return b
}

func valueRecord(slots ...[]byte) []byte {
	b := make([]byte, valueHead)
	for _, s := range slots {
		b = append(b, s...)
	}
	return b
}

// There are values of two sites, and the ring of the second has wrapped around. Values come in
// the order in which they were recorded. A slot that was not written, one with an impossible
// length, and a value beyond the events are left out.
func TestReadRawValues(t *testing.T) {
	w := newRawWriter()
	g := w.goroutine(1, 0, 0, 0, 0, 0, 0)
	w.stream(g, loop(10, 1))
	w.record(rawValues, g, 0, 0, 7, valueRecord(
		valueSlot(2, 70, 0, 0, `"a"`), valueSlot(3, 71, 1, 2, `"b"`), make([]byte, valueSize)))
	bad := valueSlot(4, 80, 0, 9, "x")
	binary.LittleEndian.PutUint32(bad[24:], valueSize)
	w.record(rawValues, g, 32, 0, 8, valueRecord(
		valueSlot(9, 64, 64, 4, "64"), valueSlot(3, 33, 33, 3, "33"), bad, valueSlot(11, 65, 65, 5, "65")))
	w.record(rawValues, g, 0, 0, 8, valueRecord(valueSlot(2, 1, 0, 1, "")))
	tr, err := ReadRaw(writeTemp(t, w.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	want := []Value{
		{7, 0, 2, 70, `"a"`}, {8, 0, 2, 1, ""}, {7, 1, 3, 71, `"b"`}, {8, 33, 3, 33, "33"}, {8, 64, 9, 64, "64"},
	}
	if got := tr.Goroutines[0].Values; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	kept, err := parseKept(written(t, tr))
	if err != nil {
		t.Fatal(err)
	}
	if got := kept.Goroutines[0].Values; !reflect.DeepEqual(got, want) {
		t.Errorf("kept: got %v\nwant %v", got, want)
	}
}
