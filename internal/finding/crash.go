package finding

import (
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A CrashKind is a panic or a fatal error that needs two: a statement finds something in a state into which another one
// has brought it.
type CrashKind string

const (
	CrashClosed CrashKind = "closed" // a channel: a send on it, or a second close
	CrashMap    CrashKind = "map"    // used while it is written
	CrashExit   CrashKind = "exit"   // none: something ended the process
)

// A Crash is what is known of who else had to do with it.
type Crash struct {
	Kind    CrashKind
	At      trace.Frame // the statement that failed
	Failing int         // failing runs that were looked at
	Parties []Party     // the most frequent first
}

// A Party is another statement on what may be the same thing.
type Party struct {
	At   trace.Frame
	Of   string // the operand of what failed: "b.events"
	Test string // that it belongs to, of a CrashExit
	Seen int    // failing runs that ran it
}

// Died reports whether the process died of it: of a panic, or of a fatal error that is
// no deadlock.
func (f *Failure) Died() bool {
	return f.Dump != "" && f.Hang == nil &&
		(strings.HasPrefix(f.Message, "panic: ") ||
			strings.HasPrefix(f.Message, "fatal error: ") &&
				!strings.HasPrefix(f.Message, "fatal error: all goroutines are asleep"))
}
