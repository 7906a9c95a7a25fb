package hunt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// GoOn continues as a hunt after runs without failures, with their binaries, and returns its exit code. It only
// adds to the result: if it fails, it just says so, and a signal ends nothing but it. A test that it made fail does not
// change the exit code; one that now fails by itself does.
func (j *Hunt) GoOn(ctx context.Context, runs *runner.Results) (int, error) {
	limit, usual := huntTime(j.Session, runs.Elapsed, time.Now())
	failed, others := outcomes(runs)
	if limit <= 0 || others == 0 || ctx.Err() != nil {
		return exit.OK, nil
	}
	j.takeOver(limit, usual, runs.Packages, failed)
	defer j.release()
	if err := j.TakeKnown(); err != nil {
		j.Warnf("nothing is provoked: %v", err)
		return exit.OK, nil
	}
	what := "no run failed: hunting"
	if j.others {
		what = "hunting the tests that did not fail"
	}
	j.Progressf("%s for up to %v, with %s (Ctrl-C ends the hunt alone)", what, text.Rounded(limit), j.varied())
	err := j.Within(ctx)
	if len(j.Tests) == 0 || err != nil && ctx.Err() == nil {
		if j.markDone(); err != nil {
			j.Warnf("nothing is provoked: %v", err)
		}
		return exit.OK, nil
	}
	return j.Conclude(ctx, nil)
}

// placesTime is how long a hunt after runs of one package may go on while there are places at which no goroutine was
// held. Of four flakes of public projects that a hunt proves, three took longer than the runs had.
const placesTime = 3 * time.Minute

// huntTime is how long a run may continue as a hunt, 0 for not at all, and for how much of it more than places is
// tried.
func huntTime(j *session.Session, ran time.Duration, now time.Time) (limit, usual time.Duration) {
	if j.Plan.Std != "" {
		return 0, 0
	}
	usual = j.ExperimentTime(ran)
	limit = usual
	if j.Experiments < 0 && j.Rev == "" && len(j.Plan.Packages) == 1 {
		limit = max(usual, placesTime)
	}
	if end := j.Budget.At(j.Budget.Whole); !end.IsZero() {
		limit = min(limit, end.Sub(now))
	}
	return limit, min(limit, usual)
}

// takeOver takes over the binaries of a run, which cleans up, and leaves out the tests that failed in it. The hunt has its
// own run directory.
func (j *Hunt) takeOver(limit, usual time.Duration, packages []*runner.Package, failed []string) {
	own := *j.Session
	if j.others = len(failed) > 0; j.others {
		own.Sel.Skip = skipping(own.Sel.Skip, failed)
	}
	own.Hunts, own.Dir, own.Locks = true, "", nil
	own.Budget = session.Budget{Whole: limit, Began: time.Now()}
	j.Session, j.after, j.spare = &own, packages, own.Budget.Began.Add(usual-grace(usual))
}

// release releases the locks of the hunt of a run; the run cleans up the rest.
func (j *Hunt) release() {
	for _, l := range j.Locks {
		l.Release()
	}
}

// outcomes returns the names of top-level tests that failed in some run, "" for a package, and how many others passed.
func outcomes(runs *runner.Results) (failed []string, others int) {
	passed := make(map[[2]string]bool)
	for _, p := range runs.Packages {
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			for _, o := range run.Outcomes {
				name := trace.TopTest(o.Test)
				switch {
				case o.Status.Failing() && !slices.Contains(failed, name):
					failed = append(failed, name)
				case o.Status == runner.Passed && name != "":
					passed[[2]string{p.ImportPath, name}] = true
				}
			}
		}
	}
	for t := range passed {
		if !slices.Contains(failed, t[1]) {
			others++
		}
	}
	slices.Sort(failed)
	return failed, others
}

// skipping adds tests to a pattern of tests left out. A package is none.
func skipping(skip string, names []string) string {
	if names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" }); len(names) == 0 {
		return skip
	}
	return strings.TrimPrefix(skip+"|"+session.PatternOf(names), "|")
}

// NotHunted says how to hunt the tests that did not fail, where others did; "" if there are none.
func NotHunted(j *session.Session, runs *runner.Results) string {
	failed, others := outcomes(runs)
	if others == 0 || j.Experiments == 0 || j.Plan.Std != "" {
		return ""
	}
	o := onward(j)
	o.Skip = skipping(o.Skip, failed)
	return fmt.Sprintf("not hunted: %s that did not fail (%s)", text.Plural(others, "test"), o.Typed("hunt"))
}

// varied names the kinds of acts that a hunt tries.
func (j *Hunt) varied() string {
	if j.Kinds != nil {
		return strings.Join(j.Kinds, ", ")
	}
	return "goroutines held at each place, other orders, choices and clocks"
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
	what := "No run failed, so fdebug went on as fdebug hunt"
	if j.others {
		what = "Tests that did not fail were hunted"
	}
	return fmt.Sprintf("%s for %v: ", what, text.Rounded(time.Since(j.Budget.Began)))
}

// onward returns the options of a hunt that goes on where this one ends.
func onward(j *session.Session) finding.Options {
	o := j.Options()
	if j.Rev != "" {
		o.Flags = append(o.Flags, "-changed="+j.Rev)
	}
	return o
}

// goesOn says how to continue if there was no time to try everything.
func (j *Hunt) goesOn() string {
	if j.after == nil {
		return "the same command goes on, -budget gives more time"
	}
	o := onward(j.Session)
	if j.LikeFile != "" && j.LikeFile != "-" {
		o.Flags = append(o.Flags, "-like="+j.LikeFile)
	}
	return o.Typed("hunt") + " goes on"
}
