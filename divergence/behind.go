package divergence

import (
	"math"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// meetBehind finds the junction if some streams have reached the next iteration of a loop and
// others will not: the former go on until they have left the loop too.
func (w *walker) meetBehind(ms []*member, n *callStack, j *junction) {
	for {
		header := innermost(ms, n.code)
		if header == 0 {
			// All have left the function, which meet has seen.
			return
		}
		if i := loopIndex(n, header); i >= 0 {
			j.loop = i
		}
		w.goRound(ms, n, header)
		if w.meet(ms, j) {
			return
		}
	}
}

// gather looks for a better junction than j if j leaves streams behind that ended while others are in a loop. The
// former may have left the loop, and their way from there to their end may be the way of the others after the loop.
func (w *walker) gather(ms []*member, n *callStack, j junction) junction {
	header := innermost(ms, n.code)
	behind := false
	for _, m := range ms {
		m.lookahead.left = m.lookahead.stop == ends && (!j.inner || !m.lookahead.has(j.block))
		behind = behind || m.lookahead.left
	}
	i := loopIndex(n, header)
	if !behind || header == 0 || i < 0 {
		return j
	}
	better := junction{pos: make([]int64, len(ms)), loop: i, block: -1}
	w.goRound(ms, n, header)
	if !w.meet(ms, &better) || !better.inner {
		return j
	}
	for _, m := range ms {
		if m.lookahead.left && m.lookahead.has(better.block) {
			return better
		}
	}
	return j
}

// innermost returns the last header in the source among those at which lookaheads stopped, or 0 if there is none.
func innermost(ms []*member, c *code) (header trace.Event) {
	local := int32(-1)
	for _, m := range ms {
		if s := &m.lookahead; s.stop == atLoop {
			if b := c.at(s.header); b.local > local {
				header, local = s.header, b.local
			}
		}
	}
	return header
}

func loopIndex(n *callStack, header trace.Event) int {
	for i := len(n.loops) - 1; i >= 0 && int(n.loops[i].frame) == len(n.frames)-1; i-- {
		if n.loops[i].header == header {
			return i
		}
	}
	return -1
}

// goRound moves lookaheads at a loop's header on until they reach a block that all lookaheads outside the loop have
// met, or leave the code around the loop. Blocks known to be inside the loop don't count.
func (w *walker) goRound(ms []*member, n *callStack, header trace.Event) {
	in, out := []uint64(nil), []uint64(nil)
	local := n.code.at(header).local
	for _, m := range ms {
		switch s := &m.lookahead; {
		case s.stop == atLoop && s.header == header:
			in = union(in, s.met)
		case s.stop == ends && !s.left:
		case out == nil:
			out = append(out, s.met...)
		default:
			for i := range out {
				out[i] &= s.met[i]
			}
		}
	}
	for i := range out {
		out[i] &^= in[i]
	}
	for _, m := range ms {
		if s := &m.lookahead; s.stop == atLoop && s.header == header {
			clear(s.met)
			s.skip, s.want, s.first = in, out, true
			s.scan(math.MaxInt64, local-1)
			if s.stop == atBlock { // those that met another block look on first
				s.want = nil
			}
			w.check(&m.lookahead.cursor)
		}
	}
	w.lookOn(ms, local)
}

// lookOn moves lookaheads that stopped at different blocks on for a while, so that they may reach
// each other's blocks.
func (w *walker) lookOn(ms []*member, local int32) {
	both, votes, _ := w.shared(ms)
	if votes > 0 && slices.ContainsFunc(both, func(word uint64) bool { return word != 0 }) {
		return
	}
	for _, m := range ms {
		if s := &m.lookahead; s.stop == atBlock {
			s.scan(math.MaxInt64, local-1)
			w.check(&m.lookahead.cursor)
		}
	}
}
