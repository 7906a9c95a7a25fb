// Package postgres keeps a history in a database of PostgreSQL, for a team. It is a package
// of its own since the driver takes long to build, and who works alone does not need it.
package postgres

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
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/fdebug/fdebug/internal/tracker/history"
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

// Open opens the history in a database, and makes it if there is none. It brings an older
// one up to date, and refuses a newer one ([history.IsNewer]). No error has the password.
func Open(ctx context.Context, url string) (*history.DB, error) { return open(dial(ctx, url, true)) }

// OpenReadOnly opens one to be read while others write to it. It does not make one, or
// change it in any way, and so refuses one that is to be brought up to date
// ([history.IsOlder]).
func OpenReadOnly(ctx context.Context, url string) (*history.DB, error) {
	return open(dial(ctx, url, false))
}

func open(s *server, err error) (*history.DB, error) {
	if err != nil {
		return nil, err
	}
	return history.NewDB(s), nil
}

func dial(ctx context.Context, url string, change bool) (*server, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(url, "connect_timeout=") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		cfg.ConnectTimeout = connecting
	}
	cfg.RuntimeParams["application_name"] = cmp.Or(cfg.RuntimeParams["application_name"], "fdebug")
	s := &server{db: stdlib.OpenDB(*cfg), name: history.ShowServer(url), patience: patience}
	s.db.SetMaxOpenConns(connections)
	s.db.SetMaxIdleConns(connections)
	if err := s.again(ctx, isStarting, func() error { return s.prepare(ctx, change) }); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("opening the history: %w", s.Explain(err))
	}
	if !change {
		s.patience = 2 * leastWait // for a connection that was lost, which is noticed only now
	}
	return s, nil
}

// errURL is returned for what is not the URL of a server, or may not be what is meant. It
// does not say how: that could show the password.
var errURL = errors.New("not the URL of a PostgreSQL database")

// Check refuses what is not the URL of a server. It refuses too what would be understood,
// but not as it is meant: a password with a slash in it would become part of the host and
// of the database's name, which are shown.
func Check(url string) error {
	_, err := configOf(url)
	return err
}

func configOf(raw string) (*pgx.ConnConfig, error) {
	if history.ShowServer(raw) == history.HiddenServer {
		return nil, errURL
	}
	cfg, err := pgx.ParseConfig(raw)
	if err != nil {
		return nil, errURL
	}
	return cfg, nil
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

// isLost reports whether an error says that the server was not there, so that it may be
// tried again.
func isLost(err error) bool {
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
	for _, target := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, driver.ErrBadConn, sql.ErrConnDone,
		pgconn.ErrConnClosed} {
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

// Explain implements [history.Log].
func (s *server) Explain(err error) error {
	const duplicateTable = "42P07"
	var said *pgconn.PgError
	return &history.ServerError{
		Server: s.name, Text: textOf(err), Err: err, Unreachable: isLost(err),
		Occupied: errors.As(err, &said) && said.Code == duplicateTable,
	}
}

// textOf has one line, of causes that differ: with and without encryption they mostly do
// not.
func textOf(err error) string {
	var connect *pgconn.ConnectError
	if !errors.As(err, &connect) {
		return err.Error()
	}
	var causes []string
	for line := range strings.Lines(connect.Unwrap().Error()) {
		_, cause, ok := strings.Cut(line, "): ") // after the address, which is in the server's name
		if !ok {
			cause = line
		}
		cause = strings.TrimSpace(cause)
		if !slices.ContainsFunc(causes, func(other string) bool { return strings.Contains(other, cause) }) {
			causes = append(causes, cause)
		}
	}
	return strings.Join(causes, "; ")
}
