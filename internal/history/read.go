package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Complete implements [DB].
func (s *sqlDB) Complete(ctx context.Context, key string) (bool, error) {
	var complete bool
	err := again(ctx, s.patience, s.lost, func() error { // who writes asks
		return s.row(ctx, []any{&complete}, "SELECT complete FROM sessions WHERE key = ?", keyOf(key))
	})
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return complete, s.reading(err)
}

// row reads one row, again if the connection was lost, which is noticed only now.
func (s *sqlDB) row(ctx context.Context, to []any, query string, args ...any) error {
	query = s.bind(query)
	err := s.db.QueryRowContext(ctx, query, args...).Scan(to...)
	if err != nil && s.lost(err) {
		err = s.db.QueryRowContext(ctx, query, args...).Scan(to...)
	}
	return err
}

func (s *sqlDB) reading(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading the history: %w", s.explain(err))
}

// each calls do for each row of a query. The query is made again if the connection was
// lost, which is noticed only now.
func (s *sqlDB) each(ctx context.Context, query string, do func(*sql.Rows) error) error {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil && s.lost(err) {
		rows, err = s.db.QueryContext(ctx, query)
	}
	if err != nil {
		return s.reading(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return s.reading(err)
		}
	}
	return s.reading(rows.Err())
}

// Sessions implements [DB].
func (s *sqlDB) Sessions(ctx context.Context) ([]SessionRow, error) {
	var list []SessionRow
	err := s.each(ctx, `SELECT s.id, s.key, s.source, s.started, coalesce(c.hash, ''), coalesce(c.time, 0), s.modified, s.branch, s.job, s.reports, s.attempt,
		e.go, e.platform, e.ci, s.complete
		FROM sessions s LEFT JOIN commits c ON c.id = s.commit_id JOIN environments e ON e.id = s.environment_id`,
		func(rows *sql.Rows) error {
			var r SessionRow
			var started, committed int64
			if err := rows.Scan(&r.ID, &r.Key, &r.Source, &started, &r.Commit.Hash, &committed, &r.Commit.Modified, &r.Branch, &r.Job, &r.Reports, &r.Attempt,
				&r.Env.Go, &r.Env.Platform, &r.Env.CI, &r.Complete); err != nil {
				return err
			}
			r.Started, r.Commit.Time = fromMillis(started), fromMillis(committed)
			list = append(list, r)
			return nil
		})
	return list, err
}

// EachRun implements [DB].
func (s *sqlDB) EachRun(ctx context.Context, do func(RunRow)) error {
	var r RunRow
	var kind sql.RawBytes
	return s.each(ctx, "SELECT id, session_id, set_id, started, kind FROM runs", func(rows *sql.Rows) error {
		if err := rows.Scan(&r.ID, &r.Session, &r.Set, &r.Started, &kind); err != nil {
			return err
		}
		if string(r.Kind) != string(kind) {
			r.Kind = Kind(kind)
		}
		do(r)
		return nil
	})
}

// EachSet implements [DB].
func (s *sqlDB) EachSet(ctx context.Context, do func(SetRow) error) error {
	return s.each(ctx, "SELECT id, content FROM sets", func(rows *sql.Rows) error {
		var id int64
		var content sql.RawBytes
		if err := rows.Scan(&id, &content); err != nil {
			return err
		}
		return do(SetRow{id, content})
	})
}

// EachFailure implements [DB].
func (s *sqlDB) EachFailure(ctx context.Context, do func(FailureRow)) error {
	return s.each(ctx, "SELECT run_id, test_id, signature_id, status FROM failures", func(rows *sql.Rows) error {
		var r FailureRow
		if err := rows.Scan(&r.Run, &r.Test, &r.Signature, &r.Status); err != nil {
			return err
		}
		do(r)
		return nil
	})
}

// Tests implements [DB].
func (s *sqlDB) Tests(ctx context.Context) (map[int64]TestRow, error) {
	all := make(map[int64]TestRow)
	err := s.each(ctx, `SELECT t.id, p.path, t.name, t.slowest FROM tests t JOIN packages p ON p.id = t.package_id`,
		func(rows *sql.Rows) error {
			var id int64
			var t TestRow
			if err := rows.Scan(&id, &t.Package, &t.Name, &t.Slowest); err != nil {
				return err
			}
			all[id] = t
			return nil
		})
	return all, err
}

// Signatures implements [DB].
func (s *sqlDB) Signatures(ctx context.Context) (map[int64]SignatureRow, error) {
	all := make(map[int64]SignatureRow)
	err := s.each(ctx, "SELECT id, test_id, text, message FROM signatures", func(rows *sql.Rows) error {
		var id int64
		var r SignatureRow
		if err := rows.Scan(&id, &r.Test, &r.Text, &r.Message); err != nil {
			return err
		}
		all[id] = r
		return nil
	})
	return all, err
}

// Notes implements [DB].
func (s *sqlDB) Notes(ctx context.Context) (map[int64][]Note, error) {
	all := make(map[int64][]Note)
	err := s.each(ctx, "SELECT test_id, key, value FROM notes ORDER BY test_id, key", func(rows *sql.Rows) error {
		var id int64
		var n Note
		if err := rows.Scan(&id, &n.Key, &n.Value); err != nil {
			return err
		}
		all[id] = append(all[id], n)
		return nil
	})
	return all, err
}

// Verdicts implements [DB].
func (s *sqlDB) Verdicts(ctx context.Context) ([]VerdictRow, error) {
	var list []VerdictRow
	err := s.each(ctx, `SELECT v.session_id, p.path, t.name, v.class, v.kind, v.category, v.signature, v.place, v.failed, v.runs
		FROM verdicts v JOIN tests t ON t.id = v.test_id JOIN packages p ON p.id = t.package_id JOIN sessions s ON s.id = v.session_id
		ORDER BY s.started, v.session_id, v.nth`,
		func(rows *sql.Rows) error {
			var r VerdictRow
			if err := rows.Scan(&r.Session, &r.Package, &r.Test, &r.Class, &r.Kind, &r.Category, &r.Signature, &r.Place, &r.Failed, &r.Of); err != nil {
				return err
			}
			list = append(list, r)
			return nil
		})
	return list, err
}

// Size implements [DB].
func (s *sqlDB) Size(ctx context.Context) (Size, error) {
	var size Size
	var oldest int64
	err := s.row(ctx, []any{&size.Sessions, &size.Runs, &size.Failures, &oldest},
		`SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs), (SELECT count(*) FROM failures),
		(SELECT coalesce(min(started), 0) FROM sessions)`)
	if err != nil {
		return size, s.reading(err)
	}
	size.Oldest = fromMillis(oldest)
	size.Bytes, err = s.bytes(ctx, s.db)
	return size, s.reading(err)
}

// Prune implements [DB].
func (s *sqlDB) Prune(ctx context.Context, before time.Time) (removed int, err error) {
	err = s.write(ctx, func(w *writer) error {
		res, err := w.exec("DELETE FROM sessions WHERE started < ?", millis(before))
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		removed = int(n)
		if err != nil || n == 0 {
			return err
		}
		for _, query := range orphans {
			if _, err := w.exec(query); err != nil {
				return err
			}
		}
		w.names.pruned = -1 // the ids that are known may be gone
		_, err = w.exec("INSERT INTO facts (name, value) VALUES ('pruned', 1) ON CONFLICT (name) DO UPDATE SET value = facts.value + 1")
		return err
	})
	if err != nil {
		return 0, s.writing(err)
	}
	if removed == 0 {
		return 0, nil
	}
	return removed, s.compact(ctx, s.db)
}

// orphans remove what no session needs. Tests are few, and stay with their names. What
// is needed is subtracted as a whole: any database has a fast way for that.
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
