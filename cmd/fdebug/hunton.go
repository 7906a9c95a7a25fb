package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/runner"
)

// huntOn continues as a hunt after runs without failures, with their binaries, for half of the
// time for experiments. Its results go into the report for CI systems. It only adds to the
// result: if it fails, it just says so. A test that it made fail does not change the exit code;
// one that now fails by itself does.
func (j *runJob) huntOn(ctx context.Context, runs *runner.Results, notes string, report *ciout.Report) (int, error) {
	limit := j.huntTime(runs)
	if limit <= 0 || ctx.Err() != nil {
		return exitOK, nil
	}
	h := j.asHunt(limit, runs.Packages)
	defer h.release()
	if err := h.takeKnown(); err != nil {
		j.Warnf("no run failed, and nothing is provoked: %v", err)
		return exitOK, nil
	}
	j.Progressf("no run failed: going on as fdebug hunt for %v (-experiments 0 leaves that out)", text.Rounded(limit))
	err := h.hunt(ctx)
	h.show.Clear()
	h.markDone()
	if len(h.preys) == 0 || err != nil && ctx.Err() == nil {
		if err != nil {
			j.Warnf("nothing is provoked: %v", err)
		}
		return exitOK, nil
	}
	list, err := h.tell(ctx, notes)
	h.addTo(report, list)
	switch {
	case err != nil:
		return exitTrouble, err
	case ctx.Err() != nil:
		return exitInterrupted, nil
	case h.failsByItself():
		return exitFlaky, nil
	}
	return exitOK, nil
}

// huntTime is how long a run may continue as a hunt; 0 for not at all.
func (j *runJob) huntTime(runs *runner.Results) time.Duration {
	if j.Plan.Shadow == nil || j.Plan.Std != "" {
		return 0
	}
	limit := j.ExperimentTime(runs.Elapsed) / 2
	if end := j.Budget.At(j.Budget.Whole); !end.IsZero() {
		limit = min(limit, time.Until(end))
	}
	return limit
}

// asHunt returns the hunt that a run continues as. It has its own run directory.
func (j *runJob) asHunt(limit time.Duration, tested []*runner.Package) *huntJob {
	own, s := *j, *j.Session
	s.Hunts, s.Dir, s.Locks = true, "", nil
	s.Budget = session.Budget{Whole: limit, Began: time.Now()}
	own.Session = &s
	return &huntJob{runJob: &own, after: tested, show: &session.HuntProgress{Console: j.Console}, deadline: time.Now().Add(limit)}
}

// release releases what the hunt of a run has locked; the run cleans up the rest.
func (j *huntJob) release() {
	for _, l := range j.Locks {
		l.Release()
	}
}

// failsByItself reports whether a test both passed and failed in unperturbed runs. A test that
// always fails alone may need the tests before it, which is not its own flake.
func (j *huntJob) failsByItself() bool {
	return slices.ContainsFunc(j.preys, func(p *prey) bool {
		return p.res != nil && p.res.Plain.Failed > 0 && p.res.Plain.Failed < p.res.Plain.Of
	})
}

// addTo adds what was provoked to the report of a run without failures.
func (j *huntJob) addTo(r *ciout.Report, list []*catch) {
	said := j.nothing()
	r.Nothing += fmt.Sprintf(" %s%s.", strings.ToUpper(said[:1]), said[1:])
	if j.result == nil {
		return
	}
	found := j.ciResult(list)
	found.Executions = r.Result.Executions
	r.Result = found
	for _, t := range found.Tests {
		i := slices.IndexFunc(r.Suites, func(s *ciout.Suite) bool { return s.Package == t.Package })
		if i < 0 || len(t.Verdicts) == 0 {
			continue
		}
		s, c := r.Suites[i], provokedCase(t)
		if k := slices.IndexFunc(s.Cases, func(c *ciout.Case) bool { return c.Name == t.Name }); k >= 0 {
			c.Runs.Passed, c.Plain, c.Elapsed = c.Runs.Passed+s.Cases[k].Runs.Passed, s.Cases[k].Plain, s.Cases[k].Elapsed
			s.Cases = slices.Delete(s.Cases, k, k+1)
		}
		s.Cases = append(s.Cases, c)
	}
}

// began begins the line with the result of the hunt of a run.
func (j *huntJob) began() string {
	if j.after == nil {
		return ""
	}
	return fmt.Sprintf("No run failed, so fdebug went on as fdebug hunt for %v: ", text.Rounded(time.Since(j.Budget.Began)))
}

// goesOn says how to continue if there was no time to try everything.
func (j *huntJob) goesOn() string {
	if j.after == nil {
		return "the same command goes on, -budget gives more time"
	}
	o := j.Options()
	words := []string{"fdebug", "hunt"}
	for _, f := range []struct{ name, value string }{{"-C", o.C}, {"-o", o.Out}, {"-run", o.Run}, {"-skip", o.Skip}} {
		if f.value != "" {
			words = append(words, f.name, text.ShellQuote(f.value))
		}
	}
	for _, f := range slices.Concat(o.Flags, o.Packages) {
		words = append(words, text.ShellQuote(f))
	}
	return strings.Join(words, " ") + " goes on"
}
