package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// known is the version of the tables: up to version 2 there were many, see fromTables.
const known = 3

// prepare takes a database that may be empty, or of another version, and brings it up to date if
// it may be changed.
func (s *server) prepare(ctx context.Context, change bool) error {
	version, err := versionOf(ctx, s.db)
	switch {
	case err != nil || version == known:
		return err
	case version > known || !change:
		return &history.VersionError{Version: version, Known: known}
	}
	return s.alone(ctx, update)
}

// update makes the table. The version is read again, since another process may be at the same.
func update(ctx context.Context, tx *sql.Tx) error {
	version, err := versionOf(ctx, tx)
	if err != nil || version >= known {
		return err
	}
	first := "INSERT INTO lines (data) VALUES ('{}')"
	if version > 0 {
		first = fromTables
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf(`
		CREATE TABLE lines (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data TEXT NOT NULL);
		%s;
		CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
		DELETE FROM schema_version;
		INSERT INTO schema_version VALUES (%d)`, first, known))
	if err != nil {
		return fmt.Errorf("bringing it to version %d: %w", known, err)
	}
	return nil
}

// fromTables makes a line of the tables that an older fdebug has made, and removes them.
const fromTables = `
	ALTER TABLE sessions ADD COLUMN IF NOT EXISTS reports TEXT NOT NULL DEFAULT '';
	INSERT INTO lines (data) SELECT json_build_object(
		'Tests', (SELECT json_object_agg(t.id, json_build_object('Package', p.path, 'Name', t.name, 'Slowest', t.slowest,
			'Notes', (SELECT json_object_agg(key, json_build_object('Value', value, 'Noted', noted))
				FROM notes WHERE test_id = t.id)))
			FROM tests t JOIN packages p ON p.id = t.package_id),
		'Signatures', (SELECT json_object_agg(id, json_build_object('Test', test_id, 'Text', text, 'Message', message))
			FROM signatures),
		'Sets', (SELECT json_object_agg(id, encode(content, 'base64')) FROM sets),
		'Sessions', (SELECT json_object_agg(s.id, json_build_object(
			'Key', s.key, 'Source', source, 'Branch', branch, 'Job', job, 'Attempt', attempt, 'Reports', reports,
			'Started', to_char(timestamp 'epoch' + nullif(started, 0) * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
			'Commit', json_build_object('Hash', coalesce(c.hash, ''), 'Modified', modified = 1,
				'Time', to_char(timestamp 'epoch' + nullif(c.time, 0) * interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
			'Complete', complete = 1,
			'Env', json_build_object('Go', e.go, 'Platform', e.platform, 'CI', e.ci),
			'Verdicts', (SELECT json_agg(json_build_object('package', p.path, 'test', t.name, 'class', class,
				'kind', kind, 'category', category, 'signature', signature, 'place', place, 'failed', failed, 'of', runs)
				ORDER BY nth)
				FROM verdicts JOIN tests t ON t.id = test_id JOIN packages p ON p.id = t.package_id
				WHERE session_id = s.id)))
			FROM sessions s LEFT JOIN commits c ON c.id = commit_id JOIN environments e ON e.id = environment_id),
		'Runs', (SELECT json_object_agg(id, json_build_object(
			'K', encode(substr(sha256(convert_to(key, 'UTF8')), 1, 12), 'base64'), -- as history keeps keys
			'S', session_id, 'T', started, 'P', set_id, 'Kind', kind, 'Unfinished', unfinished = 1,
			'F', (SELECT json_agg(json_build_object('S', signature_id, 'Status', status) ORDER BY nth)
				FROM failures WHERE run_id = r.id)))
			FROM runs r));
	DROP TABLE facts, commits, environments, sessions, packages, tests, sets, runs, signatures, failures, notes, verdicts`

// versionOf is 0 for an empty database.
func versionOf(ctx context.Context, q querier) (version int, err error) {
	var there bool // by the tables' list: a name that was looked up before is not looked up again
	err = q.QueryRowContext(ctx, `SELECT EXISTS
		(SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version')`).Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	err = q.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version)
	return version, err
}
