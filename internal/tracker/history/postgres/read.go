package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// Complete implements [history.DB].
func (s *server) Complete(ctx context.Context, key string) (bool, error) {
	var complete bool
	err := again(ctx, s.patience, isLost, func() error { // who writes asks
		return s.row(ctx, []any{&complete}, "SELECT complete FROM sessions WHERE key = $1", history.KeyOf(key))
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return complete, s.reading(err)
}

// row reads one row.
func (s *server) row(ctx context.Context, to []any, query string, args ...any) error {
	return twice(func() error { return s.db.QueryRowContext(ctx, query, args...).Scan(to...) })
}

func (s *server) reading(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading the history: %w", s.explain(err))
}

// Data implements [history.DB]. All of it is of one moment.
func (s *server) Data(ctx context.Context) (d *history.Data, err error) {
	err = twice(func() error {
		d, err = s.data(ctx)
		return err
	})
	return d, s.reading(err)
}

func (s *server) data(ctx context.Context) (*history.Data, error) {
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	return read(ctx, tx)
}

// Size implements [history.DB].
func (s *server) Size(ctx context.Context) (history.Size, error) {
	var size history.Size
	var oldest int64
	err := s.row(ctx, []any{&size.Sessions, &size.Runs, &size.Failures, &oldest},
		`SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs), (SELECT count(*) FROM failures),
		(SELECT coalesce(min(started), 0) FROM sessions)`)
	if err != nil {
		return size, s.reading(err)
	}
	size.Oldest = history.FromMillis(oldest)
	err = s.row(ctx, []any{&size.Bytes}, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
		JOIN pg_class v ON v.oid = to_regclass('schema_version') AND v.relnamespace = c.relnamespace
		WHERE c.relkind = 'r'`)
	return size, s.reading(err)
}

// Prune implements [history.DB].
func (s *server) Prune(ctx context.Context, before time.Time) (removed int, err error) {
	err = s.write(ctx, func(w *writer) {
		if removed = w.exec("DELETE FROM sessions WHERE started < $1", history.Millis(before)); removed == 0 {
			return
		}
		for _, query := range orphans {
			w.exec(query)
		}
	})
	if err != nil {
		return 0, s.writing(err)
	}
	return removed, nil
}

// orphans remove what no session needs. Tests are few, and stay with their names. What
// is needed is subtracted as a whole, for which there is a fast way.
var orphans = []string{
	orphansOf("runs", "session_id", "SELECT id FROM sessions"),
	orphansOf("verdicts", "session_id", "SELECT id FROM sessions"),
	orphansOf("failures", "run_id", "SELECT id FROM runs"),
	orphansOf("sets", "id", "SELECT set_id FROM runs"),
	orphansOf("signatures", "id", "SELECT signature_id FROM failures"),
	orphansOf("commits", "id", "SELECT commit_id FROM sessions"),
	orphansOf("environments", "id", "SELECT environment_id FROM sessions"),
}

func orphansOf(table, column, needed string) string {
	return fmt.Sprintf("DELETE FROM %[1]s WHERE %[2]s IN (SELECT %[2]s FROM %[1]s EXCEPT %[3]s)", table, column, needed)
}
