// Package tracker keeps the history of tests over time and shows it. A [Keeper] opens it. The
// other types are commands: set their fields, and call Run.
package tracker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/team"
)

// DBEnv names the database of a team if -db does not. It is removed from the environment, so that
// no test that fdebug runs sees the password.
const DBEnv = "FDEBUG_DB"

// A Keeper keeps the history of tests: in the store of a module, or in the database of a team.
type Keeper struct {
	*session.Console
	URL    string // of the history's server; "" for the file in the store
	EnvURL string // FDEBUG_DB, which URL replaces
	// Team has the parts of an fdebug for a team; nil in others.
	Team *team.Parts
}

// teamHint says how an fdebug is built that has [team.Parts].
const teamHint = "go install -tags team github.com/fdebug/fdebug/cmd/fdebug@latest"

// CheckDB refuses what can't be the URL of a server, before anything is done.
func (k *Keeper) CheckDB() error {
	if k.URL == "" {
		return nil
	}
	name := "-db"
	if k.URL == k.EnvURL {
		name = DBEnv
	}
	if k.Team == nil {
		return advice.With(advice.Usagef("%s: this fdebug is built without PostgreSQL", name), teamHint)
	}
	if err := k.Team.Check(k.URL); err != nil {
		return advice.With(advice.Usagef("%s: %v", name, err),
			"want postgres://user:password@host/database?sslmode=verify-full",
			"of a password, @ is written %40, / %2F, : %3A, ? %3F, # %23 and % %25; or leave it to PGPASSWORD or ~/.pgpass")
	}
	return nil
}

// openReadOnly opens the history to be read alone: nothing is changed where it is.
func (k *Keeper) openReadOnly(ctx context.Context, st store.Store) (*history.DB, error) {
	if k.URL == "" {
		return history.OpenReadOnly(ctx, filepath.Join(st.Dir, history.Name))
	}
	db, err := k.Team.OpenReadOnly(ctx, k.URL)
	if _, empty := history.IsOlder(err); empty {
		return nil, k.explainNothingThere()
	}
	return db, explainServer(err)
}

func explainServer(err error) error {
	var server *history.ServerError
	older, _ := history.IsOlder(err)
	switch {
	case err == nil:
	case older:
		err = advice.With(err, "whatever adds to it brings it up to date: fdebug run, import, push")
	case history.IsNewer(err):
		err = advice.With(err, "a newer fdebug has brought the database up to date: install that one")
	case !errors.As(err, &server):
	case server.Unreachable:
		err = advice.With(err, "pg_isready -h HOST tells whether the server answers this machine")
	case server.Occupied:
		err = advice.With(err,
			"the database has other tables: give fdebug one of its own, or a schema, with ?search_path=NAME after the URL")
	default:
		err = advice.With(err,
			"the server refuses; psql with the same URL tells whether it is the user, the password or the database")
	}
	return err
}

// explainNothingThere is the error for a database without a history.
func (k *Keeper) explainNothingThere() error {
	return advice.With(fmt.Errorf("no history yet in %s", history.ShowServer(k.URL)),
		"fdebug run ./... -n 50 adds to it, and so do fdebug push and fdebug import FILE...",
		"-db= shows the history in .fdebug")
}

// isAway reports whether an error is about the server of -db, in which case what was to be added
// to the history is not lost.
func isAway(err error) bool {
	var server *history.ServerError
	return errors.As(err, &server)
}

// pushCommand is the command that brings stored runs into the database of -db.
func (k *Keeper) pushCommand() string {
	if k.URL == k.EnvURL {
		return "fdebug push"
	}
	return "fdebug push -db " + text.ShellQuote(history.ShowServer(k.URL))
}

// Parts of a URL with a password, however it was typed.
var (
	userPassword  = regexp.MustCompile(`(postgres(?:ql)?://[^\s:/?#@]*):\S*@`)
	queryPassword = regexp.MustCompile(`([?&](?:ssl)?password=)[^&\s]*`)
)

// Redact removes passwords from URLs.
func Redact(text string) string {
	return queryPassword.ReplaceAllString(userPassword.ReplaceAllString(text, "$1@"), "${1}...")
}

// RedactArgs removes the passwords from a command line.
func RedactArgs(args []string) []string {
	list := make([]string, len(args))
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case joined && isDBFlag(name):
			list[i] = name + "=" + history.ShowServer(value)
		case i > 0 && isDBFlag(args[i-1]):
			list[i] = history.ShowServer(arg)
		default:
			list[i] = Redact(arg)
		}
	}
	return list
}

func isDBFlag(arg string) bool { return arg == "-db" || arg == "--db" }

// hintPush says how a run gets into the history later.
func (k *Keeper) hintPush(dir string) {
	fmt.Fprintf(k.Stderr, "hint: nothing is lost, and no run is removed until then: %s %s\n",
		k.pushCommand(), k.Show(dir))
}
