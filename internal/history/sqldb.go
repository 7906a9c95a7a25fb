package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A sqlDB is a history in a database that speaks SQL. Any number of processes may have
// it open.
type sqlDB struct {
	db *sql.DB
	dialect
	// patience is how long a write is tried again where the connection is lost, from
	// its first failure on. It is safe to: what is there counts once.
	patience time.Duration

	mu    sync.Mutex // writers of this process queue here, not at the database
	names *names     // ids of names, as of the last transaction; nil if none

	watching sync.Mutex
	watch    *sql.Conn // by which Version asks; nil until then
}

// A dialect is what databases do in different ways. Queries have "?" for each argument.
type dialect interface {
	// bind gives a query the form of this database.
	bind(query string) string
	// prepared says that statements are to be prepared, once in a transaction.
	prepared() bool
	// begin makes a transaction the only one that writes, until it ends. Others read.
	begin(ctx context.Context, tx *sql.Tx) error
	// bound limits a transaction that writes.
	bound(ctx context.Context) (context.Context, context.CancelFunc)
	// written counts a transaction that wrote, where nothing else does.
	written(ctx context.Context, tx *sql.Tx) error
	// lost reports whether an error says that the server was not there, so that it may
	// be tried again.
	lost(err error) bool
	// explain says what an error is about.
	explain(err error) error

	// version and setVersion are about the number of migrations that were made.
	version(ctx context.Context, q querier) (int, error)
	setVersion(ctx context.Context, tx *sql.Tx, version int) error
	// changes is a query for a number that is another after each write that is not made
	// by the connection that asks.
	changes() string
	// types gives a migration the types of this database.
	types(migration string) string

	// bytes is what the history takes.
	bytes(ctx context.Context, db *sql.DB) (int64, error)
	// compact gives back room that is free.
	compact(ctx context.Context, db *sql.DB) error
}

// A querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// openSQL takes a database that may be empty, or of another version, and brings it up to
// date if it may be changed.
func openSQL(ctx context.Context, db *sql.DB, d dialect, change bool) (*sqlDB, error) {
	s := &sqlDB{db: db, dialect: d, patience: patience}
	if change {
		return s, s.migrate(ctx)
	}
	version, err := s.version(ctx, s.db)
	switch {
	case err != nil:
		return s, err
	case version > len(migrations):
		return s, &newerError{version, len(migrations)}
	case version < len(migrations):
		return s, &OlderError{version, len(migrations)}
	}
	return s, nil
}

func (s *sqlDB) Close() error {
	if s.watch != nil {
		s.watch.Close()
	}
	return s.db.Close()
}

// Version implements [Versioned]. The number is of one connection, which is for nothing
// else.
func (s *sqlDB) Version(ctx context.Context) (version string, err error) {
	s.watching.Lock()
	defer s.watching.Unlock()
	if s.watch == nil {
		if s.watch, err = s.db.Conn(ctx); err != nil {
			return "", s.reading(err)
		}
	}
	if err = s.watch.QueryRowContext(ctx, s.changes()).Scan(&version); err != nil {
		s.watch.Close() // it may be lost: the next time asks by another
		s.watch = nil
		return "", s.reading(err)
	}
	return version, nil
}

// How long a write is tried again, and how long it waits before.
const (
	patience  = 30 * time.Second
	leastWait = 50 * time.Millisecond
	mostWait  = 2 * time.Second
)

// write runs a transaction, again if the connection is lost: do must not count on what
// it did before.
func (s *sqlDB) write(ctx context.Context, do func(*writer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return again(ctx, s.patience, s.lost, func() error { return s.writeOnce(ctx, do) })
}

// again does something until it does not fail in a way that passes, or that has taken
// too long.
func again(ctx context.Context, patience time.Duration, passes func(error) bool, do func() error) error {
	var until time.Time
	for wait := leastWait; ; wait = min(2*wait, mostWait) {
		err := do()
		if err == nil || !passes(err) {
			return err
		}
		if until.IsZero() {
			until = time.Now().Add(patience)
		}
		if time.Now().Add(wait).After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

func (s *sqlDB) writeOnce(ctx context.Context, do func(*writer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := s.bound(ctx)
	defer cancel()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.begin(ctx, tx); err != nil {
		return err
	}
	w := &writer{ctx: ctx, tx: tx, dialect: s.dialect, stmts: make(map[string]*sql.Stmt)}
	defer w.close()
	if err := w.takeNames(s.names); err != nil {
		return err
	}
	s.names = nil // of no use if this fails
	if err := do(w); err != nil {
		return err
	}
	if err := s.written(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.names = w.names
	return nil
}

// migrate brings a database to the newest version, in one transaction a step.
func (s *sqlDB) migrate(ctx context.Context) error {
	for {
		version, err := s.version(ctx, s.db)
		switch {
		case err != nil:
			return err
		case version > len(migrations):
			return &newerError{version, len(migrations)}
		case version == len(migrations):
			return nil
		}
		if err := s.migrateOne(ctx); err != nil {
			return err
		}
	}
}

// migrateOne takes one step. The version is read again within the transaction, since
// another process may be at the same.
func (s *sqlDB) migrateOne(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.begin(ctx, tx); err != nil {
		return err
	}
	version, err := s.version(ctx, tx)
	if err != nil || version >= len(migrations) {
		return err
	}
	if _, err := tx.ExecContext(ctx, s.types(migrations[version])); err != nil {
		return fmt.Errorf("bringing it to version %d: %w", version+1, err)
	}
	if err := s.setVersion(ctx, tx, version+1); err != nil {
		return err
	}
	return tx.Commit()
}
