package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// Add implements [history.DB].
func (s *server) Add(ctx context.Context, session *history.Session, runs []history.Run) (n int, err error) {
	stored := make([]history.Run, len(runs))
	for i := range runs {
		stored[i] = runs[i].Stored()
	}
	err = s.write(ctx, func(w *writer) {
		id := w.session(session.Stored())
		n = w.addRuns(id, stored)
	})
	if err != nil {
		return 0, s.writing(err)
	}
	return n, nil
}

func (s *server) writing(err error) error {
	return fmt.Errorf("writing to the history: %w", s.explain(err))
}

// Conclude implements [history.DB].
func (s *server) Conclude(ctx context.Context, key string, verdicts []history.Verdict) error {
	err := s.write(ctx, func(w *writer) {
		id := w.id("SELECT id FROM sessions WHERE key = $1", history.KeyOf(key))
		if id == 0 && w.err == nil {
			w.err = sql.ErrNoRows
		}
		for i, v := range verdicts {
			w.verdict(id, i, v.Stored())
		}
		w.exec("UPDATE sessions SET complete = 1 WHERE id = $1", id)
	})
	if err != nil {
		return s.writing(err)
	}
	return nil
}

// A writer is one transaction, the only one that writes. After the first error it does
// nothing.
type writer struct {
	ctx context.Context
	tx  *sql.Tx
	err error
}

// exec returns how many rows a statement has changed.
func (w *writer) exec(query string, args ...any) (rows int) {
	if w.err != nil {
		return 0
	}
	res, err := w.tx.ExecContext(w.ctx, query, args...)
	if err == nil {
		var n int64
		n, err = res.RowsAffected()
		rows = int(n)
	}
	w.err = err
	return rows
}

// id returns the number that a query gives, 0 if it gives none.
func (w *writer) id(query string, args ...any) (id int64) {
	w.each(query, args, func(rows *sql.Rows) error { return rows.Scan(&id) })
	return id
}

// each calls take for each row of a query.
func (w *writer) each(query string, args []any, take func(*sql.Rows) error) {
	if w.err != nil {
		return
	}
	rows, err := w.tx.QueryContext(w.ctx, query, args...)
	if err != nil {
		w.err = err
		return
	}
	defer rows.Close()
	for rows.Next() && err == nil {
		err = take(rows)
	}
	w.err = errors.Join(err, rows.Err())
}

// count counts what is done.
func (w *writer) count(what string) {
	w.exec("INSERT INTO facts (name, value) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET value = facts.value + 1", what)
}

func (w *writer) session(s history.Session) int64 {
	commit := int64(0)
	if s.Commit.Hash != "" {
		commit = w.id(`INSERT INTO commits (hash, time) VALUES ($1, $2)
			ON CONFLICT (hash) DO UPDATE SET time = CASE commits.time WHEN 0 THEN excluded.time ELSE commits.time END RETURNING id`,
			s.Commit.Hash, history.Millis(s.Commit.Time))
	}
	env := w.id(`INSERT INTO environments (go, platform, ci) VALUES ($1, $2, $3)
		ON CONFLICT (go, platform, ci) DO UPDATE SET go = excluded.go RETURNING id`, s.Env.Go, s.Env.Platform, s.Env.CI)
	return w.id(`INSERT INTO sessions AS s (key, source, started, commit_id, modified, branch, job, reports, attempt, environment_id, complete)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0)
		ON CONFLICT (key) DO UPDATE SET
			commit_id = CASE s.commit_id WHEN 0 THEN excluded.commit_id ELSE s.commit_id END,
			modified = CASE s.commit_id WHEN 0 THEN excluded.modified ELSE s.modified END,
			branch = CASE s.branch WHEN '' THEN excluded.branch ELSE s.branch END,
			job = CASE s.job WHEN '' THEN excluded.job ELSE s.job END,
			reports = CASE s.reports WHEN '' THEN excluded.reports ELSE s.reports END,
			attempt = CASE s.attempt WHEN 0 THEN excluded.attempt ELSE s.attempt END
		RETURNING id`,
		s.Key, string(s.Source), history.Millis(s.Started), commit, boolInt(s.Commit.Modified), s.Branch, s.Job, s.Reports, s.Attempt, env)
}

func (w *writer) verdict(session int64, nth int, v history.Verdict) {
	pkg := key{Name: v.Package}
	test := key{w.ids(packages, []row{{key: pkg}})[pkg], v.Test}
	id := w.ids(tests, []row{{key: test}})[test]
	w.exec(`INSERT INTO verdicts (session_id, nth, test_id, class, kind, category, signature, place, failed, runs)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
		session, nth, id, v.Class, v.Kind, v.Category, v.Signature, v.Place, v.Failed, v.Of)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
