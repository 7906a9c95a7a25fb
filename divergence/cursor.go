package divergence

import (
	"errors"
	"iter"

	"github.com/fdebug/fdebug/trace"
)

// A cursor reads a goroutine's stream, holding one chunk of it at a time.
type cursor struct {
	g   *trace.Goroutine
	pos int64 // of the next event
	end int64 // events from here on are not read

	chunk int           // index of the chunk in buf
	off   int64         // position of its first event
	buf   []trace.Event // its events; nil if none is loaded
	own   []trace.Event // space for buf: buf may also be another cursor's

	lost bool  // the stream goes on, but its content was not kept
	err  error // the trace could not be read
}

// newCursor returns a cursor at the start of g's stream.
func newCursor(g *trace.Goroutine) cursor {
	return cursor{g: g, end: g.Len()}
}

// view makes c a second reader at the place of o. It shares the chunk that o holds.
func (c *cursor) view(o *cursor) {
	own := c.own
	*c = *o
	c.own = own
}

// locate returns the chunk that position pos is in, and the position at which this chunk begins.
// Chunks are cut at the same positions in all streams.
func locate(pos int64) (chunk int, off int64) {
	for chunk = 0; ; chunk++ {
		n := int64(trace.ChunkLen(chunk))
		if n == int64(trace.ChunkLen(chunk+1)) { // from here on all have the same length
			k := (pos - off) / n
			return chunk + int(k), off + k*n
		}
		if pos < off+n {
			return chunk, off
		}
		off += n
	}
}

// load makes buf the chunk that pos is in.
func (c *cursor) load() bool {
	if c.pos >= c.end {
		return false
	}
	if c.buf != nil && c.pos >= c.off && c.pos < c.off+int64(len(c.buf)) {
		return true
	}
	i, off := locate(c.pos)
	buf, err := c.g.Load(i, c.own)
	if err != nil || int64(len(buf)) <= c.pos-off {
		c.lost = errors.Is(err, trace.ErrNotKept)
		if err != nil && !c.lost {
			c.err = err
		}
		c.end, c.buf = c.pos, nil
		return false
	}
	c.chunk, c.off, c.buf, c.own = i, off, buf, buf
	return true
}

// window returns the events from pos to the end of the chunk, or to limit if that comes first. It
// is empty at the end of the stream.
func (c *cursor) window(limit int64) []trace.Event {
	if !c.load() {
		return nil
	}
	w := c.buf[c.pos-c.off:]
	if n := min(limit, c.end) - c.pos; n < int64(len(w)) {
		w = w[:max(n, 0)]
	}
	return w
}

// windows yields the events between two positions, some at a time, with the position of the first of them. It leaves c
// where it is, and ends early at an unreadable part.
func (c *cursor) windows(from, to int64) iter.Seq2[int64, []trace.Event] {
	return func(yield func(int64, []trace.Event) bool) {
		var v cursor
		v.view(c)
		for v.pos = from; v.pos < to; {
			win := v.window(to)
			if len(win) == 0 || !yield(v.pos, win) {
				return
			}
			v.pos += int64(len(win))
		}
	}
}

// peekAt returns the event at a position, 0 at the end.
func (c *cursor) peekAt(pos int64) trace.Event {
	var v cursor
	v.view(c)
	v.pos = pos
	return v.peek()
}

// peek returns the next event, 0 at the end.
func (c *cursor) peek() trace.Event {
	if !c.load() {
		return 0
	}
	return c.buf[c.pos-c.off]
}

// eventAt returns the event at position pos of g, or 0 if there is none or it was not kept.
func eventAt(g *trace.Goroutine, pos int64) trace.Event {
	if pos < 0 {
		return 0
	}
	c := newCursor(g)
	c.pos = pos
	return c.peek()
}
