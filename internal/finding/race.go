package finding

import (
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A Race is two accesses to the same memory that the race detector saw in some
// runs of a test made with it: nothing had ordered them there.
type Race struct {
	Accesses [2]Access `json:"accesses"`
	Seen     int       `json:"seen"` // runs in which it was reported
	Of       int       `json:"of"`   // runs made with the race detector
	// Failed are those of Seen in which the test failed, Failing those of Of.
	Failed  int `json:"failed"`
	Failing int `json:"failing"`
}

// Apart reports whether the test failed with the race detector, and in none of the runs
// in which the race was reported.
func (r *Race) Apart() bool { return r.Failed == 0 && r.Failing > 0 }

// An Access is one side of a race: the innermost place of its stack in user code.
type Access struct {
	Kind  AccessKind    `json:"kind"`
	At    trace.Frame   `json:"at"`
	Calls []trace.Frame `json:"calls,omitempty"` // in user code, by which it came there, innermost first
	// Started is the go statement of its goroutine, zero if that is not in user code, as
	// for a test's own.
	Started trace.Frame `json:"started,omitzero"`
	// Lost says that the detector has lost where the user's code made the access, as it
	// does with those of sync/atomic: At is Started then.
	Lost bool `json:"lost,omitempty"`
}

// An AccessKind is what is done to the memory: a read, a write, or, at one place and in
// different runs, either (x++ does both).
type AccessKind uint8

// The kinds of access.
const (
	Read AccessKind = 1 << iota
	Write
)

// Mark returns the mark of a line that makes such an access.
func (k AccessKind) Mark() say.Label {
	switch k {
	case Read:
		return say.MarkReads
	case Write:
		return say.MarkWrites
	}
	return say.MarkEither
}

// MarshalText makes a kind its name in files.
func (k AccessKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the name of a kind.
func (k *AccessKind) UnmarshalText(text []byte) error {
	for *k = Read; *k < Read|Write && k.String() != string(text); *k++ {
	}
	return nil
}

func (k AccessKind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	}
	return "read or write"
}
