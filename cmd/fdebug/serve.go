package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/serve"
	"github.com/fdebug/fdebug/internal/store"
)

// defaultAddr is where serve listens if nobody says where, or at any free port if that is
// taken.
const defaultAddr = "localhost:6070"

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
	if err := j.app.checkDB(); err != nil {
		return err
	}
	if j.token != "" && len(j.token) < leastToken {
		return advice.With(advice.Usagef("-token: want at least %d characters", leastToken), "openssl rand -hex 16 makes one")
	}
	if j.addr != "" {
		if _, _, err := net.SplitHostPort(j.addr); err != nil {
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
	ln, loopback, err := j.listen(ctx)
	if err != nil {
		return exitTrouble, err
	}
	defer ln.Close()
	if !loopback && j.token == "" {
		return exitUsage, advice.With(advice.Usagef("-http %s: other machines reach it, so it needs -token", j.addr),
			"-token SECRET, or FDEBUG_TOKEN in the environment: openssl rand -hex 16 makes one",
			"without -http only this machine is answered")
	}
	st := j.app.store(j.out)
	s, err := serve.New(ctx, serve.Options{
		Open:   func(ctx context.Context) (history.DB, error) { return j.open(ctx, st) },
		Filter: history.Filter{Branch: j.branch},
		Local:  filepath.Join(st.Dir, "runs"), Shared: j.reports,
		Token: j.token, Loopback: loopback, Warnf: j.app.Warnf,
	})
	if err != nil {
		return exitTrouble, err
	}
	defer s.Close()
	fmt.Fprintln(j.app.Stdout, j.url(ln))
	if j.token != "" {
		fmt.Fprintln(j.app.Stderr, "a browser asks for the token once; programs send it as Authorization: Bearer TOKEN")
	}
	if err := s.Serve(ctx, ln); err != nil {
		return exitTrouble, err
	}
	return exitOK, nil
}

// open opens the history to be read.
func (j *serveJob) open(ctx context.Context, st store.Store) (history.DB, error) {
	if j.app.db != "" {
		return j.app.openServerLive(ctx)
	}
	db, err := history.OpenLive(ctx, filepath.Join(st.Dir, history.Name))
	older := (*history.OlderError)(nil)
	switch {
	case errors.As(err, &older):
		return nil, advice.With(err, "fdebug history brings it up to date")
	case errors.Is(err, fs.ErrNotExist):
		return nil, explainNoHistory("")
	case history.IsNewer(err):
		return nil, advice.With(err, "a newer fdebug has written it: install that one")
	}
	return db, err
}

// listen opens the address, or near the default one where that is taken.
func (j *serveJob) listen(ctx context.Context) (net.Listener, bool, error) {
	if j.addr != "" {
		return serve.Listen(ctx, j.addr)
	}
	if ln, loopback, err := serve.Listen(ctx, defaultAddr); err == nil {
		return ln, loopback, nil
	}
	return serve.Listen(ctx, "localhost:0")
}

// url is where a browser finds the pages.
func (j *serveJob) url(ln net.Listener) string {
	at := ln.Addr().(*net.TCPAddr)
	host, port := "localhost", fmt.Sprint(at.Port)
	if j.addr != "" {
		host, _, _ = net.SplitHostPort(j.addr)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}
