// Package sqlite reads the history of an older fdebug, which kept it in SQLite.
package sqlite

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/history/tables"
)

// newest is the version of the last tables in SQLite. The first had no reports.
const newest = 2

// Read reads all that is in a file, and changes nothing.
func Read(ctx context.Context, file string) (*history.Data, error) {
	db, err := sql.Open("sqlite", nameOf(file))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil) // all of it is of one moment
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return nil, err
	}
	switch {
	case version > newest:
		return nil, &history.NewerError{Version: version, Known: newest}
	case version == 0: // a process was killed before it had made the tables
		return history.NewData(), nil
	}
	return tables.Of{Reports: version > 1, Keys: true}.Read(ctx, tx)
}

// nameOf is how the driver takes the name of a file that is to be read.
func nameOf(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	name := filepath.ToSlash(file)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // of a drive
	}
	u := url.URL{Scheme: "file", Path: name, RawQuery: "mode=ro&_pragma=busy_timeout(60000)"}
	return u.String()
}
