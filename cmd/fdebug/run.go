package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/session"

	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/runner"
)

// A runJob is `fdebug run` from its flags to its reports.
type runJob struct {
	app *app
	*session.Session

	note  string // -note: a file
	asked bool   // -n was given
	flaky bool   // -flaky: the tests are taken from the history
	ci    ciJob
	shard shardFlags
	next  string // -next: the file with what to confirm
}

// newRunJob returns a job with a limit for the size of a trace.
func (a *app) newRunJob(traceSize int64) *runJob {
	return &runJob{app: a, Session: &session.Session{
		Console: a.Console, TraceSize: traceSize, Command: wholeCommand(a.command()), Version: version(), Remember: a.remember,
	}}
}

func (a *app) runCmd(args []string) (int, error) {
	j := a.newRunJob(256 << 20)
	if err := j.parse(args); err != nil {
		return exitUsage, err
	}
	ctx, stop := interruptible()
	defer stop()
	if j.next != "" {
		j.Budget.Whole = cmp.Or(j.Budget.Whole, huntBudget)
		return (&huntJob{runJob: j}).run(ctx)
	}
	return j.run(ctx)
}

// run does the work.
func (j *runJob) run(ctx context.Context) (int, error) {
	j.Budget.Began = time.Now()
	notes, err := readNote(j.note)
	if err != nil {
		return exitUsage, err
	}
	if err := j.ci.begin(); err != nil {
		return exitUsage, err
	}
	defer j.CleanUp()
	if err := j.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted, errors.New("interrupted before the first run")
		}
		return exitTrouble, err
	}
	if len(j.Plan.Packages) == 0 {
		return j.nothingChanged()
	}
	if j.shard.part.Of > 0 {
		return j.runShard(ctx)
	}
	j.Likely = j.knownFlaky(ctx)
	results, err := j.Execute(ctx, j.ci.event)
	if err != nil {
		return j.ci.finish(j.nothingRun(results, "no test ran"), exitTrouble, j.ExplainRun(err))
	}
	an := j.Analyzer(notes)
	result, err := j.Compare(ctx, an, results)
	if err != nil {
		return exitTrouble, err
	}
	s := summary{
		app: j.app, result: result, results: results, dir: j.Show(filepath.Join(j.Store.Dir, "latest")), options: j.Options(),
		interrupted: ctx.Err() != nil, verbose: j.Verbose,
	}
	if s.files, err = j.app.write(an, result); err != nil {
		s.print() // what was found out is not lost with the files
		return j.ci.finish(ciout.New(result, results), exitTrouble, err)
	}
	j.Publish()
	report := ciout.New(result, results)
	report.Nothing = s.nothing(result.Executions)
	s.goOn = func() (int, error) { return j.huntOn(ctx, results, notes, report) }
	code, err := s.print()
	j.app.openReport(j.Dir, result, s.files)
	return j.ci.finish(report, code, err)
}

// nothingChanged ends a run without packages.
func (j *runJob) nothingChanged() (int, error) {
	text := fmt.Sprintf("no test depends on what differs from %s: nothing was run", j.Rev)
	if j.OnlyNew {
		text = fmt.Sprintf("no test differs from %s: nothing was run", j.Rev)
	}
	fmt.Fprintln(j.Stdout, text)
	return j.ci.finish(j.nothingRun(&runner.Results{}, text), exitOK, nil)
}

// prepare chooses the tests, instruments the packages and makes the directories.
func (j *runJob) prepare(ctx context.Context) error {
	if j.flaky {
		if err := j.chooseFlaky(ctx); err != nil {
			return err
		}
	}
	return j.Session.Prepare(ctx)
}
