package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

const (
	raceRuns = 20 // of each package with a flaky test, with the race detector

	// Experiments take at most as long as the runs did, within these bounds.
	minExperiments = 30 * time.Second
	maxExperiments = 5 * time.Minute

	// Each test that failed has this long, and all together no more than maxExperiments. Of 100 runs with one test
	// each, two at a time, 11 came to no verdict in half of it.
	leastFailing = time.Minute
)

// ExperimentTime is how long experiments may take after the runs, if there is no budget.
func (j *Session) ExperimentTime(ran time.Duration) time.Duration {
	if j.Experiments >= 0 {
		return j.Experiments
	}
	return min(max(ran, minExperiments), maxExperiments)
}

// ranFor returns how long the runs of a package took, one after the other.
func ranFor(p *runner.Package) (sum time.Duration) {
	for _, run := range slices.Concat(p.Runs, p.Controls) {
		sum += run.Wall
	}
	return sum
}

// budgeted returns how long experiments may take if there is a budget, and whether the budget
// limits them. A user who gives a budget, but no time for experiments, wants a verdict more than
// the rest of the budget. They end sooner if nothing is left to be tried.
func (j *Session) budgeted(limit time.Duration, tests int, now time.Time) (time.Duration, bool) {
	end := j.Budget.Late()
	if left := end.Sub(now); j.Experiments < 0 && !end.IsZero() && left > limit {
		most := time.Duration(tests) * maxExperiments
		return min(left, most), left <= most
	}
	return limit, false
}

// raceShare is the part of that time that is reserved for runs with the race detector: one in
// four.
const raceShare = 4

// laneEnd returns until when tests may be perturbed, from now on, how much longer tests may be
// that are close to a verdict, and whether the budget limits it.
func (j *Session) laneEnd(tests []*target) (until time.Time, extra time.Duration, budget bool) {
	now := time.Now()
	var limit time.Duration
	for _, t := range tests {
		limit += j.ExperimentTime(ranFor(t.Pkg))
	}
	if j.Experiments < 0 {
		limit = max(limit, min(time.Duration(len(tests))*leastFailing, maxExperiments))
	}
	limit, budget = j.budgeted(limit, len(tests), now)
	extra = limit / raceShare / time.Duration(max(len(tests), 1))
	until = now.Add(limit - extra)
	if j.Budget.Whole <= 0 && j.Experiments < 0 { // a proof that is not finished is no proof
		extra *= 2
	}
	if end := j.Budget.At(j.Budget.Whole); !end.IsZero() && end.Before(until.Add(extra)) {
		return end, 0, true
	}
	return until, extra, budget
}

// lookForRaces runs the flaky tests some more times with the race detector, which reports only
// real races. It only adds to the result: if it can't be built, as without a C compiler on some
// systems, it just says so.
func (j *Session) lookForRaces(ctx context.Context, result *finding.Result, runs *runner.Results,
	found []analyze.TestVerdict) {
	limit := j.ExperimentTime(runs.Elapsed)
	if limit == 0 || !j.Takes("race") || ctx.Err() != nil || j.Plan.Std != "" || j.Sanitized() {
		return
	}
	v := &valueJob{Session: j, result: result, runs: runs, dir: filepath.Join(j.Dir, analyze.RacesDir),
		without: func(t *finding.Test) bool { return needsNoRace(t, found) }}
	if len(v.flaky()) == 0 {
		return
	}
	building, cancel := v.building(ctx)
	defer cancel()
	err := v.race(building, limit)
	if err != nil && building.Err() != nil {
		err = v.Budget.spent()
	}
	if err != nil && !exit.IsInterrupted(ctx) {
		j.Warnf("not tried with the race detector: %v", err)
		os.RemoveAll(v.dir)
	}
}

// needsNoRace reports whether the cause of a failure is proved, and unrelated to when goroutines
// run: a choice, a clock, an earlier test. A build with the race detector takes longer
// than most proofs and would add nothing.
func needsNoRace(t *finding.Test, found []analyze.TestVerdict) bool {
	proved := false
	for _, x := range found {
		if x.Package != t.Package || trace.TopTest(x.Test) != trace.TopTest(t.Name) {
			continue
		}
		for i := range x.Verdicts {
			v := &x.Verdicts[i]
			if v.Class() < finding.Proved || v.Proof.Plan.Does(func(a proof.Act) bool {
				return a.Holds() || a.Orders()
			}) {
				return false
			}
			proved = true
		}
	}
	return proved
}

// Sanitized reports whether the user has chosen a detector for the tests.
func (j *Session) Sanitized() bool {
	return slices.ContainsFunc(j.Flags, func(flag string) bool {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return (name == "race" || name == "msan" || name == "asan") && value != "false"
	})
}

// leavesSooner returns an environment in which a process with the race detector waits less than a
// second at its end, unless the user has set that time. Goroutines that still run then report
// their races after the tests.
func leavesSooner(env []string) []string {
	const name = "GORACE="
	for i, kv := range env {
		if options, ok := strings.CutPrefix(kv, name); ok {
			if !strings.Contains(options, "atexit_sleep_ms") {
				env[i] = name + options + " atexit_sleep_ms=100"
			}
			return env
		}
	}
	return append(env, name+"atexit_sleep_ms=100")
}

// race builds the packages of the flaky tests with the race detector and runs them.
func (v *valueJob) race(ctx context.Context, limit time.Duration) error {
	names := v.flaky()
	of := strings.Join(names, ", ")
	if names[0] == "" {
		of = "all tests"
	}
	v.Phasef("%s %s with the race detector", v.Session.building(), of)
	r, err := v.raceRunner(ctx, v.packages())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(v.dir, 0o777); err != nil {
		return err
	}
	r.Dir, r.N = v.dir, raceRuns
	if v.canRunAlone(names) {
		r.Select.Run = PatternOf(names)
	}
	r.Deadline = time.Now().Add(limit / raceShare)
	if end := v.Budget.Late(); !end.IsZero() && end.Before(r.Deadline) {
		r.Deadline = end
	}
	v.Phasef("running %s with the race detector, at most %s", of, text.Plural(r.N, "time"))
	defer v.Clear()
	r.Report = v.tell
	if _, err = r.Run(ctx); err != nil {
		return fmt.Errorf("with -race: %w", err)
	}
	return nil
}

// raceRunner builds packages with the race detector, and returns a runner of their tests.
func (j *Session) raceRunner(ctx context.Context, packages []runner.Target) (*runner.Runner, error) {
	dir, err := os.MkdirTemp(j.Work, "race-")
	if err != nil {
		return nil, err
	}
	r, err := j.newRunner(dir)
	if err != nil {
		return nil, err
	}
	build, err := j.RaceBuild(dir)
	if err != nil {
		return nil, err
	}
	r.Plain, r.Traced, r.Dir, r.Controls, r.Packages = build, nil, "", 0, packages
	r.Exec.Env = leavesSooner(r.Exec.Env)
	for _, p := range packages {
		built, err := build.Test(ctx, p)
		if err != nil {
			return nil, err
		}
		build.Built = append(build.Built, built)
	}
	return r, nil
}
