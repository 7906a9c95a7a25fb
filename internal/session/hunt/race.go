package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

const (
	raceBudget  = 6 // share of the budget for the race detector while there is something else to try: one part in 6
	raceMost    = 3 // share of the remaining time for it, if building takes longer than that: one part in 3
	firstBudget = 4 // share of the budget for the first searches before that: one part in 4
)

// A raced is a data race that a hunt has seen.
type raced struct {
	test *Test
	finding.Race
}

// raceWorth is how long the hunt of a run must be for building with the race detector, which
// takes some seconds, in which the stalls of a short test can be tried.
const raceWorth = time.Minute

// racing returns the packages to run with the race detector: those whose tests start goroutines,
// unless the detector reported nothing before.
func (j *Hunt) racing() (list []*session.Lab) {
	if !j.Takes("race") || j.Sanitized() || j.after != nil && j.Budget.Whole < raceWorth {
		return nil // not wanted, or used in every run already, or it would take the time for everything else
	}
	for _, p := range j.Tests {
		if p.threads > 1 && !p.seenLike() && !p.Lab.Seen.NoRace && !slices.Contains(list, p.Lab) {
			list = append(list, p.Lab)
		}
	}
	return list
}

// races runs packages with the race detector, which reports only real races, up to a time. Later
// searches begin with what it reports. races returns the packages that there is no time to build.
func (j *Hunt) races(ctx context.Context, list []*session.Lab, until time.Time) (late []*session.Lab) {
	for _, l := range list {
		if ctx.Err() != nil {
			return nil
		}
		if time.Now().Add(l.Traced.Took).After(until) { // the race detector hardly makes it quicker
			late = append(late, l)
			continue
		}
		pkg, err := l.Race(ctx, until)
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, session.ErrNoRaceTime):
			late = append(late, l)
		default:
			j.Warnf("%s is not tried with the race detector: %v", l.Target.ImportPath, err)
		}
		if pkg != nil {
			j.raceRuns = append(j.raceRuns, pkg)
			j.addRaces(j.testsOf(l), pkg)
			l.NoRace(pkg)
		}
	}
	return late
}

func (j *Hunt) testsOf(l *session.Lab) (list []*Test) {
	for _, p := range j.Tests {
		if p.Lab == l {
			list = append(list, p)
		}
	}
	return list
}

// racePart returns until when packages run with the race detector while there are other things to
// try. If std was built first, with probes, it may have to be built with the race detector too,
// which is worth more than its part if much time is left.
func (j *Hunt) racePart(list []*session.Lab, now time.Time) time.Time {
	left := j.Deadline.Sub(now)
	var took time.Duration
	for _, l := range list {
		took += l.Traced.Took
	}
	return now.Add(min(left, max(j.Budget.Whole/raceBudget, min(2*took, left/raceMost))))
}

// lateRaces runs packages with the race detector at the end, if there is time left, and names
// those for which there was none.
func (j *Hunt) lateRaces(ctx context.Context, list []*session.Lab) {
	for _, l := range j.races(ctx, list, j.Deadline) {
		said := fmt.Sprintf("%s is not tried with the race detector: the budget leaves no time for building it",
			l.Target.ImportPath)
		if j.after != nil { // nobody asked for it
			j.Progressf("%s", said)
		} else {
			j.Warnf("%s: -budget gives more", said)
		}
	}
}

// addRaces keeps the races of each test, and makes later searches begin at their places.
func (j *Hunt) addRaces(tests []*Test, pkg *runner.Package) {
	an := &analyze.Analyzer{Sites: j.Plan.Sites}
	for _, p := range tests {
		for _, r := range an.Races(p.Name, pkg) {
			j.raced = append(j.raced, &raced{p, r})
			for _, a := range r.Accesses {
				if f, rel := j.recorded(a); rel != "" {
					p.Search.Hints = append(p.Search.Hints, experiment.Hint{File: rel, Start: f.Line, End: f.Line})
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
	if len(j.raced) == 0 {
		return nil
	}
	return runner.Save(filepath.Join(j.Dir, analyze.RacesDir),
		&runner.Results{Started: time.Now(), Packages: j.raceRuns, N: session.HuntRaceRuns})
}

// printRaces writes the block of each race. The runs were of all tests that are hunted: a
// goroutine that one test left behind may race with another test.
func (j *Hunt) printRaces(w io.Writer) {
	for _, r := range j.raced {
		pkg, run := r.test.Lab.Target.ImportPath, ""
		if j.Sel.Run != "" {
			run = " -run " + text.ShellQuote(j.Sel.Run)
		}
		src := j.Result
		if src == nil {
			src = terminal.SourcesOf(j.Plan.Sites)
		}
		t := &finding.Test{Package: pkg, Name: r.test.Name, Races: []finding.Race{r.Race}}
		for _, line := range (report.Terminal{Badge: "RACE",
			Repeat: "go test -race -count=1" + run + " " + pkg}).Lines(src, t) {
			fmt.Fprintln(w, line)
		}
		fmt.Fprintln(w)
	}
}

func (j *Hunt) accessWords(a finding.Access) string {
	if a.Lost {
		return fmt.Sprintf("a %s by the goroutine started at %s", a.Kind, j.lineOf(a))
	}
	return fmt.Sprintf("the %s at %s", a.Kind, j.lineOf(a))
}

func (j *Hunt) lineOf(a finding.Access) string {
	return fmt.Sprintf("%s:%d", cmp.Or(diagnose.RaceFile(a.At, j.Plan.Sites), a.At.File), a.At.Line)
}

// proofOf returns a race for the output of hunt -json.
func (j *Hunt) proofOf(r *raced) *proof.Proof {
	p := &proof.Proof{
		Version: proof.Version, Package: r.test.Lab.Target.ImportPath, Test: r.test.Name, Decides: []string{"race"},
		Verdict: proof.Reproduced,
		Message: fmt.Sprintf("%s, %s", j.accessWords(r.Accesses[0]), j.accessWords(r.Accesses[1])), Runs: r.Of,
	}
	p.Confirmed.With = proof.Count{Failed: r.Seen, Of: r.Of}
	for _, a := range r.Accesses {
		p.At = append(p.At, proof.Place{File: cmp.Or(diagnose.RaceFile(a.At, j.Plan.Sites), a.At.File),
			Line: a.At.Line, Func: a.At.Func})
	}
	return p
}
