package divergence

import "github.com/fdebug/fdebug/trace"

// A stop is why a lookahead stopped.
type stop uint8

const (
	goesOn  stop = iota
	atLoop       // a loop begins its next iteration
	atBlock      // a block that was looked for
	exits        // the function has returned, or the part being walked is over
	ends         // the readable part of the stream ends: a failed check, or content that was not kept
)

// A lookahead looks ahead in a member's stream for the blocks of one function activation.
type lookahead struct {
	cursor
	n      callStack // from the activation's caller on: the frame below floor is not left
	floor  int
	limit  int64
	stop   stop
	header trace.Event // of the loop, if stop is atLoop
	first  bool        // whether to pass the header it stands at
	met    []uint64    // blocks of the activation met, by block.local
	at     []int64     // where each was first met, by block.local
	skip   []uint64    // blocks that don't count as met
	want   []uint64    // blocks at which to stop
	left   bool        // the stream ends, perhaps after a loop that others repeat
	cut    bool        // as for the member
}

// start puts the lookahead at the position of its member, in the innermost function of n.
func (s *lookahead) start(m *member, n *callStack) {
	s.view(&m.cursor)
	s.limit, s.cut = min(m.limit, m.end), m.cut
	keep := n.frames[max(0, len(n.frames)-2):]
	s.n.code = n.code
	s.n.frames = append(s.n.frames[:0], keep...)
	s.n.loops = s.n.loops[:0]
	s.floor = len(keep) - 1
	s.stop, s.first, s.skip, s.want, s.left = goesOn, false, nil, nil, false
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

// scan goes on to position upTo, or until it must stop: when it leaves the function, at a block
// in want, or at a loop header whose local index is at most barrier.
func (s *lookahead) scan(upTo int64, barrier int32) {
	s.stop = goesOn
	for s.stop == goesOn && s.pos < upTo {
		win := s.window(min(s.limit, upTo))
		if len(win) == 0 {
			// A goroutine that ends has returned from all its functions.
			s.stop = exits
			if s.pos >= s.end && (s.cut || s.lost) {
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

// event processes the next event, unless it makes the lookahead stop.
func (s *lookahead) event(e trace.Event, barrier int32) {
	n := &s.n
	b := n.code.at(e)
	if isCheck(e) || b.kind == trace.BlockInside {
		return
	}
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

// inFrame processes a block of the activation itself.
func (s *lookahead) inFrame(e trace.Event, b *block, barrier int32) {
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

func union(a, b []uint64) []uint64 {
	if a == nil {
		a = make([]uint64, len(b))
	}
	for i := range b {
		a[i] |= b[i]
	}
	return a
}
