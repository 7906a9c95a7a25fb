package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A server is a history in a database of PostgreSQL. Any number of processes may have it
// open.
type server struct {
	db   *sql.DB
	name string // as it may be shown
	// patience is how long a write is tried again where the connection is lost, from
	// its first failure on. It is safe to: what is there counts once.
	patience time.Duration

	mu sync.Mutex // writers of this process queue here, not at the database
}

// A querier is a database or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// prepare takes a database that may be empty, or of another version, and brings it up to
// date if it may be changed, in one transaction a step.
func (s *server) prepare(ctx context.Context, change bool) error {
	for {
		version, err := versionOf(ctx, s.db)
		switch {
		case err != nil:
			return err
		case version > len(migrations):
			return &history.NewerError{Version: version, Known: len(migrations)}
		case version == len(migrations):
			return nil
		case !change:
			return &history.OlderError{Version: version, Known: len(migrations)}
		}
		if err := s.migrateOne(ctx); err != nil {
			return err
		}
	}
}

func (s *server) Close() error { return s.db.Close() }

// Version implements [history.DB]: it counts the transactions that wrote.
func (s *server) Version(ctx context.Context) (version string, err error) {
	err = s.row(ctx, []any{&version}, "SELECT coalesce(sum(value), 0)::bigint FROM facts WHERE name = 'written'")
	return version, s.reading(err)
}

// How long a write is tried again, and how long it waits before.
const (
	patience  = 30 * time.Second
	leastWait = 50 * time.Millisecond
	mostWait  = 2 * time.Second
)

// write runs a transaction, again if the connection is lost: do must not count on what
// it did before.
func (s *server) write(ctx context.Context, do func(*writer)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return again(ctx, s.patience, isLost, func() error { return s.writeOnce(ctx, do) })
}

// twice does something again if the connection was lost, which is noticed only now.
func twice(do func() error) error {
	err := do()
	if err != nil && isLost(err) {
		err = do()
	}
	return err
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

func (s *server) writeOnce(ctx context.Context, do func(*writer)) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	w := &writer{ctx: ctx, tx: tx}
	do(w)
	w.count("written")
	if w.err != nil {
		return w.err
	}
	return tx.Commit()
}

// begin makes a transaction the only one that writes to this schema, until it ends.
// Others read. A process that vanishes with its machine does not keep the lock.
func (s *server) begin(ctx context.Context) (*sql.Tx, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	if _, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '5min';
		SET LOCAL idle_in_transaction_session_timeout = '1min';
		SELECT pg_advisory_xact_lock(hashtextextended('fdebug history ' || current_schema(), 0))`); err != nil {
		tx.Rollback()
		return nil, err
	}
	return tx, nil
}

// migrateOne takes one step. The version is read again within the transaction, since
// another process may be at the same.
func (s *server) migrateOne(ctx context.Context) error {
	tx, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := versionOf(ctx, tx)
	if err != nil || version >= len(migrations) {
		return err
	}
	if _, err := tx.ExecContext(ctx, migrations[version]); err != nil {
		return fmt.Errorf("bringing it to version %d: %w", version+1, err)
	}
	if err := setVersion(ctx, tx, version+1); err != nil {
		return err
	}
	return tx.Commit()
}
