package trace

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// cachedFrames is how many decompressed frames an open trace holds: chunks are mostly loaded in
// order, at one or two places.
const cachedFrames = 2

// A keptSource loads chunks from a kept trace.
type keptSource struct {
	r        io.ReaderAt
	path     string
	frames   []frame
	unpacker *unpacker
	ended    func() error // the Opener's

	mu    sync.Mutex
	cache [cachedFrames]cachedFrame // the one used last is first
}

// A cachedFrame is a decompressed frame.
type cachedFrame struct {
	number int
	used   bool   // false if the slot is free
	space  []byte // that the frame's codes lie in
	packed packed
}

// load appends the events of chunk i of g, which is at pos, to buf[:0].
func (src *keptSource) load(g *Goroutine, i int, pos chunkPos, buf []Event) ([]Event, error) {
	if err := src.ended(); err != nil {
		return nil, inFile(src.path, err)
	}
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
	p, err := src.frame(int(pos.frame))
	if err != nil {
		return nil, err
	}
	return p.events(buf[:0], int(pos.event), n), nil
}

// frame returns the content of a frame.
func (src *keptSource) frame(number int) (*packed, error) {
	slot := slices.IndexFunc(src.cache[:], func(c cachedFrame) bool { return c.used && c.number == number })
	found := slot >= 0
	if !found {
		slot = cachedFrames - 1
	}
	c := src.cache[slot]
	copy(src.cache[1:slot+1], src.cache[:slot])
	if !found {
		if err := src.fill(&c, src.frames[number]); err != nil {
			src.cache[0] = cachedFrame{}
			return nil, fmt.Errorf("frame %d: %w", number, err)
		}
		c.number, c.used = number, true
	}
	src.cache[0] = c
	return &src.cache[0].packed, nil
}

// fill reads a frame into a slot.
func (src *keptSource) fill(c *cachedFrame, f frame) (err error) {
	if c.space, err = src.unpacker.unpack(src.r, f, c.space[:0]); err != nil {
		return err
	}
	c.packed, err = parsePacked(c.space, f.events, c.packed.list)
	return err
}

// An unpacker decompresses frames.
type unpacker struct {
	mu   sync.Mutex
	dec  *zstd.Decoder
	zip  []byte // scratch: a compressed frame
	full []byte // scratch: the same, decompressed
}

// unpack reads and decompresses a frame, using buf's space if it suffices. It allocates no more
// than the frame needs, because many are held at a time.
func (u *unpacker) unpack(r io.ReaderAt, f frame, buf []byte) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.dec == nil {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxPackSize))
		if err != nil {
			return nil, err
		}
		u.dec = dec
	}
	u.zip = slices.Grow(u.zip[:0], f.size)[:f.size]
	if got, err := r.ReadAt(u.zip, f.off); got < f.size {
		return nil, err
	}
	var err error
	if u.full, err = u.dec.DecodeAll(u.zip, u.full[:0]); err != nil {
		return nil, damaged("%v", err)
	}
	if cap(buf) < len(u.full) {
		buf = make([]byte, 0, len(u.full))
	}
	return append(buf, u.full...), nil
}
