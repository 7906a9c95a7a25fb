package hang

import "github.com/fdebug/fdebug/internal/source"

// A callPath is the functions that a goroutine is in, the outermost first, as far
// as they are recorded.
type callPath []call

// came leaves out the calls that have come back, though nothing was recorded of the
// function that they came back to: those whose last block calls no more than it has
// entered. They are returned too.
func (f *finder) came(path callPath, waits func(call) bool) (callPath, []call) {
	n := len(path)
	for n > 0 && !waits(path[n-1]) && f.code.callsIn(path[n-1].block) <= path[n-1].entered {
		n--
	}
	return path[:n], path[n:]
}

// blocking returns the path up to the call that waits for the reason. A select, say,
// whose cases call functions is in none of these.
func (f *finder) blocking(path callPath, reason string) callPath {
	path, _ = f.came(path, func(c call) bool {
		return f.code.operandIn(c.block, reason).text != ""
	})
	return path
}

// waitBlock returns the block whose statement a goroutine waits in: of a select whose cases call functions, not
// the last of these.
func (f *finder) waitBlock(s *state) int {
	if s.in == 0 {
		s.in = f.findWaitBlock(s)
	}
	return s.in
}

func (f *finder) findWaitBlock(s *state) int {
	events, ok := eventsOf(s.g)
	if !ok || s.pos > int64(len(events)) {
		return s.block
	}
	path, _ := f.walk(events[:s.pos], lockWait(s.reason))
	if path = f.blocking(path, s.reason); len(path) > 0 {
		return path[len(path)-1].block
	}
	return s.block
}

// callsIn returns how many calls a block makes that may enter a function. Deferred
// ones come later.
func (c *code) callsIn(block int) int {
	if n, ok := c.calls[block]; ok {
		return n
	}
	n := 0
	if span, ok := c.sites.Pos(block); ok && c.File(span.File) == nil {
		n = 1 // perhaps
	}
	for _, op := range c.Block(block, source.Call) {
		if !op.Locks() && !op.Unlocks() {
			n++
		}
	}
	c.calls[block] = n
	return n
}
