package postgres

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A server is a [history.Log] in a table of PostgreSQL. Any number of processes may have it open.
type server struct {
	db   *sql.DB
	name string // as it may be shown
	// patience is how long something is tried again where the connection is lost, from its first
	// failure on. It is safe to: what is there counts once.
	patience time.Duration
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *server) Close() error { return s.db.Close() }

// Stat implements [history.Log].
func (s *server) Stat(ctx context.Context) (version string, bytes int64, err error) {
	err = s.again(ctx, isLost, func() error {
		return s.db.QueryRowContext(ctx, `SELECT coalesce(max(n), 0), pg_total_relation_size(to_regclass('lines'))
			FROM lines`).Scan(&version, &bytes)
	})
	return version, bytes, err
}

// Read implements [history.Log].
func (s *server) Read(ctx context.Context, c *history.Copy) error {
	return s.again(ctx, isLost, func() error { return read(ctx, s.db, c) })
}

// read takes in what follows the last line that was read. If that is no longer there, the log was
// written anew.
func read(ctx context.Context, from querier, c *history.Copy) error {
	rows, err := from.QueryContext(ctx, `WITH last AS (SELECT coalesce(max(n), 0) AS n FROM lines WHERE n = $1)
		SELECT lines.n, lines.data, last.n FROM lines, last WHERE lines.n > last.n ORDER BY lines.n`, c.End)
	if err != nil {
		return err
	}
	defer rows.Close()
	for first := true; rows.Next(); first = false {
		var n, last int64
		var text []byte
		if err := rows.Scan(&n, &text, &last); err != nil {
			return err
		}
		if first && last == 0 {
			c.Reset()
		}
		var line history.Data
		if err := json.Unmarshal(text, &line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		c.Apply(&line)
		c.End = n
	}
	return rows.Err()
}

// Change implements [history.Log]. Most is read before others have to wait.
func (s *server) Change(ctx context.Context, c *history.Copy, replace bool, do func() (*history.Data, error)) error {
	return s.again(ctx, isLost, func() error {
		err := read(ctx, s.db, c)
		if err == nil {
			err = s.alone(ctx, func(ctx context.Context, tx *sql.Tx) error { return change(ctx, tx, c, replace, do) })
		}
		if err != nil {
			c.Reset() // it may have what the table has not
		}
		return err
	})
}

func change(ctx context.Context, tx *sql.Tx, c *history.Copy, replace bool, do func() (*history.Data, error)) error {
	if err := read(ctx, tx, c); err != nil {
		return err
	}
	rows, err := do()
	if err != nil || rows == nil {
		return err
	}
	if !replace {
		c.End, err = write(ctx, tx, rows)
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM lines"); err != nil {
		return err
	}
	_, err = write(ctx, tx, rows)
	return err
}

// write adds a line.
func write(ctx context.Context, tx *sql.Tx, rows *history.Data) (n int64, err error) {
	text, err := json.Marshal(rows)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "INSERT INTO lines (data) VALUES ($1) RETURNING n", string(text)).Scan(&n)
	return n, err
}

// alone makes a transaction the only one that writes to this schema, until it ends. Others read.
// A process that vanishes with its machine does not keep the lock.
func (s *server) alone(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '5min';
		SET LOCAL idle_in_transaction_session_timeout = '1min';
		SELECT pg_advisory_xact_lock(hashtextextended('fdebug history ' || current_schema(), 0))`); err != nil {
		return err
	}
	if err := do(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// How long something is tried again, and how long it waits before.
const (
	patience  = 30 * time.Second
	leastWait = 50 * time.Millisecond
	mostWait  = 2 * time.Second
)

// again does something until it does not fail in a way that passes, or that has taken too long.
func (s *server) again(ctx context.Context, passes func(error) bool, do func() error) error {
	var until time.Time
	for wait := leastWait; ; wait = min(2*wait, mostWait) {
		err := do()
		if err == nil || !passes(err) {
			return err
		}
		if until.IsZero() {
			until = time.Now().Add(s.patience)
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
