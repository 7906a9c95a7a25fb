package history

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// connecting is how long a server may take to answer, unless its URL says so.
	connecting = 10 * time.Second
	// longest is the most that a transaction takes, the time included that it waits for
	// others.
	longest = 10 * time.Minute
	// connections is how many a process has at most: a server has a hundred, and there
	// may be many processes.
	connections = 4
)

// OpenServer opens the history in a database of PostgreSQL, and makes it if there is
// none. It brings an older one up to date, and refuses a newer one ([IsNewer]). No error
// has the password.
func OpenServer(ctx context.Context, url string) (DB, error) { return dialServer(ctx, url, true) }

// OpenServerLive opens one to be read while others write to it. It does not make one, or
// change it in any way, and so refuses one that is to be brought up to date ([OlderError]).
func OpenServerLive(ctx context.Context, url string) (DB, error) { return dialServer(ctx, url, false) }

func dialServer(ctx context.Context, url string, change bool) (DB, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(url, "connect_timeout=") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		cfg.ConnectTimeout = connecting
	}
	cfg.RuntimeParams["application_name"] = cmp.Or(cfg.RuntimeParams["application_name"], "fdebug")
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	server := postgres(ShowServer(url))
	var s *sqlDB
	err = again(ctx, patience, isStarting, func() (err error) {
		s, err = openSQL(ctx, db, server, change)
		return err
	})
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("opening the history: %w", server.explain(err))
	}
	return s, nil
}

// A postgres is the [dialect] of PostgreSQL, and the name of the server's database.
type postgres string

// bind numbers the arguments: $1, $2. No query has a question mark otherwise.
func (postgres) bind(query string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString("$" + strconv.Itoa(n))
		query = after
	}
}

// prepared: the driver keeps statements by itself, longer than a transaction.
func (postgres) prepared() bool { return false }

// begin takes the lock of all that write to this schema. A process that vanishes with its
// machine does not keep it.
func (postgres) begin(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SET LOCAL lock_timeout = '5min';
		SET LOCAL idle_in_transaction_session_timeout = '1min';
		SELECT pg_advisory_xact_lock(hashtextextended('fdebug history ' || current_schema(), 0))`)
	return err
}

func (postgres) written(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO facts (name, value) VALUES ('written', 1) ON CONFLICT (name) DO UPDATE SET value = facts.value + 1")
	return err
}

func (postgres) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, longest)
}

// States of a server (classes and codes of SQLSTATE) that pass.
const (
	classConnection = "08"
	classCrash      = "57P" // shut down, crashed, not up yet
	notYetUp        = "57P03"
	tooMany         = "53300" // connections
	deadlock        = "40P01"
	tooIdle         = "25P03" // in a transaction: this process was stopped for a while
)

func (postgres) lost(err error) bool {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return strings.HasPrefix(said.Code, classConnection) || strings.HasPrefix(said.Code, classCrash) ||
			slices.Contains([]string{tooMany, deadlock, tooIdle}, said.Code)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	var connect *pgconn.ConnectError
	for _, target := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, sql.ErrConnDone, pgconn.ErrConnClosed} {
		if errors.Is(err, target) {
			return true
		}
	}
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err)
}

func isStarting(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == notYetUp
}

func (postgres) version(ctx context.Context, q querier) (version int, err error) {
	var there bool // by the tables' list: a name that was looked up before is not looked up again
	if err := q.QueryRowContext(ctx, "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version')").
		Scan(&there); err != nil || !there {
		return 0, err
	}
	err = q.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version)
	return version, err
}

func (postgres) setVersion(ctx context.Context, tx *sql.Tx, version int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL);
		DELETE FROM schema_version;
		INSERT INTO schema_version VALUES (%d)`, version))
	return err
}

// changes counts the transactions that wrote.
func (postgres) changes() string {
	return "SELECT coalesce(sum(value), 0)::bigint FROM facts WHERE name = 'written'"
}

// types: texts are compared byte by byte, as SQLite does, whatever the locale.
func (postgres) types(migration string) string {
	return strings.NewReplacer("INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
		" BLOB ", " BYTEA ", " TEXT ", ` TEXT COLLATE "C" `).Replace(migration)
}

func (postgres) bytes(ctx context.Context, db *sql.DB) (sum int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
		JOIN pg_class v ON v.oid = to_regclass('schema_version') AND v.relnamespace = c.relnamespace
		WHERE c.relkind = 'r'`).Scan(&sum)
	return sum, err
}

// compact is what the server does by itself.
func (postgres) compact(context.Context, *sql.DB) error { return nil }

func (p postgres) explain(err error) error { return &ServerError{string(p), err} }

// A ServerError is about a server, which it names without the password.
type ServerError struct {
	server string
	err    error
}

func (e *ServerError) Unwrap() error { return e.err }

// Error has one line, of causes that differ: with and without encryption they mostly do
// not.
func (e *ServerError) Error() string {
	text := e.err.Error()
	var connect *pgconn.ConnectError
	if errors.As(e.err, &connect) {
		var causes []string
		for line := range strings.Lines(connect.Unwrap().Error()) {
			_, cause, ok := strings.Cut(line, "): ") // after the address, which is in server
			if !ok {
				cause = line
			}
			cause = strings.TrimSpace(cause)
			if !slices.ContainsFunc(causes, func(other string) bool { return strings.Contains(other, cause) }) {
				causes = append(causes, cause)
			}
		}
		text = strings.Join(causes, "; ")
	}
	return e.server + ": " + text
}

// Unreachable reports whether the server was not there: later it may be.
func (e *ServerError) Unreachable() bool { return postgres(e.server).lost(e.err) }

// Occupied reports whether other tables stand where those of a history should.
func (e *ServerError) Occupied() bool {
	const duplicateTable = "42P07"
	var said *pgconn.PgError
	return errors.As(e.err, &said) && said.Code == duplicateTable
}
