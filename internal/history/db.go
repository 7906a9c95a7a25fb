package history

import (
	"context"
	"time"
)

// A DB is a history. Each method is one query, or one transaction: what it writes is
// there as a whole or not at all, whatever ends the process.
type DB interface {
	// Add adds those of the runs that are not known, and the session if it is not. It
	// returns how many runs were new. A run that is known without its end is replaced
	// by one that has it, and what was unknown of the session is filled in.
	Add(ctx context.Context, s *Session, runs []Run) (int, error)
	// Conclude adds what experiments have shown, and notes that the session is complete.
	Conclude(ctx context.Context, key string, verdicts []Verdict) error
	// Complete reports whether a session is there as a whole.
	Complete(ctx context.Context, key string) (bool, error)

	// Sessions returns the sessions, in no order.
	Sessions(ctx context.Context) ([]SessionRow, error)
	// EachRun, EachSet and EachFailure call do for each row, in no order.
	EachRun(ctx context.Context, do func(RunRow)) error
	EachSet(ctx context.Context, do func(SetRow) error) error
	EachFailure(ctx context.Context, do func(FailureRow)) error
	// Tests and Signatures return names by id, of those that have failed.
	Tests(ctx context.Context) (map[int64]TestRow, error)
	Signatures(ctx context.Context) (map[int64]SignatureRow, error)
	// Notes returns what tests say of themselves, by the test's id.
	Notes(ctx context.Context) (map[int64][]Note, error)
	// Verdicts returns what experiments have shown, oldest session first.
	Verdicts(ctx context.Context) ([]VerdictRow, error)

	// Prune removes sessions that began before a time, and what only they need.
	Prune(ctx context.Context, before time.Time) (removed int, err error)
	// Size counts what is there.
	Size(ctx context.Context) (Size, error)
	Close() error
}

// A SessionRow is a stored session.
type SessionRow struct {
	ID int64
	Session
	Complete bool
}

// A RunRow is a stored run, its failures apart.
type RunRow struct {
	ID, Session, Set int64
	Started          int64 // milliseconds since 1970
	Kind             Kind
}

// A SetRow is what passed and was skipped in runs.
type SetRow struct {
	ID      int64
	Content []byte // valid during the call
}

// A FailureRow is one failed execution of a test.
type FailureRow struct {
	Run, Test, Signature int64
	Status               Status
}

// A TestRow is the name of a test.
type TestRow struct {
	Package, Name string
	Slowest       time.Duration // execution that passed
}

// A SignatureRow is one way in which a test fails.
type SignatureRow struct {
	Test          int64
	Text, Message string
}

// A VerdictRow is a stored verdict.
type VerdictRow struct {
	Session int64
	Verdict
}

// A Size says how much is there.
type Size struct {
	Sessions, Runs, Failures int
	Oldest                   time.Time // session, zero if there is none
	Bytes                    int64
}
