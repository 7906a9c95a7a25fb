package divergence

import (
	"math"
	"math/bits"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A junction is where streams that parted meet again: a resynchronisation
// point. In order of preference it is
//
//   - the first block of the same function activation that all of them come to,
//     within the current iteration of the loop around it: what a dominator tree
//     would call the immediate postdominator, but of the paths really taken;
//   - the beginning of the next iteration of that loop;
//   - if some of them leave the loop and others go round again: a block behind
//     the loop (then iterations have no partners, see compareLoops);
//   - the return from the function.
//
// Streams that end before that stay behind.
type junction struct {
	pos   []int64 // by member
	inner bool    // false: the innermost function has returned
	loop  int     // index in nest.loops of the loop that some left and others did not; -1
}

// A stop is why a scout went no further.
type stop uint8

const (
	goesOn  stop = iota
	atLoop       // a loop begins its next iteration
	atBlock      // a block that was looked for
	exits        // the function has returned, or the part being walked is over
	ends         // the stream ends
)

// A scout looks ahead in a member's stream for the blocks of one function
// activation.
type scout struct {
	cursor
	n      nest // from the activation's caller on: the frame below floor is not left
	floor  int
	limit  int64
	stop   stop
	header trace.Event // of the loop, if stop is atLoop
	first  bool        // the header it stands at is to be passed
	met    []uint64    // blocks of the activation met, by block.local
	at     []int64     // where each was met first, by block.local
	skip   []uint64    // blocks that don't count as met
	want   []uint64    // blocks at which to stop
}

// start puts the scout where its member stands, in the innermost function of n.
func (s *scout) start(m *member, n *nest) {
	s.view(&m.cursor)
	s.limit = min(m.limit, m.end)
	keep := n.frames[max(0, len(n.frames)-2):]
	s.n.code = n.code
	s.n.frames = append(s.n.frames[:0], keep...)
	s.n.loops = s.n.loops[:0]
	s.floor = len(keep) - 1
	s.stop, s.first, s.skip, s.want = goesOn, false, nil, nil
	size := int(n.code.sizes[keep[s.floor].fn])
	s.met = zeroed(s.met, (size+63)/64)
	if len(s.at) < size {
		s.at = make([]int64, size)
	}
}

func zeroed(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// scan goes on to position upTo, or to something that makes it stop: leaving
// the function, a block in want, or a loop header that stands at or before
// local index barrier.
func (s *scout) scan(upTo int64, barrier int32) {
	s.stop = goesOn
	for s.stop == goesOn && s.pos < upTo {
		win := s.window(min(s.limit, upTo))
		if len(win) == 0 {
			s.stop = exits
			if s.pos >= s.end {
				s.stop = ends
			}
			return
		}
		for _, e := range win {
			if s.event(e, barrier); s.stop != goesOn {
				break
			}
			s.pos++
		}
	}
}

// event takes in the next event, unless it makes the scout stop.
func (s *scout) event(e trace.Event, barrier int32) {
	n := &s.n
	if isCheck(e) {
		return
	}
	b := n.code.at(e)
	i := len(n.frames) - 1
	if b.kind == trace.BlockEntry || b.kind == trace.BlockCall || n.frames[i].fn != b.fn {
		i = n.find(e)
	}
	if i < s.floor {
		s.stop = exits
		return
	}
	if i > s.floor {
		n.step(e, 0, s.pos)
		return
	}
	s.inFrame(e, b, barrier)
	if s.stop == goesOn {
		n.frames = n.frames[:s.floor+1]
		n.frames[s.floor].last = e
	}
}

// inFrame deals with a block of the activation itself.
func (s *scout) inFrame(e trace.Event, b *block, barrier int32) {
	w, bit := b.local>>6, uint64(1)<<(b.local&63)
	if (s.skip == nil || s.skip[w]&bit == 0) && s.met[w]&bit == 0 {
		s.met[w] |= bit
		s.at[b.local] = s.pos
	}
	if s.want != nil && s.want[w]&bit != 0 {
		s.stop = atBlock
	} else if b.kind == trace.BlockLoop && b.local <= barrier && !s.first {
		s.stop, s.header = atLoop, e
	}
	s.first = false
}

// join finds where ms meet again.
func (w *walker) join(ms []*member, n *nest) junction {
	j := junction{pos: make([]int64, len(ms)), loop: -1}
	if len(n.frames) == 0 || n.frames[len(n.frames)-1].fn < 0 {
		for i, m := range ms {
			j.pos[i] = min(m.limit, m.end)
		}
		return j
	}
	for _, m := range ms {
		m.scout.start(m, n)
	}
	barrier := w.barrier(n)
	for _, horizon := range []int64{512, 1 << 16, math.MaxInt64 / 2} {
		if w.scanAll(ms, horizon, barrier); w.meet(ms, &j) {
			return j
		}
	}
	w.meetBehind(ms, n, &j)
	return j
}

// barrier returns the place of the innermost loop around where n stands.
func (w *walker) barrier(n *nest) int32 {
	if i := len(n.loops) - 1; i >= 0 && int(n.loops[i].frame) == len(n.frames)-1 {
		return n.code.at(n.loops[i].header).local
	}
	return -1
}

func (w *walker) scanAll(ms []*member, horizon int64, barrier int32) {
	for _, m := range ms {
		if m.scout.stop == goesOn {
			m.scout.scan(m.pos+horizon, barrier)
			w.checkScout(m)
		}
	}
}

func (w *walker) checkScout(m *member) {
	w.lost = w.lost || m.scout.lost
	if w.err == nil {
		w.err = m.scout.err
	}
}

// meet looks for a block at which all scouts meet; if there are several, the
// nearest. It also settles the junction if all have left the function.
func (w *walker) meet(ms []*member, j *junction) bool {
	both, votes, out := w.shared(ms)
	best, most, dist := -1, 1, int64(math.MaxInt64)
	for i, word := range both {
		for ; word != 0; word &= word - 1 {
			local := i<<6 + bits.TrailingZeros64(word)
			n, d := w.visitors(ms, local)
			if n > most || n == most && d < dist {
				best, most, dist = local, n, d
			}
		}
	}
	if best < 0 && out < votes {
		return false
	}
	j.inner = best >= 0
	for i, m := range ms {
		j.pos[i] = m.scout.pos
		if j.inner && m.scout.has(best) {
			j.pos[i] = m.scout.at[best]
		}
	}
	return true
}

// shared returns the blocks that all scouts have met whose streams go on; if
// none does, those that any has met. votes is how many go on, out how many of
// them have left the function.
func (w *walker) shared(ms []*member) (both []uint64, votes, out int) {
	w.seen = zeroed(w.seen, len(ms[0].scout.met))
	for _, m := range ms {
		if s := &m.scout; s.stop != ends {
			if votes++; votes == 1 {
				copy(w.seen, s.met)
			}
			for i := range w.seen {
				w.seen[i] &= s.met[i]
			}
			if s.stop == exits {
				out++
			}
		}
	}
	if votes == 0 {
		for _, m := range ms {
			union(w.seen, m.scout.met)
		}
	}
	return w.seen, votes, out
}

// visitors returns how many scouts have met a block, and how far the farthest
// of them had to go.
func (w *walker) visitors(ms []*member, local int) (n int, d int64) {
	for _, m := range ms {
		if m.scout.has(local) {
			n++
			d = max(d, m.scout.at[local]-m.pos)
		}
	}
	return n, d
}

func (s *scout) has(local int) bool { return s.met[local>>6]>>(local&63)&1 != 0 }

// meetBehind finds the junction if some streams have come to the next
// iteration of a loop while others are not going to: the former go on until
// they are out of the loop as well.
func (w *walker) meetBehind(ms []*member, n *nest, j *junction) {
	for {
		header, local := innermost(ms, n.code)
		if header == 0 {
			// All have left the function, which meet has seen.
			return
		}
		if i := loopIndex(n, header); i >= 0 {
			j.loop = i
		}
		w.goRound(ms, header, local)
		if w.meet(ms, j) {
			return
		}
	}
}

// innermost returns the header, among those at which scouts stand, that stands
// last in the source; 0 if there is none.
func innermost(ms []*member, c *code) (header trace.Event, local int32) {
	local = -1
	for _, m := range ms {
		if s := &m.scout; s.stop == atLoop {
			if b := c.at(s.header); b.local > local {
				header, local = s.header, b.local
			}
		}
	}
	return header, local
}

func loopIndex(n *nest, header trace.Event) int {
	for i := len(n.loops) - 1; i >= 0 && int(n.loops[i].frame) == len(n.frames)-1; i-- {
		if n.loops[i].header == header {
			return i
		}
	}
	return -1
}

// goRound sends the scouts that stand at a loop's header on until they meet a
// block that all scouts outside of the loop have met, or leave what is around
// the loop. Blocks that they had met before are inside the loop, and don't count.
func (w *walker) goRound(ms []*member, header trace.Event, local int32) {
	var in, out []uint64
	for _, m := range ms {
		switch s := &m.scout; {
		case s.stop == atLoop && s.header == header:
			in = union(in, s.met)
		case s.stop != ends && out == nil:
			out = append(out, s.met...)
		case s.stop != ends:
			for i := range out {
				out[i] &= s.met[i]
			}
		}
	}
	for i := range out {
		out[i] &^= in[i]
	}
	for _, m := range ms {
		if s := &m.scout; s.stop == atLoop && s.header == header {
			clear(s.met)
			s.skip, s.want, s.first = in, out, true
			s.scan(math.MaxInt64, local-1)
			if s.stop == atBlock { // those that met another block first look on
				s.want = nil
			}
			w.checkScout(m)
		}
	}
	w.lookOn(ms, local)
}

// lookOn sends scouts that have stopped at different blocks on for a while, to
// meet each other's.
func (w *walker) lookOn(ms []*member, local int32) {
	both, votes, _ := w.shared(ms)
	if votes > 0 && slices.ContainsFunc(both, func(word uint64) bool { return word != 0 }) {
		return
	}
	for _, m := range ms {
		if s := &m.scout; s.stop == atBlock {
			s.scan(math.MaxInt64, local-1)
			w.checkScout(m)
		}
	}
}

func union(a, b []uint64) []uint64 {
	if a == nil {
		a = make([]uint64, len(b))
	}
	for i := range b {
		a[i] |= b[i]
	}
	return a
}
