package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/text"
)

// dbEnv names the database of a team if -db does not. It is removed from the environment, so that
// no test that fdebug runs sees the password.
const dbEnv = "FDEBUG_DB"

// dbFlag registers -db.
func (a *app) dbFlag(fs *flagSet) {
	a.db = a.envDB
	fs.StringVar(&a.db, "db", a.envDB, "")
}

// teamHint says how an fdebug is built that has [team.Parts].
const teamHint = "go install -tags team github.com/fdebug/fdebug/cmd/fdebug@latest"

// checkDB refuses what can't be the URL of a server, before anything is done.
func (a *app) checkDB() error {
	if a.db == "" {
		return nil
	}
	name := "-db"
	if a.db == a.envDB {
		name = dbEnv
	}
	if a.team == nil {
		return advice.With(advice.Usagef("%s: this fdebug is built without PostgreSQL", name), teamHint)
	}
	if err := a.team.Check(a.db); err != nil {
		return advice.With(advice.Usagef("%s: %v", name, err), "want postgres://user:password@host/database?sslmode=verify-full",
			"of a password, @ is written %40, / %2F, : %3A, ? %3F, # %23 and % %25; or leave it to PGPASSWORD or ~/.pgpass")
	}
	return nil
}

// openServer opens the history on the server of -db.
func (a *app) openServer(ctx context.Context) (history.DB, error) {
	db, err := a.team.Open(ctx, a.db)
	return db, explainServer(err)
}

// openServerReadOnly opens it to be read alone: nothing there is changed.
func (a *app) openServerReadOnly(ctx context.Context) (history.DB, error) {
	db, err := a.team.OpenReadOnly(ctx, a.db)
	if older := (*history.OlderError)(nil); errors.As(err, &older) && older.Version == 0 {
		return nil, a.explainNothingThere()
	}
	return db, explainServer(err)
}

func explainServer(err error) error {
	var server *history.ServerError
	var older *history.OlderError
	switch {
	case err == nil:
	case errors.As(err, &older):
		err = advice.With(err, "whatever adds to it brings it up to date: fdebug run, import, push")
	case history.IsNewer(err):
		err = advice.With(err, "a newer fdebug has brought the database up to date: install that one")
	case !errors.As(err, &server):
	case server.Unreachable:
		err = advice.With(err, "pg_isready -h HOST tells whether the server answers this machine")
	case server.Occupied:
		err = advice.With(err, "the database has other tables: give fdebug one of its own, or a schema, with ?search_path=NAME after the URL")
	default:
		err = advice.With(err, "the server refuses; psql with the same URL tells whether it is the user, the password or the database")
	}
	return err
}

// explainNothingThere is the error for a database without a history.
func (a *app) explainNothingThere() error {
	return advice.With(fmt.Errorf("no history yet in %s", history.ShowServer(a.db)),
		"fdebug run ./... -n 50 adds to it, and so do fdebug push and fdebug import FILE...", "-db= shows the history in .fdebug")
}

// isAway reports whether an error is about the server of -db, in which case what was to be added
// to the history is not lost.
func isAway(err error) bool {
	var server *history.ServerError
	return errors.As(err, &server)
}

// pushCommand is the command that brings stored runs into the database of -db.
func (a *app) pushCommand() string {
	if a.db == a.envDB {
		return "fdebug push"
	}
	return "fdebug push -db " + text.ShellQuote(history.ShowServer(a.db))
}

// Parts of a URL with a password, however it was typed.
var (
	userPassword  = regexp.MustCompile(`(postgres(?:ql)?://[^\s:/?#@]*):\S*@`)
	queryPassword = regexp.MustCompile(`([?&](?:ssl)?password=)[^&\s]*`)
)

// redact removes passwords from URLs.
func redact(text string) string {
	return queryPassword.ReplaceAllString(userPassword.ReplaceAllString(text, "$1@"), "${1}...")
}

// redactArgs removes the passwords from a command line.
func redactArgs(args []string) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case joined && isDBFlag(name):
			list[i] = name + "=" + history.ShowServer(value)
		case i > 0 && isDBFlag(args[i-1]):
			list[i] = history.ShowServer(arg)
		default:
			list[i] = redact(arg)
		}
	}
	return list
}

func isDBFlag(arg string) bool { return arg == "-db" || arg == "--db" }

// hintPush says how a run gets into the history later.
func (a *app) hintPush(dir string) {
	fmt.Fprintf(a.Stderr, "hint: nothing is lost, and no run is removed until then: %s %s\n", a.pushCommand(), a.Show(dir))
}
