package main

import (
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet"
	"github.com/fdebug/fdebug/internal/store"
)

func (a *app) mergeCmd(args []string) (int, error) {
	j := &fleet.Merge{Console: a.Console, Screen: a.screen(), Remember: a.history().RememberRuns}
	j.CI.Console, j.CI.Version = a.Console, version()
	fs := newFlagSet("merge")
	fs.StringVar(&j.Out, "o", "", "")
	fs.IntVar(&j.Keep, "keep", store.Keep, "")
	fs.BoolVar(&j.Partial, "partial", false, "")
	fs.StringVar(&j.Note, "note", "", "")
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	a.dbFlag(fs)
	j.CI.Flags(fs.FlagSet)
	var err error
	if j.Args, err = fs.parse(args); err != nil {
		return exit.Usage, err
	}
	if j.Keep < 1 {
		return exit.Usage, keepError(j.Keep)
	}
	if err := a.history().CheckDB(); err != nil {
		return exit.Usage, err
	}
	return exit.Command(j.Run)
}
