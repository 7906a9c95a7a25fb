package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/replay"
	"github.com/fdebug/fdebug/internal/store"
)

// verifyBudget is how long a verdict may take by default.
const verifyBudget = 3 * time.Minute

func (a *app) verifyCmd(args []string) (int, error) {
	j := &replay.Judge{Job: a.newReplayJob(), Hunt: a.huntIn}
	fs := newFlagSet("verify")
	fs.StringVar(&j.Since, "since", "", "")
	fs.StringVar(&j.Patch, "patch", "", "")
	fs.DurationVar(&j.Budget.Whole, "budget", verifyBudget, "")
	a.briefFlag(fs)
	arg, err := a.parseReplay(j.Job, fs, args)
	switch {
	case err != nil:
		return exit.Usage, err
	case j.Since != "" && j.Patch != "":
		return exit.Usage, advice.Usagef("-since and -patch exclude each other")
	case strings.HasPrefix(arg, "."):
		return a.verifyAll(j.AbsDir(), arg, args)
	}
	return replayed(j, arg, func(ctx context.Context, name string) (int, error) {
		ctx, cancel := j.Budget.Begin(ctx)
		defer cancel()
		g, err := j.Run(ctx, name)
		if g == nil || err != nil {
			return exit.Trouble, err
		}
		if replay.IsCommitted(name) {
			g.WithoutEdit()
		}
		if b := a.screen().Brief; b != nil {
			b.Tests = append(b.Tests, g.Brief())
		}
		g.Print(a.Stdout)
		return g.Code(), nil
	})
}

// verifyAll judges by all replay files that are committed in packages of a directory, with the same flags.
func (a *app) verifyAll(dir, pattern string, args []string) (code int, err error) {
	files, err := replay.Committed(dir, pattern)
	if err != nil {
		return exit.Trouble, err
	}
	for _, f := range files {
		one := slices.Clone(args)
		one[slices.Index(args, pattern)] = f
		c, err := a.verifyCmd(one)
		if code = exit.Of(code, c); code == exit.Interrupted {
			return code, err
		}
		if err != nil {
			a.PrintError(fmt.Errorf("%s: %w", a.Show(f), err))
		}
	}
	return code, nil
}

// huntIn hunts for what makes a test fail, with the files of an overlay, and returns the name of
// the replay file, "" if nothing was found. Results go to a directory.
func (a *app) huntIn(_ context.Context, test, dir, overlay string, budget time.Duration) (string, error) {
	c := &session.Console{Stdout: io.Discard, Stderr: a.Stderr, Getenv: a.Getenv, Chdir: a.Chdir, Redact: a.Redact,
		Machine: a.Machine, Quiet: a.Quiet}
	args := []string{test, "-o", dir, "-budget", budget.String()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	code, err := (&app{Console: c, args: a.args}).huntCmd(args)
	if errors.Is(err, exit.ErrSpent) {
		return "", nil
	} else if err != nil || code == exit.Interrupted {
		return "", fmt.Errorf("hunting in the code before the edit: %w", err)
	}
	best := ""
	for _, f := range store.Glob(filepath.Join(dir, "latest"), "*"+proof.Suffix) {
		if p, err := proof.Read(f); err == nil && (best == "" || p.Verdict == proof.Proved) {
			best = f
		}
	}
	return best, nil
}
