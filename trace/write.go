package trace

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Write writes t to w in the form that is kept: compressed, with an index. It loads one chunk at
// a time, and holds only the index and about a frame of content in memory. The same trace gives
// the same bytes.
func Write(w io.Writer, t *Trace) error {
	if err := write(w, t); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

func write(w io.Writer, t *Trace) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	defer enc.Close()
	kw := &keptWriter{w: w, enc: enc}
	for _, step := range []func(*Trace) error{kw.header, kw.content, kw.index} {
		if err := step(t); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes t to the file at path as [Write] does. It writes to another file first, so
// that there is never half a trace at path.
func WriteFile(path string, t *Trace) error {
	return writeAside(path, func(w *bufio.Writer) error { return write(w, t) })
}

// writeAside creates the file at path with what content writes, or no file at all.
func writeAside(path string, content func(*bufio.Writer) error) error {
	aside := path + ".tmp"
	f, err := os.Create(aside)
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = content(w)
	if err == nil {
		err = w.Flush()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		os.Remove(aside)
	}
	return inFile(path, err)
}

// Compact reads the raw trace at rawPath and writes it to dstPath in the kept form. It does not
// remove the raw file.
func Compact(rawPath, dstPath string) error {
	t, err := ReadRaw(rawPath)
	if err != nil {
		return err
	}
	defer t.Close()
	return WriteFile(dstPath, t)
}

// A keptWriter writes one trace.
type keptWriter struct {
	w   io.Writer
	off int64 // written so far
	enc *zstd.Encoder

	head   []byte  // the header
	frames []frame // written so far
	events []Event // of the current frame
	loaded []Event // scratch: one chunk
	packer packer
	packed []byte // scratch: the frame, packed
	zipped []byte // scratch: the same, compressed
}

func (kw *keptWriter) write(b []byte) error {
	n, err := kw.w.Write(b)
	kw.off += int64(n)
	return err
}

func (kw *keptWriter) header(*Trace) error {
	kw.head = append(kw.head, keptMagic...)
	kw.head = binary.LittleEndian.AppendUint32(kw.head, keptVersion)
	kw.head = binary.LittleEndian.AppendUint32(kw.head, 0)
	return kw.write(kw.head)
}

// content writes the frames.
func (kw *keptWriter) content(t *Trace) error {
	for _, g := range t.Goroutines {
		for i, c := range g.Chunks {
			if c.Len <= 0 || c.Len > ChunkLen(i) || c.Len < ChunkLen(i) && i < len(g.Chunks)-1 {
				return fmt.Errorf("goroutine %s: chunk %d has %d events, not %d", g.ID, i, c.Len, ChunkLen(i))
			}
			if !c.Kept {
				continue
			}
			if err := kw.chunk(g, i); err != nil {
				return fmt.Errorf("goroutine %s: chunk %d: %w", g.ID, i, err)
			}
		}
	}
	return kw.flush()
}

// chunk adds chunk i of g to the current frame.
func (kw *keptWriter) chunk(g *Goroutine, i int) error {
	events, err := g.Load(i, kw.loaded)
	if err != nil {
		return err
	}
	if len(events) != g.Chunks[i].Len {
		return fmt.Errorf("has %d events, not %d", len(events), g.Chunks[i].Len)
	}
	kw.loaded = events
	kw.events = append(kw.events, events...)
	if len(kw.events) < frameEvents {
		return nil
	}
	return kw.flush()
}

// flush writes the current frame.
func (kw *keptWriter) flush() error {
	if len(kw.events) == 0 {
		return nil
	}
	kw.packed = kw.packer.pack(kw.packed[:0], kw.events)
	kw.zipped = kw.enc.EncodeAll(kw.packed, kw.zipped[:0])
	kw.frames = append(kw.frames, frame{off: kw.off, size: len(kw.zipped), events: len(kw.events)})
	kw.events = kw.events[:0]
	return kw.write(kw.zipped)
}

// index writes the index and the footer.
func (kw *keptWriter) index(t *Trace) error {
	index := appendIndex(t, kw.frames)
	if len(index) > maxIndexSize {
		return fmt.Errorf("the index is too large: %d bytes", len(index))
	}
	where := binary.LittleEndian.AppendUint64(nil, uint64(kw.off))
	where = binary.LittleEndian.AppendUint64(where, uint64(len(index)))
	if err := kw.write(index); err != nil {
		return err
	}
	return kw.write(appendFooter(where, keptChecksum(kw.head, index, where)))
}

// appendFooter completes a footer that so far holds the index's position.
func appendFooter(where []byte, sum uint32) []byte {
	b := binary.LittleEndian.AppendUint32(where, sum)
	b = binary.LittleEndian.AppendUint32(b, keptVersion)
	return append(b, keptEnd...)
}
