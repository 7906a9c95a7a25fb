package finding

import (
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A CrashKind is a panic or a fatal error of the runtime that needs two: a statement
// finds something in a state into which another one has brought it, is bringing it,
// or should have brought it.
type CrashKind string

const (
	CrashSend      CrashKind = "send"      // on a closed channel
	CrashClose     CrashKind = "close"     // of a closed channel
	CrashMap       CrashKind = "map"       // used while it is written
	CrashNegative  CrashKind = "negative"  // counter of a WaitGroup
	CrashWaitGroup CrashKind = "waitgroup" // used by Add and Wait at one time
	CrashUnlock    CrashKind = "unlock"    // of a lock that is not held
	CrashValue     CrashKind = "value"     // that is nil, too short or zero
	CrashExit      CrashKind = "exit"      // none: something ended the process
)

// A Crash is what is known of who else had to do with it.
type Crash struct {
	Kind    CrashKind
	At      trace.Frame // the statement that failed
	Failing int         // failing runs that were looked at
	Parties []Party     // those that tell the most first
}

// A PartyKind says what another statement has done.
type PartyKind string

const (
	PartyBefore     PartyKind = "before"     // it ran before
	PartyLate       PartyKind = "late"       // it should have run before
	PartyConcurrent PartyKind = "concurrent" // its goroutine was there when the process died
)

// A Party is another statement on what may be the same thing.
type Party struct {
	Kind PartyKind
	At   trace.Frame
	Of   string // the operand of what failed: "b.events"
	Test string // that it belongs to, of a CrashExit
	// Caller is where its function was called from, zero if that is not known.
	Caller trace.Frame
	// Same is set if it is the same thing for certain: only one of its kind had been
	// made when the process died. Only is set if there is no other party.
	Same, Only bool
	// Table counts runs by whether it was so. Of a PartyConcurrent it is zero.
	Table divergence.Table
	Seen  int // failing runs in which it was so
}

// Died reports whether the process died of it: of a panic, or of a fatal error that is
// no deadlock.
func (f *Failure) Died() bool {
	return f.Dump != "" && f.Hang == nil &&
		(strings.HasPrefix(f.Message, "panic: ") ||
			strings.HasPrefix(f.Message, "fatal error: ") &&
				!strings.HasPrefix(f.Message, "fatal error: all goroutines are asleep"))
}
