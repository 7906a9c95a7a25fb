package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// known is the version of the tables: up to version 2 there were many, see [tables].
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
	rows := history.NewData()
	if version > 0 {
		if rows, err = tables(ctx, tx); err != nil {
			return fmt.Errorf("bringing it to version %d: %w", known, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`
		CREATE TABLE lines (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data TEXT NOT NULL);
		CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
		DELETE FROM schema_version;
		INSERT INTO schema_version VALUES (%d)`, known)); err != nil {
		return err
	}
	_, err = write(ctx, tx, rows)
	return err
}

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
