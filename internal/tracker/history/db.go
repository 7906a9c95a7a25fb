package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A DB is a history. What a method writes is there as a whole or not at all, whatever
// ends the process. Any number of processes may have it open. All of it is in memory, as far
// as it was read: whoever writes reads what others have added, and adds to that.
type DB struct {
	log Log

	mu   sync.Mutex
	copy Copy
}

// A Log is where a history is kept: what each write has added, in order.
type Log interface {
	// Read brings c up to date.
	Read(ctx context.Context, c *Copy) error
	// Change brings c up to date while nobody else writes, and adds what do returns to the
	// log, or puts it in place of all that is there; nil is nothing. It may call do again. c is
	// empty if it fails.
	Change(ctx context.Context, c *Copy, replace bool, do func() (*Data, error)) error
	// Stat returns a version, which each write changes, and how much room the log takes.
	Stat(ctx context.Context) (version string, bytes int64, err error)
	// Explain says where the log is that an error is about.
	Explain(err error) error
	Close() error
}

// NewDB returns the history in a log.
func NewDB(log Log) *DB {
	db := &DB{log: log}
	db.copy.Reset()
	return db
}

func (db *DB) Close() error { return db.log.Close() }

// Add adds those of the runs that are not known, and the session if it is not. It
// returns how many runs were new. A run that is known without its end is replaced
// by one that has it, and what was unknown of the session is filled in.
func (db *DB) Add(ctx context.Context, s *Session, runs []Run) (int, error) {
	var n int
	err := db.write(ctx, func(b *batch) error {
		n = 0
		session := b.session(s.stored())
		for i := range runs {
			if b.run(session, runs[i].stored()) {
				n++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Conclude adds what experiments have shown, and notes that the session is complete.
func (db *DB) Conclude(ctx context.Context, key string, verdicts []Verdict) error {
	return db.write(ctx, func(b *batch) error { return b.conclude(keyOf(key), verdicts) })
}

// Prune removes sessions that began before a time, and what only they need.
func (db *DB) Prune(ctx context.Context, before time.Time) (int, error) {
	var removed int
	err := db.change(ctx, true, func() (*Data, error) {
		kept := db.copy.since(before)
		if removed = len(db.copy.Sessions) - len(kept.Sessions); removed == 0 {
			return nil, nil
		}
		return kept, nil
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// write adds what do puts into a batch.
func (db *DB) write(ctx context.Context, do func(*batch) error) error {
	return db.change(ctx, false, func() (*Data, error) {
		b := newBatch(&db.copy)
		if err := do(b); err != nil || b.isEmpty() {
			return nil, err
		}
		return b.rows, nil
	})
}

func (db *DB) change(ctx context.Context, replace bool, do func() (*Data, error)) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.failed("writing to", db.log.Change(ctx, &db.copy, replace, do))
}

// failed says what an error is about.
func (db *DB) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the history: %w", doing, db.log.Explain(err))
}

// Data returns all that is there, to be read until the next call.
func (db *DB) Data(ctx context.Context) (*Data, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return &db.copy.Data, db.failed("reading", db.log.Read(ctx, &db.copy))
}

// Complete reports whether a session is there as a whole.
func (db *DB) Complete(ctx context.Context, key string) (bool, error) {
	data, err := db.Data(ctx)
	for _, s := range data.Sessions {
		if s.Key == keyOf(key) {
			return s.Complete, err
		}
	}
	return false, err
}

// Version is another one after each write, whoever makes it.
func (db *DB) Version(ctx context.Context) (string, error) {
	version, _, err := db.log.Stat(ctx)
	return version, db.failed("reading", err)
}

// Size counts what is there.
func (db *DB) Size(ctx context.Context) (Size, error) {
	data, err := db.Data(ctx)
	if err != nil {
		return Size{}, err
	}
	size := data.size()
	_, size.Bytes, err = db.log.Stat(ctx)
	return size, db.failed("reading", err)
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

// since returns the data of sessions that did not begin before a time. Tests are
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

// A VersionError is about a history that another version of fdebug has written.
type VersionError struct{ Version, Known int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("its format is version %d, and this fdebug knows %d", e.Version, e.Known)
}

// IsNewer reports whether a history was written by a newer fdebug.
func IsNewer(err error) bool {
	var other *VersionError
	return errors.As(err, &other) && other.Version > other.Known
}

// IsOlder reports whether a database is not up to date, and may not be changed; empty if it has
// no history yet.
func IsOlder(err error) (older, empty bool) {
	var other *VersionError
	older = errors.As(err, &other) && other.Version < other.Known
	return older, older && other.Version == 0
}
