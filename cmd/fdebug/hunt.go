package main

import (
	"context"
	"errors"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/tracker/ciout"
)

// A huntJob is `fdebug hunt` from its flags to its exit code.
type huntJob struct {
	*runJob
	hunt *hunt.Hunt
	anew bool // -new: forget what earlier hunts found out
}

// huntBudget is how long a hunt may take by default.
const huntBudget = 5 * time.Minute

// newHunt returns a hunt for the tests of a job.
func (j *runJob) newHunt() *hunt.Hunt {
	return &hunt.Hunt{Session: j.Session, Screen: j.app.screen(),
		NothingFound: func(ctx context.Context, began time.Time) {
			j.app.history().RememberNothing(ctx, j.Session, began)
		}}
}

func (a *app) huntCmd(args []string) (int, error) {
	j := &huntJob{runJob: a.newRunJob(session.NewLab(a.Console))}
	j.hunt = j.newHunt()
	if err := j.parse(args); err != nil {
		return exit.Usage, err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	return j.run(ctx)
}

func (j *huntJob) parse(args []string) error {
	fs := newFlagSet("hunt")
	fs.DurationVar(&j.Budget.Whole, "budget", huntBudget, "")
	fs.BoolVar(&j.hunt.JSON, "json", false, "")
	fs.BoolVar(&j.anew, "new", false, "")
	fs.Var((*kindList)(&j.Kinds), "kinds", "")
	j.Hunts = true
	err := j.commonFlags(fs, args)
	j.ci.Machine = j.hunt.JSON
	return err
}

func (j *huntJob) run(ctx context.Context) (int, error) {
	ctx, cancel := j.Budget.Begin(ctx)
	defer cancel()
	defer j.CleanUp()
	note, code, err := j.begin(ctx, j.prepare)
	if err != nil {
		return code, err
	}
	j.hunt.Note = note
	code, err = j.hunt.Conclude(ctx, j.hunt.Within(ctx))
	if err == nil && len(j.hunt.Tests)+len(j.hunt.Untested) == 0 && errors.Is(context.Cause(ctx), exit.ErrSpent) {
		code, err = exit.Trouble, j.noRun(ctx)
	}
	return j.ci.Finish(ciout.OfHunt(j.hunt), code, err)
}

// prepare instruments the packages and loads the results of earlier hunts.
func (j *huntJob) prepare(ctx context.Context) error {
	if err := j.hunt.Prepare(ctx); err != nil {
		return err
	}
	if err := j.hunt.TakeKnown(); err != nil || !j.anew {
		return err
	}
	return j.hunt.Forget()
}
