package trace

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// cachedFrames is how many decompressed frames an open trace holds: chunks are
// mostly loaded in order, at one place in each of a few goroutines.
const cachedFrames = 4

// A keptSource loads chunks from a kept trace.
type keptSource struct {
	r      io.ReaderAt
	path   string
	frames []frame

	mu     sync.Mutex
	dec    *zstd.Decoder
	packed []byte                    // scratch
	cache  [cachedFrames]cachedFrame // the one used last is first
}

// A cachedFrame is a decompressed frame.
type cachedFrame struct {
	number int
	events []byte // nil if the slot is free
}

func newKeptSource(r io.ReaderAt, path string) *keptSource {
	return &keptSource{r: r, path: path}
}

// load appends the events of chunk i of g, which is at pos, to buf[:0].
func (src *keptSource) load(g *Goroutine, i int, pos chunkPos, buf []Event) ([]Event, error) {
	events, err := src.decode(pos, g.Chunks[i].Len, buf)
	if err == nil && HashEvents(events) != g.Chunks[i].Hash {
		err = damaged("its events don't have the hash that was recorded")
	}
	if err != nil {
		return nil, inFile(src.path, fmt.Errorf("goroutine %s, chunk %d: %w", g.ID, i, err))
	}
	return events, nil
}

// decode appends the n events at pos to buf[:0].
func (src *keptSource) decode(pos chunkPos, n int, buf []Event) ([]Event, error) {
	src.mu.Lock()
	defer src.mu.Unlock()
	b, err := src.frame(int(pos.frame))
	if err != nil {
		return nil, err
	}
	return decodeEvents(buf[:0], b[eventSize*pos.event:][:eventSize*n]), nil
}

// frame returns the content of a frame.
func (src *keptSource) frame(number int) ([]byte, error) {
	slot := slices.IndexFunc(src.cache[:], func(c cachedFrame) bool { return c.events != nil && c.number == number })
	found := slot >= 0
	if !found {
		slot = cachedFrames - 1
	}
	c := src.cache[slot]
	copy(src.cache[1:slot+1], src.cache[:slot])
	if !found {
		var err error
		if c.events, err = src.unpack(src.frames[number], c.events[:0]); err != nil {
			src.cache[0] = cachedFrame{}
			return nil, fmt.Errorf("frame %d: %w", number, err)
		}
		c.number = number
	}
	src.cache[0] = c
	return c.events, nil
}

// unpack reads and decompresses a frame, using buf's space if it suffices.
func (src *keptSource) unpack(f frame, buf []byte) ([]byte, error) {
	if src.dec == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxFrameEvents*eventSize))
		if err != nil {
			return nil, err
		}
		src.dec = dec
	}
	src.packed = slices.Grow(src.packed[:0], f.size)[:f.size]
	if got, err := src.r.ReadAt(src.packed, f.off); got < f.size {
		return nil, err
	}
	b, err := src.dec.DecodeAll(src.packed, buf)
	if err != nil {
		return nil, damaged("%v", err)
	}
	if len(b) != f.events*eventSize {
		return nil, damaged("has %d bytes of events, not %d", len(b), f.events*eventSize)
	}
	return b, nil
}
