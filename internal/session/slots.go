package session

import (
	"github.com/fdebug/fdebug/internal/runner"
)

// slots returns where the processes of the session run.
func (j *Session) slots() *runner.Slots {
	if j.places == nil {
		each := max(j.Parallel, 1)
		j.places = &runner.Slots{Most: each * max(j.Beside, 1), Each: each, Room: room}
	}
	return j.places
}
