package hunt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/runner"
)

// GoOn continues as a hunt after runs without failures, with their binaries, and returns what it has provoked. It only
// adds to the result: if it fails, it just says so, and a signal ends nothing but it. A test that it made fail does not
// change the exit code; one that now fails by itself does.
func (j *Hunt) GoOn(ctx context.Context, runs *runner.Results) ([]*Catch, int, error) {
	limit := huntTime(j.Session, runs)
	if limit <= 0 || ctx.Err() != nil {
		return nil, exit.OK, nil
	}
	j.takeOver(limit, runs.Packages)
	defer j.release()
	if err := j.TakeKnown(); err != nil {
		j.Warnf("no run failed, and nothing is provoked: %v", err)
		return nil, exit.OK, nil
	}
	j.Progressf("no run failed: going on as fdebug hunt for %v (-experiments 0 leaves that out)", text.Rounded(limit))
	err := j.Within(ctx)
	j.markDone()
	if len(j.Tests) == 0 || err != nil && ctx.Err() == nil {
		if err != nil {
			j.Warnf("nothing is provoked: %v", err)
		}
		return nil, exit.OK, nil
	}
	list, err := j.tell(ctx)
	return list, j.code(ctx, list, err), err
}

// huntTime is how long a run may continue as a hunt, 0 for not at all: what is left of its budget, else
// the time for experiments.
func huntTime(j *session.Session, runs *runner.Results) time.Duration {
	if j.Plan.Shadow == nil || j.Plan.Std != "" {
		return 0
	}
	limit := j.ExperimentTime(runs.Elapsed)
	if end := j.Budget.At(j.Budget.Whole); !end.IsZero() {
		if left := time.Until(end); j.Experiments < 0 || left < limit {
			return left
		}
	}
	return limit
}

// takeOver takes over the binaries of a run, which cleans up. The hunt has its own run directory.
func (j *Hunt) takeOver(limit time.Duration, tested []*runner.Package) {
	own := *j.Session
	own.Hunts, own.Dir, own.Locks = true, "", nil
	own.Budget = session.Budget{Whole: limit, Began: time.Now()}
	j.Session, j.after = &own, tested
}

// release releases what the hunt of a run has locked; the run cleans up the rest.
func (j *Hunt) release() {
	for _, l := range j.Locks {
		l.Release()
	}
}

// needsOthers reports whether a test passed among others and always fails alone: then it may need them.
func (j *Hunt) needsOthers(p *Test) bool {
	c := p.plain()
	return !p.Status.Failing() && c.Failed > 0 && c.Failed == c.Of && len(j.testsOf(p.Lab)) > 1
}

// began begins the line with the result of the hunt of a run.
func (j *Hunt) began() string {
	if j.after == nil {
		return ""
	}
	return fmt.Sprintf("No run failed, so fdebug went on as fdebug hunt for %v: ",
		text.Rounded(time.Since(j.Budget.Began)))
}

// goesOn says how to continue if there was no time to try everything.
func (j *Hunt) goesOn() string {
	if j.after == nil {
		return "the same command goes on, -budget gives more time"
	}
	o := j.Options()
	return typed("hunt", &o) + " goes on"
}

// typed is a command under the conditions of o.
func typed(command string, o *finding.Options) string {
	words := o.Words(command, 0)
	for i, w := range words {
		words[i] = text.ShellQuote(w)
	}
	return strings.Join(words, " ")
}
