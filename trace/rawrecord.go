package trace

import (
	"encoding/binary"
	"math"
	"slices"
)

// A rawStream collects the records of one goroutine.
type rawStream struct {
	g                  *Goroutine
	test, spawn, entry uint32 // serials, 0: none
	pieces             []rawPiece
	values             []rawValue
}

// A rawPiece is one chunk of a stream, with or without its content.
type rawPiece struct {
	ordinal uint32
	len     int32 // number of events
	hash    uint64
	time    int64
	off     int64 // of the events in the file; 0 if only the hash is known
}

// A rawStackRecord is a call stack whose places are not resolved yet, because they may be
// recorded after it.
type rawStackRecord struct {
	hash   uint32
	places []uint32
}

// stream returns the stream that a record belongs to, or nil if there is none.
func (s *rawScan) stream(rec rawRecord) *rawStream {
	g := s.streams[rec.serial]
	if g == nil {
		s.note("damaged at byte %d: a record of goroutine %d, which is not there", rec.off, rec.serial)
	}
	return g
}

// chunk reads a rawChunk record.
func (s *rawScan) chunk(rec rawRecord) error {
	st := s.stream(rec)
	if st == nil {
		return nil
	}
	b, err := s.payload(rec, 0, int64(ChunkLen(ordinal(rec)))*eventSize)
	if err != nil {
		return err
	}
	s.events = decodeEvents(s.events[:0], b)
	events := s.events
	if i := slices.Index(events, 0); i >= 0 {
		events = events[:i]
	}
	if len(events) == 0 {
		return nil // begun, but nothing was written
	}
	st.pieces = append(st.pieces, rawPiece{
		ordinal: rec.ordinal,
		len:     int32(len(events)),
		hash:    HashEvents(events),
		time:    rec.time,
		off:     rec.off + recHeaderSize,
	})
	return nil
}

// ordinal returns the number of the record's chunk as an int.
func ordinal(rec rawRecord) int { return int(min(rec.ordinal, math.MaxInt32)) }

// hashes reads a rawHashes record, window by window: it can be of any length.
func (s *rawScan) hashes(rec rawRecord) error {
	st := s.stream(rec)
	if st == nil {
		return nil
	}
	number := rec.ordinal
	for pos := int64(0); ; {
		b, err := s.payload(rec, pos, windowSize)
		if err != nil {
			return err
		}
		for len(b) >= 8 {
			hash := binary.LittleEndian.Uint64(b)
			if hash == 0 || number == math.MaxUint32 {
				return nil
			}
			n := ChunkLen(int(min(number, math.MaxInt32)))
			st.pieces = append(st.pieces, rawPiece{ordinal: number, len: int32(n), hash: hash, time: rec.time})
			b, pos, number = b[8:], pos+8, number+1
		}
		if pos >= rec.size-recHeaderSize || rec.off+recHeaderSize+pos+8 > s.end {
			return nil
		}
	}
}

func (s *rawScan) testEnd(rec rawRecord) {
	if i, ok := s.tests[rec.serial]; ok {
		s.trace.Tests[i].End = endTime(rec.time)
	}
}

func (s *rawScan) goroutineEnd(rec rawRecord) {
	if st := s.stream(rec); st != nil {
		st.g.End = endTime(rec.time)
	}
}

// endTime returns t, or 1 for 0, because 0 means that the goroutine or test did not end.
func endTime(t int64) int64 {
	if t == 0 {
		return 1
	}
	return t
}

// definition reads a record that defines a goroutine, place, test or stack.
func (s *rawScan) definition(rec rawRecord) error {
	b, err := s.payload(rec, 0, windowSize)
	if err != nil {
		return err
	}
	ok := false
	switch rec.kind {
	case rawGoroutine:
		ok = s.goroutine(rec, b)
	case rawPlace:
		ok = s.place(rec, b)
	case rawTest:
		ok = s.test(rec, b)
	case rawStack:
		ok = s.stack(rec, b)
	case rawReason:
		ok = s.reason(rec, b)
	case rawAct:
		ok = s.act(rec, b)
	case rawDraw:
		ok = s.draw(b)
	case rawNote:
		ok = s.noted(rec, b)
	}
	if !ok {
		s.note("damaged at byte %d: a record makes no sense", rec.off)
	}
	return nil
}

func (s *rawScan) goroutine(rec rawRecord, b []byte) bool {
	if len(b) < 32 || rec.serial == 0 || s.streams[rec.serial] != nil {
		return false
	}
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	g := &Goroutine{
		ID:     GoroutineID(rec.aux),
		Parent: GoroutineID(binary.LittleEndian.Uint64(b)),
		Root:   u32(12) == 1,
		Start:  rec.time,
	}
	if started := int64(binary.LittleEndian.Uint64(b[24:])); started != 0 {
		g.Start = max(0, started-s.epoch) // the first goroutines are older than the trace
	}
	if len(b) >= 40 {
		g.Number = binary.LittleEndian.Uint64(b[32:])
	}
	if len(b) >= 48 {
		g.Class = binary.LittleEndian.Uint64(b[40:])
	}
	st := &rawStream{g: g, test: u32(8), spawn: u32(16), entry: u32(20)}
	s.streams[rec.serial] = st
	s.order = append(s.order, st)
	s.numbers[rec.serial] = int32(len(s.order))
	return true
}

func (s *rawScan) place(rec rawRecord, b []byte) bool {
	if len(b) < 12 {
		return false
	}
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	names, fn, file := b[12:], uint64(u32(4)), uint64(u32(8))
	if fn+file > uint64(len(names)) {
		return false
	}
	s.places[rec.serial] = Frame{
		Func: s.name(names[:fn]),
		File: s.name(names[fn:][:file]),
		Line: int(min(u32(0), math.MaxInt32)),
	}
	return true
}

// name returns b as a string. Equal names share memory.
func (s *rawScan) name(b []byte) string {
	name, ok := s.names[string(b)]
	if !ok {
		name = string(b)
		s.names[name] = name
	}
	return name
}

func (s *rawScan) test(rec rawRecord, b []byte) bool {
	if len(b) < 8 || rec.serial == 0 {
		return false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if _, dup := s.tests[rec.serial]; dup || n > uint64(len(b)-8) {
		return false
	}
	s.tests[rec.serial] = len(s.trace.Tests)
	s.trace.Tests = append(s.trace.Tests, TestRun{Name: string(b[8:][:n]), Nth: ordinal(rec), Start: rec.time})
	return true
}

func (s *rawScan) stack(rec rawRecord, b []byte) bool {
	if len(b) < 8 {
		return false
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	if n > uint64(len(b)-8)/4 {
		return false
	}
	places := make([]uint32, min(n, maxStackDepth))
	for i := range places {
		places[i] = binary.LittleEndian.Uint32(b[8+4*i:])
	}
	s.stacks = append(s.stacks, rawStackRecord{hash: uint32(rec.aux) & stackMask, places: places})
	return true
}
