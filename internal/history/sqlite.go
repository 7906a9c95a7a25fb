package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
)

// Name is the file of a history in the store directory.
const Name = "history.db"

// busy is how long a writer waits for others.
const busy = time.Minute

// Open opens the history in a file, and makes it if there is none. It brings an older
// one up to date, and refuses a newer one ([IsNewer]) and one that is damaged
// ([IsDamaged]).
func Open(ctx context.Context, file string) (DB, error) {
	return open(ctx, file, "rwc")
}

// OpenReadOnly opens a history that can't be written to, and does not make one.
func OpenReadOnly(ctx context.Context, file string) (DB, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	return open(ctx, file, "ro&immutable=1")
}

func open(ctx context.Context, file, mode string) (DB, error) {
	db, err := sql.Open("sqlite", dsn(file, mode))
	if err != nil {
		return nil, fmt.Errorf("opening the history: %s: %w", file, err)
	}
	var s *sqlDB
	err = again(ctx, patience, isBusy, func() (err error) {
		s, err = openSQL(ctx, db, sqliteFile(file), strings.HasPrefix(mode, "rw"))
		return err
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the history: %w", s.explain(err))
	}
	return s, nil
}

// dsn names a file and how it is used: with a log that is written ahead, so that
// readers and a writer do not wait for each other, and transactions that take the
// right to write when they begin, not when it may be too late.
func dsn(file, mode string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	name := filepath.ToSlash(file)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name // of a drive
	}
	u := url.URL{Scheme: "file", Path: name}
	s := u.String() + "?mode=" + mode + fmt.Sprintf("&_pragma=busy_timeout(%d)&_txlock=immediate", busy.Milliseconds())
	if strings.HasPrefix(mode, "rw") {
		s += "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
	}
	return s
}

// A sqliteFile is the [dialect] of SQLite, and the name of the file.
type sqliteFile string

func (sqliteFile) bind(query string) string { return query }
func (sqliteFile) prepared() bool           { return true }
func (sqliteFile) lost(error) bool          { return false }

// written has nothing to count: see changes.
func (sqliteFile) written(context.Context, *sql.Tx) error { return nil }

func (file sqliteFile) explain(err error) error { return fmt.Errorf("%s: %w", string(file), err) }

// begin has nothing to do: see _txlock above.
func (sqliteFile) begin(context.Context, *sql.Tx) error { return nil }

// bound lets a write come to its end: one that is cut off can leave the connection
// waiting.
func (sqliteFile) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithoutCancel(ctx), func() {}
}

func (sqliteFile) version(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func (sqliteFile) setVersion(ctx context.Context, tx *sql.Tx, version int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

func (sqliteFile) changes() string { return "PRAGMA data_version" }

func (sqliteFile) types(migration string) string { return migration }

func (file sqliteFile) bytes(context.Context, *sql.DB) (sum int64, err error) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(string(file) + suffix); err == nil {
			sum += info.Size()
		}
	}
	return sum, nil
}

func (sqliteFile) compact(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(context.WithoutCancel(ctx), "VACUUM")
	return err
}

// Result codes of SQLite: for a file that is locked, damaged or none of its own.
const (
	codeBusy    = 5
	codeCorrupt = 11
	codeNotADB  = 26
)

// isBusy is so, without a wait, for several that make the log of a new file at once.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == codeBusy
}

// IsDamaged reports whether an error says that the file is damaged, or no history at
// all: it is of no further use.
func IsDamaged(err error) bool {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()&0xff == codeCorrupt || e.Code()&0xff == codeNotADB
	}
	return errors.Is(err, errSet)
}

// SetAside gives a damaged file another name, and returns that.
func SetAside(file string, now time.Time) (string, error) {
	aside := file + ".damaged-" + now.UTC().Format("20060102-150405")
	for i := 2; ; i++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%s-%d", file, now.UTC().Format("20060102-150405"), i)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(file+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, os.Rename(file, aside)
}
