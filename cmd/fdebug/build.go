package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet"
	"github.com/fdebug/fdebug/internal/session"
)

func (a *app) buildCmd(args []string) (int, error) {
	j := a.newRunJob(session.NewLab(a.Console))
	fs := newFlagSet("build")
	fs.StringVar(&j.Overlay, "overlay", "", "")
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	fs.Var((*listFlag)(&j.Instrument), "instrument", "")
	fs.BoolVar(&j.Generated, "generated", false, "")
	fs.buildFlags(&j.Flags)
	b := &fleet.Bundle{Session: j.Session}
	fs.StringVar(&b.File, "bundle", "", "")
	fs.Var((*listFlag)(&b.Include), "include", "")
	fs.Var((*kindList)(&j.Kinds), "kinds", "")
	fs.StringVar(&j.Vet, "vet", "", "")
	patterns, err := fs.parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if err := checkBundle(b); err != nil {
		return exit.Usage, err
	}
	if j.Patterns = patterns; len(patterns) == 0 {
		j.Patterns = []string{"."}
	}
	return exit.Command(func(ctx context.Context) (int, error) {
		err := b.Run(ctx)
		return exit.If(err != nil, exit.Trouble), err
	})
}

// checkBundle refuses what makes no sense before anything is built.
func checkBundle(j *fleet.Bundle) error {
	if j.File == "" {
		return advice.With(advice.Usagef("build needs -bundle FILE"), "fdebug build -bundle tests.fdz ./...")
	}
	if info, err := os.Stat(filepath.Dir(j.File)); err != nil || !info.IsDir() {
		return advice.Usagef("-bundle %s: there is no directory %s", j.File, filepath.Dir(j.File))
	}
	return kindList(j.Kinds).check()
}
