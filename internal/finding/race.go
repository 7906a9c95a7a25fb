package finding

import "github.com/fdebug/fdebug/trace"

// A Race is two accesses to the same memory that the race detector saw in some
// runs of a test made with it: nothing had ordered them there.
type Race struct {
	Accesses [2]Access
	Seen, Of int // runs in which it was reported, of those made with the race detector
}

// An Access is one side of a race: the innermost place of its stack in user code.
type Access struct {
	Write bool
	At    trace.Frame
	Calls []trace.Frame // in user code, by which it came there, innermost first
	// Started is the go statement of its goroutine, zero if that is not in user code, as
	// for a test's own.
	Started trace.Frame
}

// Same reports whether two accesses are at the same place.
func (a Access) Same(b Access) bool { return a.Write == b.Write && a.At == b.At }
