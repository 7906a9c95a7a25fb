package main

import (
	"context"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/replay"
)

func (a *app) replayCmd(args []string) (int, error) {
	j := a.newReplayJob()
	fs := newFlagSet("replay")
	fs.BoolVar(&j.Patch, "patch", false, "")
	fs.BoolVar(&j.Save, "save", false, "")
	a.briefFlag(fs)
	fs.StringVar(&j.BundleFile, "bundle", "", "")
	arg, err := a.parseReplay(j, fs, args)
	if err != nil {
		return exit.Usage, err
	}
	j.Brief = a.screen().Brief
	return replayed(j, arg, j.Run)
}

func (a *app) fixCmd(args []string) (int, error) {
	j := &replay.Fix{Job: a.newReplayJob()}
	arg, err := a.parseReplay(j.Job, newFlagSet("fix"), args)
	if err != nil {
		return exit.Usage, err
	}
	return replayed(j.Job, arg, j.Run)
}

func (a *app) newReplayJob() *replay.Job {
	j := a.newRunJob(session.NewLab(a.Console))
	j.Beside = 1 // there is only one package
	return &replay.Job{Session: j.Session}
}

// parseReplay parses the flags that replay, verify and fix share, and returns the one argument.
func (a *app) parseReplay(j *replay.Job, fs *flagSet, args []string) (name string, err error) {
	fs.IntVar(&j.N, "n", 20, "")
	fs.IntVar(&j.Parallel, "procs", 1, "")
	fs.StringVar(&j.Out, "o", "", "")
	fs.execFlag(&j.Sel)
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	rest, err := fs.parse(args)
	switch {
	case err != nil:
		return "", err
	case len(rest) != 1:
		return "", advice.With(advice.Usagef("%s takes one test, or the name of a replay file", fs.Name()),
			"fdebug hunt makes replay files")
	case j.BundleFile != "" && (j.Patch || j.Save):
		return "", advice.Usagef("-bundle excludes -patch and -save: they need the source")
	}
	return rest[0], (&runJob{app: a, Session: j.Session}).check()
}

// replayed runs a command for a test, or a file, until it ends or is interrupted, and cleans up.
func replayed(j interface{ CleanUp() }, name string, run func(context.Context, string) (int, error)) (int, error) {
	defer j.CleanUp()
	return exit.Command(func(ctx context.Context) (int, error) { return run(ctx, name) })
}
