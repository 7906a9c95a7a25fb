package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// Complete implements [DB].
func (s *sqliteDB) Complete(ctx context.Context, key string) (bool, error) {
	var complete bool
	err := s.db.QueryRowContext(ctx, "SELECT complete FROM sessions WHERE key = ?", key).Scan(&complete)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return complete, reading(err)
}

func reading(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("reading the history: %w", err)
}

// each calls do for each row of a query.
func (s *sqliteDB) each(ctx context.Context, query string, do func(*sql.Rows) error) error {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return reading(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return reading(err)
		}
	}
	return reading(rows.Err())
}

// Sessions implements [DB].
func (s *sqliteDB) Sessions(ctx context.Context) ([]SessionRow, error) {
	var list []SessionRow
	err := s.each(ctx, `SELECT s.id, s.key, s.source, s.started, coalesce(c.hash, ''), coalesce(c.time, 0), s.modified, s.branch, s.job, s.attempt,
		e.go, e.platform, e.ci, s.complete
		FROM sessions s LEFT JOIN commits c ON c.id = s.commit_id JOIN environments e ON e.id = s.environment_id`,
		func(rows *sql.Rows) error {
			var r SessionRow
			var started, committed int64
			if err := rows.Scan(&r.ID, &r.Key, &r.Source, &started, &r.Commit.Hash, &committed, &r.Commit.Modified, &r.Branch, &r.Job, &r.Attempt,
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
func (s *sqliteDB) EachRun(ctx context.Context, do func(RunRow)) error {
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
func (s *sqliteDB) EachSet(ctx context.Context, do func(SetRow) error) error {
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
func (s *sqliteDB) EachFailure(ctx context.Context, do func(FailureRow)) error {
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
func (s *sqliteDB) Tests(ctx context.Context) (map[int64]TestRow, error) {
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
func (s *sqliteDB) Signatures(ctx context.Context) (map[int64]SignatureRow, error) {
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
func (s *sqliteDB) Notes(ctx context.Context) (map[int64][]Note, error) {
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
func (s *sqliteDB) Verdicts(ctx context.Context) ([]VerdictRow, error) {
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
func (s *sqliteDB) Size(ctx context.Context) (Size, error) {
	var size Size
	var oldest int64
	err := s.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM runs), (SELECT count(*) FROM failures),
		(SELECT coalesce(min(started), 0) FROM sessions)`).Scan(&size.Sessions, &size.Runs, &size.Failures, &oldest)
	if err != nil {
		return size, reading(err)
	}
	size.Oldest = fromMillis(oldest)
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(s.file + suffix); err == nil {
			size.Bytes += info.Size()
		}
	}
	return size, nil
}

// Prune implements [DB].
func (s *sqliteDB) Prune(ctx context.Context, before time.Time) (removed int, err error) {
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
	if err != nil || removed == 0 {
		return removed, err
	}
	_, err = s.db.ExecContext(context.WithoutCancel(ctx), "VACUUM")
	return removed, err
}

// orphans remove what no session needs. Tests are few, and stay with their names.
var orphans = []string{
	"DELETE FROM runs WHERE session_id NOT IN (SELECT id FROM sessions)",
	"DELETE FROM verdicts WHERE session_id NOT IN (SELECT id FROM sessions)",
	"DELETE FROM failures WHERE run_id NOT IN (SELECT id FROM runs)",
	"DELETE FROM sets WHERE id NOT IN (SELECT set_id FROM runs)",
	"DELETE FROM signatures WHERE id NOT IN (SELECT signature_id FROM failures)",
	"DELETE FROM commits WHERE id NOT IN (SELECT commit_id FROM sessions)",
	"DELETE FROM environments WHERE id NOT IN (SELECT environment_id FROM sessions)",
}
