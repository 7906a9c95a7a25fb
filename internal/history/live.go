package history

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"sync"
)

// A Versioned is a [DB] that says, without being read, whether anything was written to
// it: the version is another one then.
type Versioned interface {
	Version(ctx context.Context) (string, error)
}

// OpenLive opens a history to be read while others write to it. It does not make one, or
// change it in any way, and so refuses one that is to be brought up to date. Mostly it
// is [Versioned].
func OpenLive(ctx context.Context, file string) (DB, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	db, err := open(ctx, file, "ro")
	if err != nil && !IsDamaged(err) && !IsNewer(err) { // a directory in which SQLite can't make the file that readers share
		if still, err := OpenReadOnly(ctx, file); err == nil {
			return still, nil
		}
	}
	if err != nil {
		return nil, err
	}
	watch, err := sql.Open("sqlite", dsn(file, "ro"))
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the history: %s: %w", file, err)
	}
	return &liveFile{DB: db, watch: watch}, nil
}

// A liveFile is a history in a file that others write to.
type liveFile struct {
	DB
	watch *sql.DB

	mu   sync.Mutex
	conn *sql.Conn // of watch, for nothing else: SQLite counts what others wrote by connection
}

// Version implements [Versioned].
func (l *liveFile) Version(ctx context.Context) (version string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		if l.conn, err = l.watch.Conn(ctx); err != nil {
			return "", reading(err)
		}
	}
	return version, reading(l.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version))
}

func (l *liveFile) Close() error {
	if l.conn != nil {
		l.conn.Close()
	}
	l.watch.Close()
	return l.DB.Close()
}
