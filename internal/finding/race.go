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
}
