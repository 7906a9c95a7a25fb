package divergence

import (
	"math"
	"math/bits"
)

// A junction is where streams that diverged meet again: a resynchronisation point. In order of preference it is
//
//   - the first block of the same function activation that all of them reach within the current
//     iteration of the loop around it: in a dominator tree, the immediate
//     postdominator, but only for the paths really taken;
//   - the beginning of the next iteration of that loop;
//   - if some of them leave the loop and others repeat it: a block after the loop (then iterations
//     have no partners, see compareLoops);
//   - the return from the function.
//
// Streams that end before that stay behind.
type junction struct {
	pos   []int64 // by member
	inner bool    // false: the innermost function has returned
	loop  int     // index in callStack.loops of the loop that some left and others did not; -1
	block int     // where they meet, by block.local; -1 if not inner
}

// join finds where ms meet again.
func (w *walker) join(ms []*member, n *callStack) junction {
	j := junction{pos: make([]int64, len(ms)), loop: -1, block: -1}
	if len(n.frames) == 0 || n.frames[len(n.frames)-1].fn < 0 {
		for i, m := range ms {
			j.pos[i] = min(m.limit, m.end)
		}
		return j
	}
	for _, m := range ms {
		m.lookahead.start(m, n)
	}
	barrier := w.barrier(n)
	for _, horizon := range []int64{512, 1 << 16, math.MaxInt64 / 2} {
		if w.scanAll(ms, horizon, barrier); w.meet(ms, &j) {
			return w.gather(ms, n, j)
		}
	}
	w.meetBehind(ms, n, &j)
	return j
}

// barrier returns the place of the innermost loop around the position of n.
func (w *walker) barrier(n *callStack) int32 {
	if i := len(n.loops) - 1; i >= 0 && int(n.loops[i].frame) == len(n.frames)-1 {
		return n.code.at(n.loops[i].header).local
	}
	return -1
}

func (w *walker) scanAll(ms []*member, horizon int64, barrier int32) {
	for _, m := range ms {
		if m.lookahead.stop == goesOn {
			m.lookahead.scan(m.pos+horizon, barrier)
			w.check(&m.lookahead.cursor)
		}
	}
}

// meet looks for a block at which all lookaheads meet; if there are several, the nearest. It also
// completes the junction if all have left the function.
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
	j.inner, j.block = best >= 0, best
	for i, m := range ms {
		j.pos[i] = m.lookahead.pos
		if j.inner && m.lookahead.has(best) {
			j.pos[i] = m.lookahead.at[best]
		}
	}
	return true
}

// shared returns the blocks that have been met by all lookaheads whose streams go on, or if none goes on, by any
// lookahead. votes is how many go on, and out is how many of them have left the function.
func (w *walker) shared(ms []*member) (both []uint64, votes, out int) {
	w.seen = zeroed(w.seen, len(ms[0].lookahead.met))
	for _, m := range ms {
		if s := &m.lookahead; s.stop != ends {
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
			union(w.seen, m.lookahead.met)
		}
	}
	return w.seen, votes, out
}

// visitors returns how many lookaheads have met a block, and how far the farthest of them had to go.
func (w *walker) visitors(ms []*member, local int) (n int, d int64) {
	for _, m := range ms {
		if m.lookahead.has(local) {
			n++
			d = max(d, m.lookahead.at[local]-m.pos)
		}
	}
	return n, d
}

func (s *lookahead) has(local int) bool { return s.met[local>>6]>>(local&63)&1 != 0 }
