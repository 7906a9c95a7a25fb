package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// What is kept of texts, in bytes. Results are what any program printed.
const (
	maxName      = 1 << 10
	maxEnv       = 256 // three of them are one key of an index, which PostgreSQL limits
	maxSignature = 512
	maxMessage   = 600
)

// Add implements [DB].
func (s *sqlDB) Add(ctx context.Context, session *Session, runs []Run) (int, error) {
	n := 0
	err := s.write(ctx, func(w *writer) error {
		n = 0
		id, err := w.session(session)
		if err != nil {
			return err
		}
		n, err = w.addRuns(id, runs)
		return err
	})
	if err != nil {
		return 0, s.writing(err)
	}
	return n, nil
}

func (s *sqlDB) writing(err error) error {
	return fmt.Errorf("writing to the history: %w", s.explain(err))
}

// Conclude implements [DB].
func (s *sqlDB) Conclude(ctx context.Context, key string, verdicts []Verdict) error {
	err := s.write(ctx, func(w *writer) error {
		id, err := w.id("SELECT id FROM sessions WHERE key = ?", keyOf(key))
		if err == nil && id == 0 {
			err = sql.ErrNoRows
		}
		if err != nil {
			return err
		}
		for i, v := range verdicts {
			if err := w.verdict(id, i, &v); err != nil {
				return err
			}
		}
		_, err = w.exec("UPDATE sessions SET complete = 1 WHERE id = ?", id)
		return err
	})
	if err != nil {
		return s.writing(err)
	}
	return nil
}

// A names knows ids, which no other process changes but by pruning.
type names struct {
	pruned   int64 // how often that was done
	packages map[string]int64
	tests    map[testKey]*testEntry
	sets     map[string]int64
	signs    map[signKey]int64
}

type testKey struct {
	pkg  int64
	name string
}

type testEntry struct {
	id      int64
	slowest time.Duration
}

type signKey struct {
	test int64
	text string
}

// maxNames bounds each list of names in memory.
const maxNames = 100_000

// A writer is one transaction.
type writer struct {
	ctx     context.Context
	tx      *sql.Tx
	dialect dialect
	stmts   map[string]*sql.Stmt
	names   *names
}

func (w *writer) close() {
	for _, st := range w.stmts {
		st.Close()
	}
}

// takeNames goes on with the names that are known, unless they are out of date.
func (w *writer) takeNames(known *names) error {
	pruned, err := w.id("SELECT value FROM facts WHERE name = 'pruned'")
	if err != nil {
		return err
	}
	if known != nil && known.pruned == pruned && len(known.tests)+len(known.sets)+len(known.signs) < maxNames {
		w.names = known
		return nil
	}
	w.names = &names{
		pruned: pruned, packages: make(map[string]int64), tests: make(map[testKey]*testEntry),
		sets: make(map[string]int64), signs: make(map[signKey]int64),
	}
	return nil
}

// stmt returns the statement of a query, nil where none is prepared.
func (w *writer) stmt(query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil || !w.dialect.prepared() {
		return st, nil
	}
	st, err := w.tx.PrepareContext(w.ctx, w.dialect.bind(query))
	if err == nil {
		w.stmts[query] = st
	}
	return st, err
}

func (w *writer) exec(query string, args ...any) (sql.Result, error) {
	st, err := w.stmt(query)
	switch {
	case err != nil:
		return nil, err
	case st == nil:
		return w.tx.ExecContext(w.ctx, w.dialect.bind(query), args...)
	}
	return st.ExecContext(w.ctx, args...)
}

// id returns the number that a query gives, 0 if it gives none.
func (w *writer) id(query string, args ...any) (id int64, err error) {
	st, err := w.stmt(query)
	switch {
	case err != nil:
		return 0, err
	case st == nil:
		err = w.tx.QueryRowContext(w.ctx, w.dialect.bind(query), args...).Scan(&id)
	default:
		err = st.QueryRowContext(w.ctx, args...).Scan(&id)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// idOr returns the id of what find finds, or else of what insert inserts.
func (w *writer) idOr(find string, key []any, insert string, values ...any) (int64, error) {
	id, err := w.id(find, key...)
	if id != 0 || err != nil {
		return id, err
	}
	return w.id(insert, append(key, values...)...)
}

func (w *writer) session(s *Session) (int64, error) {
	commit, err := w.commit(&s.Commit)
	if err != nil {
		return 0, err
	}
	env, err := w.idOr("SELECT id FROM environments WHERE go = ? AND platform = ? AND ci = ?",
		[]any{clean(s.Env.Go, maxEnv), clean(s.Env.Platform, maxEnv), clean(s.Env.CI, maxEnv)},
		"INSERT INTO environments (go, platform, ci) VALUES (?, ?, ?) RETURNING id")
	if err != nil {
		return 0, err
	}
	known := texts{"branch": clean(s.Branch, maxName), "job": clean(s.Job, maxName), "reports": clean(s.Reports, maxName)}
	id, err := w.id("SELECT id FROM sessions WHERE key = ?", keyOf(s.Key))
	if err != nil {
		return 0, err
	}
	if id != 0 {
		return id, w.fillIn(id, commit, known, s)
	}
	return w.id(`INSERT INTO sessions (key, source, started, commit_id, modified, branch, job, reports, attempt, environment_id, complete)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING id`,
		keyOf(s.Key), string(s.Source), millis(s.Started), commit, boolInt(s.Commit.Modified), known["branch"], known["job"], known["reports"], s.Attempt, env)
}

// texts are values by the name of their column.
type texts map[string]string

// fillIn adds to a session what was not known when it was added.
func (w *writer) fillIn(id, commit int64, known texts, s *Session) error {
	if commit != 0 {
		if _, err := w.exec("UPDATE sessions SET commit_id = ?, modified = ? WHERE id = ? AND commit_id = 0", commit, boolInt(s.Commit.Modified), id); err != nil {
			return err
		}
	}
	for column, value := range known {
		if value == "" {
			continue
		}
		if _, err := w.exec("UPDATE sessions SET "+column+" = ? WHERE id = ? AND "+column+" = ''", value, id); err != nil {
			return err
		}
	}
	if s.Attempt == 0 {
		return nil
	}
	_, err := w.exec("UPDATE sessions SET attempt = ? WHERE id = ? AND attempt = 0", s.Attempt, id)
	return err
}

func (w *writer) commit(c *Commit) (int64, error) {
	if c.Hash == "" {
		return 0, nil
	}
	id, err := w.idOr("SELECT id FROM commits WHERE hash = ?", []any{clean(c.Hash, maxName)},
		"INSERT INTO commits (hash, time) VALUES (?, ?) RETURNING id", millis(c.Time))
	if err != nil || c.Time.IsZero() {
		return id, err
	}
	_, err = w.exec("UPDATE commits SET time = ? WHERE id = ? AND time = 0", millis(c.Time), id)
	return id, err
}

// forget removes a run that is replaced.
func (w *writer) forget(run int64) error {
	if _, err := w.exec("DELETE FROM failures WHERE run_id = ?", run); err != nil {
		return err
	}
	_, err := w.exec("DELETE FROM runs WHERE id = ?", run)
	return err
}

func (w *writer) pkg(path string) (int64, error) {
	path = clean(path, maxName)
	if id := w.names.packages[path]; id != 0 {
		return id, nil
	}
	id, err := w.idOr("SELECT id FROM packages WHERE path = ?", []any{path}, "INSERT INTO packages (path) VALUES (?) RETURNING id")
	if err == nil {
		w.names.packages[path] = id
	}
	return id, err
}

// test returns the id of a test.
func (w *writer) test(pkg int64, name string) (int64, error) {
	key := testKey{pkg, clean(name, maxName)}
	if w.names.tests[key] == nil {
		if err := w.wantTests(map[testKey]time.Duration{key: 0}); err != nil {
			return 0, err
		}
	}
	return w.names.tests[key].id, nil
}

// set returns the id of the set of what passed and was skipped.
func (w *writer) set(pkg int64, results []Result) (int64, error) {
	at := make(map[int64]int, len(results))
	counts := make([]count, 0, len(results)+1)
	whole := Result{Status: Passed} // the package itself, which passes unless it fails
	if !slices.ContainsFunc(results, func(r Result) bool { return r.Test == "" }) {
		results = append(slices.Clip(results), whole)
	}
	for i := range results {
		r := &results[i]
		if r.Status.Failing() {
			continue
		}
		id, err := w.test(pkg, r.Test)
		if err != nil {
			return 0, err
		}
		n, ok := at[id]
		if !ok {
			n = len(counts)
			at[id] = n
			counts = append(counts, count{test: id})
		}
		if r.Status == Skipped {
			counts[n].skip++
		} else {
			counts[n].passed++
		}
	}
	content := encodeSet(counts)
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:16])
	if id := w.names.sets[hash]; id != 0 {
		return id, nil
	}
	id, err := w.idOr("SELECT id FROM sets WHERE hash = ?", []any{hash}, "INSERT INTO sets (hash, content) VALUES (?, ?) RETURNING id", content)
	if err == nil {
		w.names.sets[hash] = id
	}
	return id, err
}

func (w *writer) signature(test int64, r *Result) (int64, error) {
	key := signKey{test, clean(r.Signature, maxSignature)}
	if id := w.names.signs[key]; id != 0 {
		return id, nil
	}
	id, err := w.idOr("SELECT id FROM signatures WHERE test_id = ? AND text = ?", []any{key.test, key.text},
		"INSERT INTO signatures (test_id, text, message) VALUES (?, ?, ?) RETURNING id", clean(r.Message, maxMessage))
	if err == nil {
		w.names.signs[key] = id
	}
	return id, err
}

func (w *writer) verdict(session int64, nth int, v *Verdict) error {
	pkg, err := w.pkg(v.Package)
	if err != nil {
		return err
	}
	test, err := w.test(pkg, v.Test)
	if err != nil {
		return err
	}
	_, err = w.exec(`INSERT INTO verdicts (session_id, nth, test_id, class, kind, category, signature, place, failed, runs)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		session, nth, test, clean(v.Class, maxName), clean(v.Kind, maxName), clean(v.Category, maxName),
		clean(v.Signature, maxSignature), clean(v.Place, maxName), v.Failed, v.Of)
	return err
}

// keyOf makes text of a key, of at most maxName bytes: itself, mostly.
func keyOf(key string) string {
	if len(key) <= maxName && utf8.ValidString(key) && !strings.Contains(key, "\x00") {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256 " + hex.EncodeToString(sum[:])
}

// clean makes text of what any program printed, of at most max bytes.
func clean(s string, max int) string {
	if len(s) > max {
		s = s[:max]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		if r, n := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && n <= 1 && s != "" {
			s = s[:len(s)-1]
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// millis is the time in milliseconds since 1970, 0 for none.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// fromMillis is the inverse of millis.
func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
