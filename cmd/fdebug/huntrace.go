package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	raceBudget   = 6 // of the budget: one part in so many is for the race detector, while there is something else to try
	raceMost     = 3 // of what is left: likewise, if building takes longer than that
	firstBudget  = 4 // likewise for what is tried of each test before that
	huntRaceRuns = 5 // of each package with the race detector
)

// A raced is a data race that a hunt has seen.
type raced struct {
	prey *prey
	finding.Race
}

// raceWorth is how long the hunt of a run must be for the race detector to be built in: that
// takes some seconds, in which the stalls of a short test can be tried.
const raceWorth = 30 * time.Second

// racing returns the packages that are to be run with the race detector: those whose tests start
// goroutines, unless it had nothing to say of them before.
func (j *huntJob) racing() (list []*lab) {
	if !j.takes("race") || j.sanitized() || len(j.only) > 0 || j.after != nil && j.budget.whole < raceWorth {
		return nil // it is not asked for, or every run is made with it already, or it would take the time of all else
	}
	for _, p := range j.preys {
		if p.threads > 1 && !p.lab.seen.NoRace && !slices.Contains(list, p.lab) {
			list = append(list, p.lab)
		}
	}
	return list
}

// races runs packages with the race detector, which reports only real races, up to a time. What
// it says is tried first by what follows. It returns those that there is not the time for to
// build them.
func (j *huntJob) races(ctx context.Context, list []*lab, until time.Time) (late []*lab) {
	for _, l := range list {
		if ctx.Err() != nil {
			return nil
		}
		if time.Now().Add(l.traced.Took).After(until) { // with the race detector it will hardly be quicker
			late = append(late, l)
			continue
		}
		pkg, err := l.race(ctx, until)
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, errNoRaceTime):
			late = append(late, l)
		default:
			j.warnf("%s is not tried with the race detector: %v", l.target.ImportPath, err)
		}
		if pkg != nil {
			j.raceRuns = append(j.raceRuns, pkg)
			j.addRaces(j.preysOf(l), pkg)
			l.noRace(pkg)
		}
	}
	return late
}

func (j *huntJob) preysOf(l *lab) (list []*prey) {
	for _, p := range j.preys {
		if p.lab == l {
			list = append(list, p)
		}
	}
	return list
}

// racePart is until when packages are run with the race detector while there are other things to
// be tried: where std was built first, with probes, it may have to be built with the race detector
// too, which is worth more than its part if there is much left.
func (j *huntJob) racePart(list []*lab, now time.Time) time.Time {
	left := j.deadline.Sub(now)
	var took time.Duration
	for _, l := range list {
		took += l.traced.Took
	}
	return now.Add(min(left, max(j.budget.whole/raceBudget, min(2*took, left/raceMost))))
}

// lateRaces runs packages with the race detector at the end, if there is time left, and names
// those for which there was not the time.
func (j *huntJob) lateRaces(ctx context.Context, list []*lab) {
	for _, l := range j.races(ctx, list, j.deadline) {
		text := fmt.Sprintf("%s is not tried with the race detector: the budget leaves no time for building it", l.target.ImportPath)
		if took := l.traced.Took; took > 0 {
			text += fmt.Sprintf(", which took %v with probes", rounded(took))
		}
		if j.after != nil { // nobody has asked for it
			j.progressf("%s", text)
		} else {
			j.warnf("%s: -budget gives more", text)
		}
	}
}

// noRace notes that the race detector has nothing to say of a package.
func (l *lab) noRace(pkg *runner.Package) {
	reported := func(r *runner.Run) bool { return len(r.Races) > 0 || r.Exit != (runner.Exit{}) }
	if len(pkg.Runs) == huntRaceRuns && !slices.ContainsFunc(pkg.Runs, reported) {
		l.seen.NoRace = true
		l.seen.save()
	}
}

// race builds the package with the race detector, and runs its tests until the time is
// up, or some times.
func (l *lab) race(ctx context.Context, until time.Time) (*runner.Package, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, until, errNoRaceTime)
	defer cancel()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	j := l.job
	j.progressf("%s %s with the race detector", j.building(), l.target.ImportPath)
	dir, err := os.MkdirTemp(j.work, "race-")
	if err != nil {
		return nil, err
	}
	build, err := j.raceBuild(dir)
	if err != nil {
		return nil, err
	}
	bin, err := build.Test(ctx, l.target)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	x := l.exec
	x.Binary, x.Select, x.Grace = bin, l.selection("", &experiment.Trial{Suite: true}), time.Second
	x.Env = leavesSooner(x.Env)
	pkg := &runner.Package{Target: l.target}
	for n := 1; n <= huntRaceRuns && ctx.Err() == nil; n++ {
		x.Limit = time.Until(until)
		run, err := x.Run(ctx)
		if err != nil {
			return nil, cmp.Or(context.Cause(ctx), err)
		}
		if ctx.Err() == nil {
			run.N = n
			pkg.Runs = append(pkg.Runs, run)
		}
	}
	return pkg, nil
}

var errNoRaceTime = errors.New("the time for it is over")

// addRaces keeps the races of each test, and has what follows begin with their places.
func (j *huntJob) addRaces(tests []*prey, pkg *runner.Package) {
	an := &analyze.Analyzer{Sites: j.plan.Sites}
	for _, p := range tests {
		for _, r := range an.Races(p.name, pkg) {
			j.raced = append(j.raced, &raced{p, r})
			for _, a := range r.Accesses {
				if f, rel := j.recorded(a); rel != "" {
					p.exp.Hints = append(p.exp.Hints, experiment.Hint{File: rel, Start: f.Line, End: f.Line})
				}
			}
		}
	}
}

// recorded returns the innermost place of an access in what is recorded, where goroutines can be
// held; "" if there is none.
func (j *huntJob) recorded(a finding.Access) (f trace.Frame, rel string) {
	for _, f := range append([]trace.Frame{a.At}, a.Calls...) {
		if rel, ok := j.plan.Sites.Rel(f.File); ok {
			return f, rel
		}
	}
	return trace.Frame{}, ""
}

// saveRaces keeps the runs with the race detector beside the others, so that reports
// have the races of the tests that they are of.
func (j *huntJob) saveRaces() error {
	if len(j.raced) == 0 {
		return nil
	}
	return runner.Save(filepath.Join(j.dir, analyze.RacesDir), &runner.Results{Started: time.Now(), Packages: j.raceRuns, N: huntRaceRuns})
}

// printRaces writes the races for people. The runs were of all tests that are hunted: a
// goroutine that one test left behind may race with another test.
func (j *huntJob) printRaces(w io.Writer) {
	for _, r := range j.raced {
		pkg, run := r.prey.lab.target.ImportPath, ""
		if j.sel.Run != "" {
			run = " -run " + shellQuote(j.sel.Run)
		}
		fmt.Fprintf(w, "race  %s  %s\n    nothing orders %s and %s of the same memory: seen in %d of %d runs of the package with the race detector\n    go test -race -count=1%s %s\n\n",
			pkg, r.prey.name, j.accessWords(r.Accesses[0]), j.accessWords(r.Accesses[1]), r.Seen, r.Of, run, pkg)
	}
}

func (j *huntJob) accessWords(a finding.Access) string {
	if a.Lost {
		return fmt.Sprintf("a %s by the goroutine started at %s", a.Kind, j.lineOf(a))
	}
	return fmt.Sprintf("the %s at %s", a.Kind, j.lineOf(a))
}

func (j *huntJob) lineOf(a finding.Access) string {
	return fmt.Sprintf("%s:%d", cmp.Or(diagnose.RaceFile(a.At, j.plan.Sites), a.At.File), a.At.Line)
}

// caught is a race in the output of hunt -json.
func (j *huntJob) caughtRace(r *raced) caught {
	x := caught{
		Package: r.prey.lab.target.ImportPath, Test: r.prey.name, Kind: "race", Verdict: finding.Mechanism.String(),
		Message: fmt.Sprintf("%s, %s", j.accessWords(r.Accesses[0]), j.accessWords(r.Accesses[1])), Runs: r.Of,
	}
	x.Confirmed.With = experiment.Count{Failed: r.Seen, Of: r.Of}
	for _, a := range r.Accesses {
		x.Places = append(x.Places, j.lineOf(a))
	}
	return x
}
