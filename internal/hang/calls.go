package hang

import (
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
	for i := s.pos - 1; i >= 0; i-- {
		b, ok := events[i].Block()
		if !ok {
			continue
		}
		if !f.Sites.Has(b) {
			return s.block
		}
		if f.code.operandIn(b, s.reason).text != "" {
			return b
		}
		if f.code.mayCall(b) {
			return s.block
		}
		i = entryBefore(f.Sites, events, i)
	}
	return s.block
}

// entryBefore returns where the function of a block among events was entered, 0 if it is not known.
func entryBefore(sites *trace.Sites, events []trace.Event, i int64) int64 {
	b, _ := events[i].Block()
	for ; i > 0; i-- {
		e, ok := events[i].Block()
		if ok && sites.Has(e) && sites.Blocks[e].Func == sites.Blocks[b].Func && sites.Blocks[e].Kind == trace.BlockEntry {
			break
		}
	}
	return i
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
