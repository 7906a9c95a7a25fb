package hang

import (
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// waitBlock returns the block whose statement a goroutine waits in: of a select whose cases call functions, not
// the last of these.
func (f *finder) waitBlock(s *state) int {
	if s.in == 0 {
		s.in = f.findWaitBlock(s)
	}
	return s.in
}

// findWaitBlock goes back from the last block to the call of its function for as long as that may have returned, until
// one waits for the reason.
func (f *finder) findWaitBlock(s *state) int {
	events, ok := eventsOf(s.g)
	if !ok || s.pos > int64(len(events)) {
		return s.block
	}
	left := -1 // the function whose entry comes next
	for _, e := range slices.Backward(events[:s.pos]) {
		b, ok := e.Block()
		switch {
		case ok && !f.Sites.Has(b):
			return s.block
		case !ok || left >= 0 && f.Sites.Blocks[b].Func != left:
			continue
		case left >= 0:
		case f.code.operandIn(b, s.reason).text != "":
			return b
		case f.code.mayCall(b):
			return s.block
		}
		left = f.Sites.Blocks[b].Func
		if f.Sites.Blocks[b].Kind == trace.BlockEntry {
			left = -1
		}
	}
	return s.block
}

// mayCall reports whether a block may enter another function. Deferred calls come later.
func (c *code) mayCall(block int) bool {
	if span, ok := c.sites.Pos(block); ok && c.File(span.File) == nil {
		return true
	}
	for _, op := range c.Block(block, source.Call) {
		if !op.Locks() && !op.Unlocks() {
			return true
		}
	}
	return false
}
