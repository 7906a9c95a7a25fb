package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/tracker"
)

// dbFlag registers -db.
func (a *app) dbFlag(fs *flagSet) {
	k := a.history()
	fs.StringVar(&k.URL, "db", k.EnvURL, "")
}

func (a *app) historyCmd(args []string) (int, error) {
	j := &tracker.History{Keeper: a.history(), For: 14 * 24 * time.Hour, Now: time.Now()}
	fs := newFlagSet("history")
	fs.StringVar(&j.Out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.Branch, "branch", "", "")
	fs.BoolVar(&j.JSON, "json", false, "")
	fs.BoolVar(&j.Issue, "issue", false, "")
	fs.BoolVar(&j.Skip, "skip", false, "")
	fs.Var((*days)(&j.For), "for", "")
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	j.Test = firstArg(args)
	if err := j.Check(len(args)); err != nil {
		return exit.Usage, err
	}
	return exit.Command(j.Run)
}

func (a *app) importCmd(args []string) (int, error) {
	j := &tracker.Import{Keeper: a.history(), Now: time.Now()}
	fs := newFlagSet("import")
	fs.StringVar(&j.Out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.Origin.Commit, "commit", "", "")
	fs.StringVar(&j.Origin.Branch, "branch", "", "")
	files, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(files) == 0 {
		return exit.Usage, advice.With(advice.Usagef("import needs a file of results"),
			"- reads standard input: go test -json ./... | fdebug import -")
	}
	if err := a.history().CheckDB(); err != nil {
		return exit.Usage, err
	}
	return exit.Command(func(ctx context.Context) (int, error) { return j.Run(ctx, files) })
}

func (a *app) pushCmd(args []string) (int, error) {
	j := &tracker.Push{Keeper: a.history()}
	fs := newFlagSet("push")
	a.dbFlag(fs)
	fs.StringVar(&j.Out, "o", "", "")
	fs.StringVar(&j.Reports, "reports", "", "")
	var err error
	if j.Runs, err = fs.parse(args); err != nil {
		return exit.Usage, err
	}
	if a.history().URL == "" {
		return exit.Usage, advice.With(advice.Usagef("push needs a database"),
			"-db postgres://user@host/database, or "+tracker.DBEnv+" in the environment")
	}
	if err := a.history().CheckDB(); err != nil {
		return exit.Usage, err
	}
	return exit.Command(j.Run)
}

func (a *app) serveCmd(args []string) (int, error) {
	j := &tracker.Serve{Keeper: a.history(), Token: a.Getenv("FDEBUG_TOKEN")}
	fs := newFlagSet("serve")
	fs.StringVar(&j.Addr, "http", "", "")
	fs.StringVar(&j.Out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.Reports, "reports", "", "")
	fs.StringVar(&j.Branch, "branch", "", "")
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) > 0 {
		return exit.Usage, advice.Usagef("serve takes no arguments")
	}
	if err := j.Check(); err != nil {
		return exit.Usage, err
	}
	return exit.Command(j.Run)
}

func (a *app) gcCmd(args []string) (int, error) {
	j := &tracker.GC{Keeper: a.history()}
	fs := newFlagSet("gc")
	out := fs.String("o", "", "")
	a.dbFlag(fs)
	keep := fs.Int("keep", store.Keep, "")
	fs.Var((*days)(&j.Older), "older", "")
	fs.BoolVar(&j.Dry, "n", false, "")
	args, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) > 0 {
		return exit.Usage, advice.Usagef("gc takes no arguments")
	}
	if *keep < 1 {
		return exit.Usage, keepError(*keep)
	}
	if err := a.history().CheckDB(); err != nil {
		return exit.Usage, err
	}
	j.Store = a.StoreIn(*out)
	j.Store.Keep = *keep
	if _, err := os.Stat(j.Store.Dir); err != nil && a.history().URL == "" {
		return exit.Trouble, session.ExplainNoRun(fmt.Errorf("nothing in %s", a.Show(j.Store.Dir)))
	}
	return exit.Command(j.Run)
}

func keepError(n int) error {
	return advice.With(advice.Usagef("-keep %d: want at least 1 run", n),
		"-keep says how many runs stay with their traces and reports; the history of all others stays too")
}
