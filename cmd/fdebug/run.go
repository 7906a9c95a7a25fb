package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/tracker"
	"github.com/fdebug/fdebug/internal/tracker/ciout"
)

// A runJob is `fdebug run` from its flags to its reports.
type runJob struct {
	app *app
	*session.Session

	note  string // -note: a file
	asked bool   // -n was given
	flaky bool   // -flaky: the tests are taken from the history
	like  string // -like: a file with failures to look for
	ci    ciout.Job
	shard fleet.Shard
}

// newRunJob returns a job for a session with the console of a.
func (a *app) newRunJob(s *session.Session) *runJob {
	s.Command, s.Version, s.Remember = fleet.WholeCommand(a.command()), version(), a.history().Remember
	j := &runJob{app: a, Session: s, shard: fleet.Shard{Session: s},
		ci: ciout.Job{Console: a.Console, Version: version()}}
	s.Unpack = j.shard.Unpack
	return j
}

func (a *app) runCmd(args []string) (int, error) {
	j := a.newRunJob(session.New(a.Console))
	if err := j.parse(args); err != nil {
		return exit.Usage, err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	return j.run(ctx)
}

// run does the work.
func (j *runJob) run(ctx context.Context) (int, error) {
	ctx, cancel := j.Budget.Begin(ctx)
	defer cancel()
	defer j.CleanUp()
	notes, code, err := j.begin(ctx, j.prepare)
	if err != nil {
		return code, err
	}
	if len(j.Plan.Packages) == 0 {
		return j.nothingChanged()
	}
	if j.shard.Part.Of > 0 {
		return j.shard.Run(ctx, j.app.screen(), j.ci.Event)
	}
	j.Likely = tracker.KnownFlaky(ctx, j.Session)
	results, err := j.Execute(ctx, j.ci.Event)
	if err != nil {
		return j.ci.Finish(ciout.NothingRun(j.Session, results, "no test ran"), exit.Trouble, j.ExplainRun(err))
	}
	an := j.Analyzer(notes)
	result, err := j.Compare(ctx, an, results)
	if err != nil {
		return exit.Trouble, err
	}
	s := terminal.Summary{
		Screen: j.app.screen(), Result: result, Results: results, Dir: j.Show(filepath.Join(j.Store.Dir, "latest")),
		Options: j.Options(), Interrupted: exit.IsInterrupted(ctx), Verbose: j.Verbose, Like: j.Like != nil,
	}
	code, err = s.Report(ctx, an, func() error { j.Publish(ctx, true); return nil })
	report := ciout.New(result, ciout.Suites(result, results), s.Nothing(result.Executions))
	code, err = j.ci.Finish(report, code, err)
	switch {
	case err != nil || exit.IsInterrupted(ctx):
	case s.Clean():
		code, err = j.goOn(ctx, notes, results, report, code)
		s.PrintFurther()
	case j.Budget.Whole > 0 && ctx.Err() == nil:
		code, err = j.goOn(ctx, notes, results, report, code)
	default:
		if text := hunt.NotHunted(j.Session, results); text != "" {
			fmt.Fprintln(j.app.screen().Result(), text)
		}
	}
	if s.Files != nil {
		j.app.screen().OpenReport(j.Dir, result, s.Files)
	}
	return code, err
}

// goOn hunts the tests that did not fail. What the runs have shown is told by then, and stands, however the hunt ends.
func (j *runJob) goOn(ctx context.Context, notes string, results *runner.Results, report *ciout.Report, code int) (int,
	error) {
	h := j.newHunt()
	h.Note = notes
	more, err := h.GoOn(ctx, results)
	if len(h.Tests) == 0 {
		return exit.Of(code, more), err
	}
	ciout.AddHunt(report, h.Result, h.Nothing())
	return j.ci.Finish(report, exit.Of(code, more), err)
}

// begin reads the note, begins what CI systems are told, and prepares the tests. If it fails, code is that
// of the command.
func (j *runJob) begin(ctx context.Context, prepare func(context.Context) error) (notes string, code int, err error) {
	if notes, err = session.ReadNote(j.note); err == nil {
		err = j.ci.Begin()
	}
	if err != nil {
		return "", exit.Usage, err
	}
	err = prepare(ctx)
	switch {
	case err != nil && exit.IsInterrupted(ctx):
		return "", exit.Interrupted, errors.New("interrupted before the first run")
	case err != nil && ctx.Err() != nil:
		return "", exit.Trouble, j.noRun(ctx)
	case err != nil:
		return "", exit.Trouble, err
	}
	return notes, exit.OK, nil
}

// noRun says that the budget was over before anything ran.
func (j *runJob) noRun(ctx context.Context) error {
	return advice.With(fmt.Errorf("%w before the first run (-budget %v)", context.Cause(ctx), j.Budget.Whole),
		"building takes most of the first run: -budget 2m, or fewer packages")
}

// nothingChanged ends a run without packages.
func (j *runJob) nothingChanged() (int, error) {
	text := fmt.Sprintf("no test depends on what differs from %s: nothing was run", j.Rev)
	if j.OnlyNew {
		text = fmt.Sprintf(
			"no test is new or changed since %s: nothing was run; without -new tests of changed packages run too",
			j.Rev)
	}
	fmt.Fprintln(j.Stdout, text)
	if b := j.app.screen().Brief; b != nil {
		b.Said = text
	}
	return j.ci.Finish(ciout.NothingRun(j.Session, &runner.Results{}, text), exit.OK, nil)
}

// prepare chooses the tests, instruments the packages and makes the directories.
func (j *runJob) prepare(ctx context.Context) error {
	if j.flaky {
		if err := j.app.history().ChooseFlaky(ctx, j.Session); err != nil {
			return err
		}
	}
	return j.Session.Prepare(ctx)
}
