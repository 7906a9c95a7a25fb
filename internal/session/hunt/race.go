package hunt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// racing returns the packages to run with the race detector: those whose tests start goroutines,
// unless the detector reported nothing before.
func (j *Hunt) racing() (list []*session.Lab) {
	if !j.Takes("race") || j.Sanitized() { // not wanted, or used in every run already
		return nil
	}
	for _, p := range j.Tests {
		proved := len(p.Search.Like) > 0 && p.Result.Done() && len(p.Result.Findings) > 0 // as it was seen to fail
		if p.Threads > 1 && !proved && !p.Lab.Seen.NoRace && !slices.Contains(list, p.Lab) {
			list = append(list, p.Lab)
		}
	}
	return list
}

// raceFrom is when packages are built with the race detector. That takes as long as hundreds of runs of a short test.
func (j *Hunt) raceFrom() time.Time {
	if from := j.Budget.At(j.Budget.Whole * 2 / 3); from.Before(j.Deadline) {
		return from
	}
	return j.Deadline
}

// races runs packages with the race detector, which reports only real races, and names those that there is no time to
// build. Later searches begin with its reports.
func (j *Hunt) races(ctx context.Context, list []*session.Lab) {
	for _, l := range list {
		if ctx.Err() != nil {
			return
		}
		pkg, err := (*runner.Package)(nil), session.ErrNoRaceTime
		if time.Now().Add(l.Traced.Took).Before(j.Deadline) { // the race detector hardly makes it quicker
			pkg, err = l.Race(ctx, j.Deadline)
		}
		switch {
		case err == nil:
			j.raceRuns = append(j.raceRuns, pkg)
			j.addRaces(j.testsOf(l), pkg)
			l.NoRace(pkg)
		case ctx.Err() != nil, j.after != nil && errors.Is(err, session.ErrNoRaceTime): // nobody asked for it
		case errors.Is(err, session.ErrNoRaceTime):
			j.Warnf("%s is not tried with the race detector: the budget leaves no time for building it: -budget gives more",
				l.Target.ImportPath)
		default:
			j.Warnf("%s is not tried with the race detector: %v", l.Target.ImportPath, err)
		}
	}
}

func (j *Hunt) testsOf(l *session.Lab) (list []*Test) {
	for _, p := range j.Tests {
		if p.Lab == l {
			list = append(list, p)
		}
	}
	return list
}

// addRaces keeps the races of each test, and makes later searches begin at their places.
func (j *Hunt) addRaces(tests []*Test, pkg *runner.Package) {
	an := &analyze.Analyzer{Sites: j.Plan.Sites}
	for _, p := range tests {
		for _, r := range an.Races(p.Name, pkg) {
			p.races = append(p.races, r)
			for _, a := range r.Accesses {
				if f, rel := j.recorded(a); rel != "" {
					p.Search.Hints = append(p.Search.Hints, freedom.Hint{Span: trace.LineOf(rel, f.Line)})
				}
			}
		}
	}
}

// recorded returns the innermost recorded place of an access, where goroutines can be held, or ""
// if there is none.
func (j *Hunt) recorded(a finding.Access) (f trace.Frame, rel string) {
	for _, f := range append([]trace.Frame{a.At}, a.Calls...) {
		if rel, ok := j.Plan.Sites.Rel(f.File); ok {
			return f, rel
		}
	}
	return trace.Frame{}, ""
}

// saveRaces keeps the runs with the race detector beside the others, so that reports have the
// races of their tests.
func (j *Hunt) saveRaces() error {
	if len(j.Raced()) == 0 {
		return nil
	}
	return runner.Save(filepath.Join(j.Dir, analyze.RacesDir),
		&runner.Results{Started: time.Now(), Packages: j.raceRuns, N: session.HuntRaceRuns})
}

// printRaces writes the block of each race, and returns how many there are.
func (j *Hunt) printRaces(w io.Writer) (n int) {
	run := ""
	if j.Sel.Run != "" {
		run = " -run " + text.ShellQuote(j.Sel.Run)
	}
	for _, t := range j.Raced() {
		for _, r := range t.Races {
			one := &finding.Test{Package: t.Package, Name: t.Name, Races: []finding.Race{r}}
			for _, line := range (report.Terminal{Badge: "RACE",
				Repeat: "go test -race -count=1" + run + " " + t.Package}).Lines(j.Result, one) {
				fmt.Fprintln(w, line)
			}
			fmt.Fprintln(w)
			n++
		}
	}
	return n
}

// Raced returns the tests with data races. The runs were of all tests that are hunted: a goroutine that one test
// left behind may race with another test.
func (j *Hunt) Raced() (list []*finding.Test) {
	for _, p := range j.Tests {
		if len(p.races) > 0 {
			list = append(list, &finding.Test{Package: p.Lab.Target.ImportPath, Name: p.Name, Races: p.races})
		}
	}
	return list
}
