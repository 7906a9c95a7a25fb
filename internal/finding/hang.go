package finding

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A HangKind says how a run that waited came to its end.
type HangKind string

const (
	HangTimeout  HangKind = "timeout"  // it was stopped at the time limit
	HangDeadlock HangKind = "deadlock" // the runtime found all goroutines asleep
	HangLocks    HangKind = "locks"    // it failed while goroutines waited for each other's locks
	HangLeak     HangKind = "leak"     // the test failed because goroutines were left
)

// Category returns the kind of flake that it is where nothing else is known.
func (k HangKind) Category() string {
	if k == HangLeak {
		return "resource-leak"
	}
	return "timeout"
}

// A Hang says who waited for what when the failing runs ended, against the same
// goroutines in passing runs.
type Hang struct {
	Kind    HangKind `json:"kind"`
	Run     int      `json:"run"`     // the failing run that is described
	Failing int      `json:"failing"` // failing runs that were looked at
	Passing int      `json:"passing"` // passing runs in which they do
	Waits   []Wait   `json:"waits"`   // the one that the test's own goroutine is in comes first, benign ones last
	// LockOrder holds the indexes of waits that are each for a lock which another one of these goroutines holds.
	LockOrder []int `json:"lock_order,omitempty"`
	// FailNow is where a goroutine that is not a test's own was ended by FailNow, which Fatal and require of testify call.
	FailNow trace.Frame `json:"fail_now,omitzero"`
}

// A Wait is one goroutine that waits at the end of the failing run described.
type Wait struct {
	By     Actor       `json:"goroutine"`
	At     trace.Frame `json:"at"`               // the innermost place in the user's code
	Reason string      `json:"reason,omitempty"` // in the words of the runtime: "chan receive"
	For    string      `json:"for,omitempty"`    // the operand, as the source has it: "q.done"
	// Since is for how long it had waited in the end, 0 if that is not known, or if it waits in a bubble of package
	// synctest, where time is not real.
	Since time.Duration `json:"since_ns,omitempty"`
	Holds []HeldLock    `json:"holds,omitempty"` // locks that the function which waits has taken and not released
	// Benign is set if it waits there at the end of most passing runs too.
	Benign bool `json:"benign,omitempty"`
	// Stuck is set if nothing that was left in the end could end it, in these failing runs. It is false where that is
	// not known.
	Stuck   bool `json:"stuck,omitempty"`
	Failing int  `json:"failing"` // failing runs that end with it (or one of its kind) waiting here
	// What became of it in passing runs: it came past here, never came here, or
	// waited here in the end too.
	Past    int `json:"passing_past"`
	Never   int `json:"passing_never"`
	Waiting int `json:"passing_waiting"`
}

// An Actor is a goroutine, by how it came to be.
type Actor struct {
	Root    bool        `json:"test,omitempty"`   // the test's own
	Started trace.Frame `json:"started,omitzero"` // the go statement
}

// A HeldLock is a lock that was taken.
type HeldLock struct {
	Lock string      `json:"lock"` // as the source has it: "from.mu"
	At   trace.Frame `json:"at"`
}
