package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"
	"strings"
	"time"
)

const (
	rawFieldsSize = 48   // of the header: the part in use
	maxStackDepth = 1024 // limits what a damaged record can allocate
	maxNotes      = 4    // how many reasons for an incomplete trace are kept
)

// ReadRaw reads the raw trace at path, up to where the process ended, however it ended.
// Trace.Truncated says what is missing or can't be read. ReadRaw fails only for files that are no
// raw trace at all ([ErrNotTrace], [ErrEmpty], [ErrVersion]) and for errors of the file system.
// Close the trace after use.
//
// Only the index of chunks is held in memory, 32 to 64 bytes for each.
func ReadRaw(path string) (*Trace, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	t, err := readRaw(f, size, path)
	if err != nil {
		f.Close()
		return nil, inFile(path, err)
	}
	t.closer = f
	return t, nil
}

// Began returns when the raw trace at path was begun, by the wall clock of the process: zero if it does not say. That
// is some time after the process was started, and more on a busy machine.
func Began(path string) (time.Time, error) {
	f, _, err := openFile(path)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	b := make([]byte, rawBegan+8)
	if _, err := f.ReadAt(b, 0); err != nil {
		return time.Time{}, inFile(path, err)
	}
	at := int64(binary.LittleEndian.Uint64(b[rawBegan:]))
	if err := checkRawMagic(b); err != nil || at <= 0 {
		return time.Time{}, inFile(path, err)
	}
	return time.Unix(0, at), nil
}

// Hangs reports whether the process of the raw trace at path has ended because it could never go on.
func Hangs(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, rawFieldsSize)
	_, err = f.ReadAt(b, 0)
	return err == nil && checkRawMagic(b) == nil && binary.LittleEndian.Uint64(b[16:])&rawHangs != 0
}

// openFile opens the regular file at path and returns its size.
func openFile(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("trace: %w", err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = ErrNotTrace
	}
	if err != nil {
		f.Close()
		return nil, 0, inFile(path, err)
	}
	return f, fi.Size(), nil
}

// readRaw reads a raw trace of the given size from r. It keeps r, to load chunks from. The path
// is for error messages.
func readRaw(r io.ReaderAt, size int64, path string) (*Trace, error) {
	s := &rawScan{
		win:     newWindow(r, size),
		streams: make(map[uint32]*rawStream),
		places:  make(map[uint32]Frame),
		tests:   make(map[uint32]int),
		numbers: make(map[uint32]int32),
		names:   make(map[string]string),
		trace:   &Trace{},
	}
	if err := s.header(); err != nil {
		return nil, err
	}
	if err := s.records(); err != nil {
		return nil, err
	}
	s.assemble(&rawSource{r: r, path: path})
	s.trace.Truncated = strings.Join(s.notes, "; ")
	return s.trace, nil
}

// A rawScan is one pass over the records of a raw trace.
type rawScan struct {
	win   *window
	end   int64 // where the records end
	epoch int64 // monotonic clock when the trace began

	trace   *Trace
	streams map[uint32]*rawStream // by serial of the goroutine
	order   []*rawStream          // in order of their records
	places  map[uint32]Frame
	numbers map[uint32]int32 // by serial: the number of a stream in order, from 1
	tests   map[uint32]int   // serial to index in trace.Tests
	stacks  []rawStackRecord
	names   map[string]string // names of places, each held once

	events []Event  // scratch
	notes  []string // why the trace is incomplete
}

// note adds a reason why the trace is incomplete.
func (s *rawScan) note(format string, args ...any) {
	if len(s.notes) < maxNotes {
		s.notes = append(s.notes, fmt.Sprintf(format, args...))
	}
}

// header reads the file's header.
func (s *rawScan) header() error {
	b, err := s.win.at(0, rawFieldsSize)
	if err != nil {
		return err
	}
	if err := checkRawMagic(b); err != nil {
		return err
	}
	word := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	if v := word(40); v == bits.ReverseBytes64(rawVersion) {
		return fmt.Errorf("%w: written by a big-endian machine", ErrVersion)
	} else if v != rawVersion {
		return fmt.Errorf("%w: raw format %d, this program reads %d", ErrVersion, v, rawVersion)
	}
	s.epoch = int64(word(24))
	s.trace.PID = int(min(word(32), math.MaxInt32))
	s.flags(word(16))
	s.setEnd(word(8))
	return nil
}

// checkRawMagic returns an error unless b, the beginning of a file, is that of a raw trace.
func checkRawMagic(b []byte) error {
	head := b[:min(len(b), len(rawMagic))]
	switch {
	case len(bytes.Trim(head, "\x00")) == 0:
		// The file is created and extended before anything is written to it.
		return ErrEmpty
	case !strings.HasPrefix(rawMagic, string(head)):
		return ErrNotTrace
	case len(b) < rawFieldsSize:
		return ErrEmpty
	}
	return nil
}

func (s *rawScan) flags(flags uint64) {
	if flags&rawBudget != 0 {
		s.note("the trace budget was reached: beyond it only hashes of the path were kept")
	}
	if flags&rawNoSpace != 0 {
		s.note("the trace file could not grow (disk full, or a limit on memory?): later events are lost")
	}
	if flags&rawIdentity != 0 {
		s.note("more goroutines were started than can be told apart: some may not be recognised in other runs")
	}
}

// setEnd sets the end of the records: used, or the end of the file if that comes first.
func (s *rawScan) setEnd(used uint64) {
	s.end = s.win.size
	if used <= uint64(s.win.size) {
		s.end = int64(used)
		return
	}
	s.note("the file was cut off at byte %d of %d", s.win.size, used)
}

// A rawRecord is the header of a record.
type rawRecord struct {
	off                   int64 // of the record in the file
	size                  int64
	kind, serial, ordinal uint32
	time                  int64 // nanoseconds since the trace began
	aux                   uint64
}

// records reads all records.
func (s *rawScan) records() error {
	off := int64(rawHeaderSize)
	for off < s.end {
		b, err := s.win.at(off, min(recHeaderSize, s.end-off))
		if err != nil {
			return err
		}
		if len(b) < recHeaderSize {
			s.note("the last record is cut off at byte %d", off)
			return nil
		}
		rec := s.record(off, b)
		if rec.size < recHeaderSize || rec.size%8 != 0 {
			s.note("damaged at byte %d: what follows is lost", off)
			return nil
		}
		if err := s.dispatch(rec); err != nil {
			return err
		}
		off += rec.size
	}
	if off > s.end && s.end > rawHeaderSize {
		s.note("the last record is cut off at byte %d", s.end)
	}
	return nil
}

// record decodes the record header b found at off.
func (s *rawScan) record(off int64, b []byte) rawRecord {
	return rawRecord{
		off:     off,
		size:    int64(binary.LittleEndian.Uint32(b)),
		kind:    binary.LittleEndian.Uint32(b[4:]),
		serial:  binary.LittleEndian.Uint32(b[8:]),
		ordinal: binary.LittleEndian.Uint32(b[12:]),
		time:    int64(binary.LittleEndian.Uint64(b[16:])) - s.epoch,
		aux:     binary.LittleEndian.Uint64(b[24:]),
	}
}

// dispatch reads the payload of a record. Only I/O errors are errors: a record that makes no
// sense is noted and skipped.
func (s *rawScan) dispatch(rec rawRecord) error {
	switch rec.kind {
	case rawChunk:
		return s.chunk(rec)
	case rawHashes:
		return s.hashes(rec)
	case rawTestEnd:
		s.testEnd(rec)
	case rawStamps:
		return s.stamps(rec, stampSize)
	case rawWaits:
		return s.stamps(rec, waitSize)
	case rawValues:
		return s.values(rec)
	case rawEnd:
		s.goroutineEnd(rec)
	case rawGoroutine, rawPlace, rawTest, rawStack, rawReason, rawAct, rawDraw, rawNote:
		return s.definition(rec)
	}
	return nil
}

// payload returns n bytes of the record's payload from pos on, or fewer if it is shorter.
func (s *rawScan) payload(rec rawRecord, pos, n int64) ([]byte, error) {
	off := rec.off + recHeaderSize + pos
	end := min(rec.off+rec.size, s.end)
	return s.win.at(off, min(n, end-off))
}
