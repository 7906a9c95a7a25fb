package trace

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
)

// Open opens the trace at path, kept or raw. It reads and checks the index at once; content is
// checked when it is loaded. Errors are [ErrNotTrace], [ErrVersion], [ErrDamaged], for raw traces
// [ErrEmpty], and those of the file system. Close the trace after use.
func Open(path string) (*Trace, error) { return new(Opener).Open(path) }

// An Opener opens traces that are in use together: they share the space that decompressing takes.
// The zero value is ready to use. Several goroutines can load from the traces of one Opener, but
// they wait for each other.
type Opener struct {
	// Context, if not nil, ends the use of kept traces: once it is done, Open and Load fail with
	// its cause.
	Context context.Context

	unpacker unpacker
}

// ended returns why the traces must not be used any more.
func (o *Opener) ended() error {
	if o.Context == nil || o.Context.Err() == nil {
		return nil
	}
	return context.Cause(o.Context)
}

// Open opens a trace as [Open] does.
func (o *Opener) Open(path string) (*Trace, error) {
	if err := o.ended(); err != nil {
		return nil, inFile(path, err)
	}
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	t, err := o.read(f, size, path)
	if err != nil {
		f.Close()
		return nil, inFile(path, err)
	}
	t.closer = f
	return t, nil
}

// read reads a trace, kept or raw, of the given size from r.
func (o *Opener) read(r io.ReaderAt, size int64, path string) (*Trace, error) {
	head := make([]byte, min(size, int64(len(keptMagic))))
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if string(head) == keptMagic {
		return o.readKept(r, size, path)
	}
	return readRaw(r, size, path)
}

// readKept reads a kept trace of the given size from r. It keeps r, to load chunks from. The path
// is for error messages.
func (o *Opener) readKept(r io.ReaderAt, size int64, path string) (*Trace, error) {
	index, off, version, err := readIndex(r, size)
	if err != nil {
		return nil, err
	}
	src := &keptSource{r: r, path: path, unpacker: &o.unpacker, ended: o.ended}
	ir := &indexReader{b: index, end: off, src: src, version: version}
	t := ir.trace()
	if ir.err != nil {
		return nil, ir.err
	}
	return t, nil
}

// readIndex returns the index of a kept trace, checked against its checksum,
// and its offset in the file.
func readIndex(r io.ReaderAt, size int64) (index []byte, off int64, version uint32, err error) {
	head, err := readAt(r, 0, min(size, keptHeaderSize))
	if err != nil {
		return nil, 0, 0, err
	}
	if len(head) >= 12 {
		version = binary.LittleEndian.Uint32(head[8:])
		if version < oldVersion || version > keptVersion {
			return nil, 0, 0, fmt.Errorf("%w: format %d, this program reads %d to %d", ErrVersion, version,
				oldVersion, keptVersion)
		}
	}
	if size < keptHeaderSize+keptFooterSize {
		return nil, 0, 0, damaged("cut off at byte %d", size)
	}
	foot, err := readAt(r, size-keptFooterSize, keptFooterSize)
	if err != nil {
		return nil, 0, 0, err
	}
	if string(foot[24:]) != keptEnd {
		return nil, 0, 0, damaged("cut off at byte %d", size)
	}
	at, n := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint64(foot[8:])
	end := uint64(size - keptFooterSize)
	if at < keptHeaderSize || at > end || n != end-at || n > maxIndexSize {
		return nil, 0, 0, damaged("its index is not where it should be")
	}
	index, err = readAt(r, int64(at), int64(n))
	if err != nil {
		return nil, 0, 0, err
	}
	if keptChecksum(head, index, foot[:16]) != binary.LittleEndian.Uint32(foot[16:]) {
		return nil, 0, 0, damaged("the checksum of its index is wrong")
	}
	return index, int64(at), version, nil
}

// readAt returns n bytes of r, from off on.
func readAt(r io.ReaderAt, off, n int64) ([]byte, error) {
	b := make([]byte, n)
	if got, err := r.ReadAt(b, off); got < len(b) {
		return nil, err
	}
	return b, nil
}
