package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// maxDepth limits the shadow stack. A function that code outside the module calls repeatedly (a comparison in
// sort.Slice) looks like one that calls itself, because there is no event for a return.
const maxDepth = 4096

// A callStack is the dynamic nesting at a place in a stream, as far as blocks show it: the calls that have not
// returned, and the loops running in each. (Xin, Sumner and Zhang, PLDI 2008, index executions by the same regions.)
//
// There are no events for returns and loop exits. When a block of another function than the
// innermost one comes, the functions in between have returned. A loop counts as running until its
// function returns or a loop around it begins its next iteration.
type callStack struct {
	code   *code
	frames []frame
	loops  []loop
	prev   trace.Event // the last event
}

// A frame is a call that has not returned.
type frame struct {
	fn   int32
	last trace.Event // the last block that ran in it; 0 at first
}

// A loop is a running loop.
type loop struct {
	frame  int32       // index in callStack.frames
	header trace.Event // its BlockLoop block

	// cur is the range of complete iterations in the stream being followed: the current iteration
	// began at its end. old holds earlier iterations, in streams followed before.
	cur span
	old []span

	// start holds, by run, where the iteration began in which the runs being compared first
	// diverged in the loop; -1 for other runs; nil if they have not diverged. before is the range
	// of the earlier iterations, which are alike in all of them.
	start  []int64
	before span
	// at holds, by run, where the current iteration began in each run being compared; nil if they
	// have moved in step since then.
	at []int64
}

// A span is a range of the stream of a run.
type span struct {
	run      int32
	from, to int64
}

// find returns the index of the frame that block event e belongs to. It returns len(frames) if e
// is a call, and -1 if no frame is of e's function.
func (n *callStack) find(e trace.Event) int {
	b := n.code.at(e)
	if b.kind == trace.BlockEntry && b.fn >= 0 {
		return len(n.frames)
	}
	i := len(n.frames) - 1
	for i >= 0 && n.frames[i].fn != b.fn {
		i--
	}
	// The block after a call follows the block with the call. If the caller of a recursive
	// function is at that block, the callee has returned.
	for i > 0 && b.kind == trace.BlockCall && n.frames[i-1].fn == b.fn &&
		int32(n.frames[i].last) != b.prev && int32(n.frames[i-1].last) == b.prev {
		i--
	}
	return i
}

// step processes the event at position pos of the stream of the given run.
func (n *callStack) step(e trace.Event, run int32, pos int64) {
	b := n.code.at(e)
	if b.kind == trace.BlockInside {
		return // the block goes on
	}
	n.prev = e
	if isCheck(e) {
		return
	}
	top := len(n.frames) - 1
	if top < 0 || b.kind == trace.BlockEntry || b.kind == trace.BlockCall || n.frames[top].fn != b.fn {
		top = n.enter(e, b)
	}
	n.frames[top].last = e
	if b.kind == trace.BlockLoop {
		n.iterate(e, b, int32(top), run, pos)
	}
}

// enter makes the frame that e belongs to the innermost one.
func (n *callStack) enter(e trace.Event, b *block) int {
	i := n.find(e)
	if i < 0 { // the stream begins inside a function, or something was lost
		n.truncate(0)
		i = 0
	}
	if i >= maxDepth {
		n.truncate(maxDepth - 1)
		i = maxDepth - 1
	}
	if i == len(n.frames) {
		n.frames = append(n.frames, frame{fn: b.fn})
	} else {
		n.truncate(i + 1)
	}
	return i
}

// truncate drops all but the outermost depth frames, and their loops.
func (n *callStack) truncate(depth int) {
	if depth >= len(n.frames) {
		return
	}
	n.frames = n.frames[:depth]
	for len(n.loops) > 0 && int(n.loops[len(n.loops)-1].frame) >= depth {
		n.loops = n.loops[:len(n.loops)-1]
	}
}

// iterate notes that an iteration of the loop with header e begins.
func (n *callStack) iterate(e trace.Event, b *block, top, run int32, pos int64) {
	for i := len(n.loops) - 1; i >= 0 && n.loops[i].frame == top; i-- {
		l := &n.loops[i]
		if l.header == e {
			l.at = nil
			if l.cur.run != run { // the stream being followed has changed
				l.old = append(slices.Clip(l.old), l.cur)
				l.cur = span{run, pos, pos}
			}
			l.cur.to = pos
			n.loops = n.loops[:i+1]
			return
		}
		if n.code.at(l.header).local > b.local {
			n.loops = n.loops[:i] // a loop that comes later in the source is over
		}
	}
	n.loops = append(n.loops, loop{frame: top, header: e, cur: span{run, pos, pos}})
}

// leave notes that the innermost function has returned to its caller.
func (n *callStack) leave() {
	n.truncate(max(0, len(n.frames)-1))
	n.prev = n.last()
}

// last returns the last block that ran in the innermost function.
func (n *callStack) last() trace.Event {
	if len(n.frames) == 0 {
		return 0
	}
	return n.frames[len(n.frames)-1].last
}

// reset forgets everything, because content was not kept.
func (n *callStack) reset() { n.frames, n.loops, n.prev = n.frames[:0], n.loops[:0], 0 }

func (n *callStack) clone() *callStack {
	c := *n
	c.frames, c.loops = slices.Clone(n.frames), slices.Clone(n.loops)
	return &c
}

// path returns the calls that have not returned, outermost first.
func (n *callStack) path() []Call {
	calls := make([]Call, 0, len(n.frames))
	for _, f := range n.frames {
		if f.fn >= 0 {
			calls = append(calls, Call{Func: int(f.fn), Block: int(f.last)})
		}
	}
	return calls
}
