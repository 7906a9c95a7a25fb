package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A trie holds the streams of one goroutine in the passing runs, as sequences of chunk hashes. It
// is a sorted slice, not a tree of nodes: the streams below a node are those between two indexes,
// so it needs no more memory than the chunk indexes in the traces.
type trie struct {
	streams []*trace.Goroutine // sorted by hashes
	runs    []int              // which run each is from
}

// newTrie sorts streams by the hashes of their chunks, which makes them a trie. Stream i is from run
// runs[i]; nil streams are left out.
func newTrie(streams []*trace.Goroutine, runs []int) *trie {
	order := make([]int, 0, len(streams))
	for i, g := range streams {
		if g != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return slices.CompareFunc(streams[a].Chunks, streams[b].Chunks, func(x, y trace.Chunk) int {
			return cmp.Compare(x.Hash, y.Hash)
		})
	})
	t := &trie{}
	for _, i := range order {
		t.streams = append(t.streams, streams[i])
		t.runs = append(t.runs, runs[i])
	}
	return t
}

// A point is where a stream leaves a trie.
type point struct {
	pos   int64       // events shared with the deepest stream of the trie
	last  trace.Event // the event before it; 0 if there is none or it is unknown
	next  trace.Event // the event after it; 0 if the stream ends there
	with  []int       // runs of the trie that share the most, in order
	other trace.Event // the next event of with[0]; 0 if it ends there

	// left is false if the trie holds the whole stream; with then has those found equal up to its last chunk.
	left bool
	// coarse says that the content at this place was not kept, so pos is known only to a chunk,
	// and next and other are unknown.
	coarse bool
	err    error
}

// leave returns where g leaves the trie: Algorithm 1's point against all of its streams at once.
// It ignores run skip in the trie, to leave one out; pass -1 to ignore none.
//
// It looks at each chunk hash of g once, and at the content of one chunk.
func (t *trie) leave(g *trace.Goroutine, skip int) point {
	lo, hi := 0, len(t.streams)
	var off int64
	for i, c := range g.Chunks {
		l, h := t.narrow(lo, hi, i, c.Hash)
		if t.others(l, h, skip) == 0 {
			return t.within(g, i, off, lo, hi, skip)
		}
		lo, hi = l, h
		off += int64(c.Len)
	}
	return t.ended(g, off, lo, hi, skip)
}

// narrow returns the streams of lo..hi whose i-th chunk has hash h.
func (t *trie) narrow(lo, hi, i int, h uint64) (int, int) {
	at := func(s int) (uint64, bool) {
		if c := t.streams[s].Chunks; i < len(c) {
			return c[i].Hash, true
		}
		return 0, false // sorts first
	}
	if hi-lo > 0 { // the common case: all go on in the same way
		a, oka := at(lo)
		b, okb := at(hi - 1)
		if oka && okb && a == h && b == h {
			return lo, hi
		}
	}
	for lo < hi {
		if v, ok := at(lo); ok && v == h {
			break
		}
		lo++
	}
	end := lo
	for end < hi {
		if v, ok := at(end); !ok || v != h {
			break
		}
		end++
	}
	return lo, end
}

// hasTwin reports whether another stream is equal to stream i, to the end. leave would find that
// too, but also makes a list of all equal streams.
func (t *trie) hasTwin(i int) bool {
	equal := func(k int) bool {
		return k >= 0 && k < len(t.streams) && slices.EqualFunc(t.streams[i].Chunks, t.streams[k].Chunks,
			func(x, y trace.Chunk) bool { return x.Hash == y.Hash })
	}
	return equal(i-1) || equal(i+1)
}

// others counts the streams of lo..hi that are not of run skip.
func (t *trie) others(lo, hi, skip int) int {
	n := hi - lo
	if skip >= 0 && slices.Contains(t.runs[lo:hi], skip) {
		n--
	}
	return n
}

// ended returns the point of a stream whose chunks are all in the trie.
func (t *trie) ended(g *trace.Goroutine, off int64, lo, hi, skip int) point {
	p := point{pos: off, last: eventAt(g, off-1), left: true}
	for s := lo; s < hi; s++ {
		if t.runs[s] != skip {
			p.with = append(p.with, t.runs[s])
			p.left = p.left && len(t.streams[s].Chunks) != len(g.Chunks)
		}
	}
	slices.Sort(p.with)
	if len(p.with) == 0 { // the trie is empty: there is nothing to leave
		p.left = false
	} else if p.left {
		p.other = eventAt(t.streams[slices.Index(t.runs, p.with[0])], off)
	}
	return p
}

// within returns the point inside chunk i of g. None of the streams lo..hi share that chunk, but
// they share all chunks before it.
func (t *trie) within(g *trace.Goroutine, i int, off int64, lo, hi, skip int) point {
	p := point{pos: off, left: t.others(lo, hi, skip) > 0}
	if !p.left {
		return p
	}
	mine, err := g.Load(i, nil)
	p.coarse = err == trace.ErrNotKept
	if err != nil && !p.coarse {
		p.err = err
		return p
	}
	var buf []trace.Event
	var hash uint64
	best, common := -1, -1
	for s := lo; s < hi; s++ {
		if t.runs[s] == skip {
			continue
		}
		chunks := t.streams[s].Chunks
		switch {
		case i >= len(chunks):
			common, buf = 0, buf[:0]
		case common >= 0 && len(buf) > 0 && chunks[i].Hash == hash: // the same as the previous one
		default:
			buf, err = t.streams[s].Load(i, buf)
			if err == trace.ErrNotKept {
				p.coarse, buf = true, buf[:0]
			} else if err != nil {
				p.err = err
				return p
			}
			common, hash = trace.CommonLen(mine, buf), chunks[i].Hash
		}
		if common > best {
			best, p.with, p.other = common, nil, 0
			if common < len(buf) {
				p.other = buf[common]
			}
		}
		if common == best {
			p.with = append(p.with, t.runs[s])
		}
	}
	t.finish(&p, g, mine, best)
	return p
}

// finish fills in the fields that follow from the length of the common part of a chunk.
func (t *trie) finish(p *point, g *trace.Goroutine, mine []trace.Event, common int) {
	off := p.pos
	p.pos += int64(common)
	switch {
	case p.coarse:
		p.other = 0
	case common < len(mine):
		p.next = mine[common]
	default:
		// A chunk is shorter than another only at the end of a stream.
	}
	if common > 0 {
		p.last = mine[common-1]
	} else {
		p.last = eventAt(g, off-1)
	}
	first := p.with[0]
	slices.Sort(p.with)
	// Streams that diverge here may go different ways. The way shown is that of the first run named.
	if p.with[0] != first && !p.coarse {
		p.other = eventAt(t.streams[slices.Index(t.runs, p.with[0])], p.pos)
	}
}

// common returns the length of the common prefix of two streams. If content was not kept, it is a
// lower bound, exact to a chunk.
func common(a, b *trace.Goroutine) int64 {
	var off int64
	for i := 0; i < min(len(a.Chunks), len(b.Chunks)); i++ {
		if a.Chunks[i].Hash != b.Chunks[i].Hash {
			x, errA := a.Load(i, nil)
			y, errB := b.Load(i, nil)
			if errA != nil || errB != nil {
				return off
			}
			return off + int64(trace.CommonLen(x, y))
		}
		off += int64(a.Chunks[i].Len)
	}
	return off
}
