package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A DB is a history. What a method writes is there as a whole or not at all, whatever
// ends the process. Any number of processes may have it open.
type DB interface {
	// Add adds those of the runs that are not known, and the session if it is not. It
	// returns how many runs were new. A run that is known without its end is replaced
	// by one that has it, and what was unknown of the session is filled in.
	Add(ctx context.Context, s *Session, runs []Run) (int, error)
	// Conclude adds what experiments have shown, and notes that the session is complete.
	Conclude(ctx context.Context, key string, verdicts []Verdict) error
	// Complete reports whether a session is there as a whole.
	Complete(ctx context.Context, key string) (bool, error)
	// Data returns all that is there, to be read until the next call.
	Data(ctx context.Context) (*Data, error)
	// Version is another one after each write, whoever makes it.
	Version(ctx context.Context) (string, error)
	// Prune removes sessions that began before a time, and what only they need.
	Prune(ctx context.Context, before time.Time) (removed int, err error)
	// Size counts what is there.
	Size(ctx context.Context) (Size, error)
	Close() error
}

// A Data is what a history holds: rows by their ids, by which they name each other.
type Data struct {
	Tests      map[int64]TestRow      `json:",omitempty"`
	Signatures map[int64]SignatureRow `json:",omitempty"`
	Sets       map[int64][]byte       `json:",omitempty"` // what passed and was skipped in runs
	Sessions   map[int64]SessionRow   `json:",omitempty"`
	Runs       map[int64]RunRow       `json:",omitempty"`
}

// NewData returns one that is empty.
func NewData() *Data {
	return &Data{
		Tests: make(map[int64]TestRow), Signatures: make(map[int64]SignatureRow), Sets: make(map[int64][]byte),
		Sessions: make(map[int64]SessionRow), Runs: make(map[int64]RunRow),
	}
}

// A TestRow is the name of a test, and what it says of itself.
type TestRow struct {
	Package, Name string
	Slowest       time.Duration      `json:",omitzero"`  // execution that passed
	Notes         map[string]NoteRow `json:",omitempty"` // by key
}

// A NoteRow is the latest value of a note.
type NoteRow struct {
	Value string
	Noted int64 // milliseconds since 1970
}

// A SignatureRow is one way in which a test fails.
type SignatureRow struct {
	Test          int64
	Text, Message string
}

// A SessionRow is a stored session.
type SessionRow struct {
	Session
	Complete bool      `json:",omitzero"`
	Verdicts []Verdict `json:",omitempty"`
}

// A RunRow is a stored run.
type RunRow struct {
	Key        string `json:"K,omitzero"` // keyOfRun; "" where only writers would need it
	Session    int64  `json:"S"`
	Started    int64  `json:"T"` // milliseconds since 1970
	Set        int64  `json:"P"`
	Kind       Kind
	Unfinished bool         `json:",omitzero"`
	Failures   []FailureRow `json:"F,omitempty"`
}

// A FailureRow is one failed execution of a test.
type FailureRow struct {
	Signature int64 `json:"S"`
	Status    Status
}

// Verdicts calls yield for each verdict and its session, those of the oldest first.
func (d *Data) Verdicts(yield func(*SessionRow, *Verdict) bool) {
	sessions := slices.Collect(maps.Values(d.Sessions))
	slices.SortFunc(sessions, func(a, b SessionRow) int {
		return cmp.Or(a.Started.Compare(b.Started), strings.Compare(a.Key, b.Key))
	})
	for i := range sessions {
		for k := range sessions[i].Verdicts {
			if !yield(&sessions[i], &sessions[i].Verdicts[k]) {
				return
			}
		}
	}
}

// size counts what is there, bytes apart.
func (d *Data) size() Size {
	size := Size{Sessions: len(d.Sessions), Runs: len(d.Runs)}
	for _, r := range d.Runs {
		size.Failures += len(r.Failures)
	}
	for _, s := range d.Sessions {
		if size.Oldest.IsZero() || s.Started.Before(size.Oldest) {
			size.Oldest = s.Started
		}
	}
	return size
}

// since returns what is needed of sessions that did not begin before a time. Tests are
// few, and all stay.
func (d *Data) since(before time.Time) *Data {
	kept := NewData()
	kept.Tests = d.Tests
	for id, s := range d.Sessions {
		if !s.Started.Before(before) {
			kept.Sessions[id] = s
		}
	}
	for id, r := range d.Runs {
		if _, ok := kept.Sessions[r.Session]; !ok {
			continue
		}
		kept.Runs[id], kept.Sets[r.Set] = r, d.Sets[r.Set]
		for _, f := range r.Failures {
			kept.Signatures[f.Signature] = d.Signatures[f.Signature]
		}
	}
	return kept
}

// A Size says how much is there.
type Size struct {
	Sessions, Runs, Failures int
	Oldest                   time.Time // session, zero if there is none
	Bytes                    int64
}

// A NewerError is about a history that a newer fdebug has written.
type NewerError struct{ Version, Known int }

func (e *NewerError) Error() string {
	return fmt.Sprintf("its format is version %d, and this fdebug knows %d", e.Version, e.Known)
}

// IsNewer reports whether a history was written by a newer fdebug.
func IsNewer(err error) bool {
	var newer *NewerError
	return errors.As(err, &newer)
}
