package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/team"
)

// leastToken is how long a token must be: it can be guessed as fast as the server answers.
const leastToken = 16

// A serveJob is `fdebug serve`.
type serveJob struct {
	app     *app
	addr    string // "" for the default
	token   string
	out     string
	reports string
	branch  string
}

func (a *app) serveCmd(args []string) (int, error) {
	j := &serveJob{app: a}
	fs := newFlagSet("serve")
	fs.StringVar(&j.addr, "http", "", "")
	fs.StringVar(&j.token, "token", a.Getenv("FDEBUG_TOKEN"), "")
	fs.StringVar(&j.out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.reports, "reports", "", "")
	fs.StringVar(&j.branch, "branch", "", "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 0 {
		return exitUsage, advice.Usagef("serve takes no arguments")
	}
	if err := j.check(); err != nil {
		return exitUsage, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return j.run(ctx)
}

func (j *serveJob) check() error {
	if j.app.team == nil {
		return advice.With(errors.New("this fdebug is built without the pages"), teamHint)
	}
	if err := j.app.checkDB(); err != nil {
		return err
	}
	if j.token != "" && len(j.token) < leastToken {
		return advice.With(advice.Usagef("-token: want at least %d characters", leastToken), "openssl rand -hex 16 makes one")
	}
	if j.addr != "" {
		if !strings.Contains(j.addr, ":") {
			return advice.With(advice.Usagef("-http %s: not an address", j.addr), "want host:port such as localhost:8080, or :8080 for all addresses of this machine")
		}
	}
	if j.reports != "" {
		if info, err := os.Stat(j.reports); err != nil || !info.IsDir() {
			return advice.With(advice.Usagef("-reports %s: no such directory", j.reports), "it is the one that fdebug push -to writes")
		}
	}
	return nil
}

func (j *serveJob) run(ctx context.Context) (int, error) {
	st := j.app.store(j.out)
	err := j.app.team.Serve(ctx, team.Pages{
		Addr: j.addr, Token: j.token,
		Open:   func(ctx context.Context) (history.DB, error) { return j.open(ctx, st) },
		Filter: history.Filter{Branch: j.branch},
		Local:  filepath.Join(st.Dir, "runs"), Shared: j.reports,
		Warnf: j.app.Warnf, Ready: j.ready,
	})
	if errors.Is(err, team.ErrToken) {
		return exitUsage, advice.With(advice.Usagef("-http %s: %v", j.addr, err),
			"-token SECRET, or FDEBUG_TOKEN in the environment: openssl rand -hex 16 makes one",
			"without -http only this machine is answered")
	} else if err != nil {
		return exitTrouble, err
	}
	return exitOK, nil
}

// ready tells where the pages are.
func (j *serveJob) ready(url string) {
	fmt.Fprintln(j.app.Stdout, url)
	if j.token != "" {
		fmt.Fprintln(j.app.Stderr, "a browser asks for the token once; programs send it as Authorization: Bearer TOKEN")
	}
}

// open opens the history to be read.
func (j *serveJob) open(ctx context.Context, st store.Store) (history.DB, error) {
	if j.app.db != "" {
		return j.app.openServerReadOnly(ctx)
	}
	db, err := j.app.openFile(ctx, st, history.OpenReadOnly)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, explainNoHistory("")
	case history.IsNewer(err):
		return nil, advice.With(err, "a newer fdebug has written it: install that one")
	}
	return db, err
}
