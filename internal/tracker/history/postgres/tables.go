package postgres

import (
	"context"
	"database/sql"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// tables reads the tables that an older fdebug has made, and removes them.
func tables(ctx context.Context, tx *sql.Tx) (*history.Data, error) {
	_, err := tx.ExecContext(ctx, "ALTER TABLE sessions ADD COLUMN IF NOT EXISTS reports TEXT NOT NULL DEFAULT ''")
	if err != nil {
		return nil, err
	}
	l := &loader{history.NewData()}
	for _, t := range []struct {
		query string
		take  func(*sql.Rows) error
	}{
		{`SELECT s.id, s.key, s.source, s.started, coalesce(c.hash, ''), coalesce(c.time, 0), s.modified, s.branch, s.job,
			s.reports, s.attempt, e.go, e.platform, e.ci, s.complete
			FROM sessions s LEFT JOIN commits c ON c.id = s.commit_id JOIN environments e ON e.id = s.environment_id`, l.session},
		{`SELECT v.session_id, p.path, t.name, v.class, v.kind, v.category, v.signature, v.place, v.failed, v.runs
			FROM verdicts v JOIN tests t ON t.id = v.test_id JOIN packages p ON p.id = t.package_id
			ORDER BY v.session_id, v.nth`, l.verdict},
		{"SELECT t.id, p.path, t.name, t.slowest FROM tests t JOIN packages p ON p.id = t.package_id", l.test},
		{"SELECT test_id, key, value, noted FROM notes", l.note},
		{"SELECT id, test_id, text, message FROM signatures", l.signature},
		{"SELECT id, content FROM sets", l.set},
		{"SELECT id, key, session_id, set_id, started, kind, unfinished FROM runs", l.run},
		{"SELECT run_id, signature_id, status FROM failures ORDER BY run_id, nth", l.failure},
	} {
		if err := each(ctx, tx, t.query, t.take); err != nil {
			return nil, err
		}
	}
	_, err = tx.ExecContext(ctx, `DROP TABLE facts, commits, environments, sessions, packages, tests, sets, runs,
		signatures, failures, notes, verdicts`)
	return l.Data, err
}

func each(ctx context.Context, from *sql.Tx, query string, take func(*sql.Rows) error) error {
	rows, err := from.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// A loader takes rows. Those of others that belong to one come after it.
type loader struct{ *history.Data }

func (l *loader) session(rows *sql.Rows) error {
	var id, started, committed int64
	var s history.SessionRow
	err := rows.Scan(&id, &s.Key, &s.Source, &started, &s.Commit.Hash, &committed, &s.Commit.Modified, &s.Branch, &s.Job,
		&s.Reports, &s.Attempt, &s.Env.Go, &s.Env.Platform, &s.Env.CI, &s.Complete)
	s.Started, s.Commit.Time = history.FromMillis(started), history.FromMillis(committed)
	l.Sessions[id] = s
	return err
}

func (l *loader) verdict(rows *sql.Rows) error {
	var id int64
	var v history.Verdict
	err := rows.Scan(&id, &v.Package, &v.Test, &v.Class, &v.Kind, &v.Category, &v.Signature, &v.Place, &v.Failed, &v.Of)
	if s, ok := l.Sessions[id]; ok {
		s.Verdicts = append(s.Verdicts, v)
		l.Sessions[id] = s
	}
	return err
}

func (l *loader) test(rows *sql.Rows) error {
	var id int64
	var t history.TestRow
	err := rows.Scan(&id, &t.Package, &t.Name, &t.Slowest)
	l.Tests[id] = t
	return err
}

func (l *loader) note(rows *sql.Rows) error {
	var id int64
	var key string
	var n history.NoteRow
	err := rows.Scan(&id, &key, &n.Value, &n.Noted)
	t := l.Tests[id]
	if t.Notes == nil {
		t.Notes = make(map[string]history.NoteRow)
	}
	t.Notes[key] = n
	l.Tests[id] = t
	return err
}

func (l *loader) signature(rows *sql.Rows) error {
	var id int64
	var s history.SignatureRow
	err := rows.Scan(&id, &s.Test, &s.Text, &s.Message)
	l.Signatures[id] = s
	return err
}

func (l *loader) set(rows *sql.Rows) error {
	var id int64
	var set []byte
	err := rows.Scan(&id, &set)
	l.Sets[id] = set
	return err
}

func (l *loader) run(rows *sql.Rows) error {
	var id int64
	var r history.RunRow
	err := rows.Scan(&id, &r.Key, &r.Session, &r.Set, &r.Started, &r.Kind, &r.Unfinished)
	r.Key = history.KeyOfRun(r.Key)
	l.Runs[id] = r
	return err
}

func (l *loader) failure(rows *sql.Rows) error {
	var id int64
	var f history.FailureRow
	err := rows.Scan(&id, &f.Signature, &f.Status)
	if r, ok := l.Runs[id]; ok {
		r.Failures = append(r.Failures, f)
		l.Runs[id] = r
	}
	return err
}
