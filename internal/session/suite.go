package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A seen has the observations of hunts about a package as a whole. They are kept beside the log, so
// that a later hunt does not spend time on them again.
type seen struct {
	Build string        `json:"build"` // the build it is true for, with the flags
	Took  time.Duration `json:"took_ns"`
	Tests []SuiteTest   `json:"tests"` // nil before the first run of all
	// Met are the packages in which goroutines of a test ran code beside each other.
	Met []string `json:"met,omitempty"`
	// Passed are runs of all tests in which none failed, as SuiteOf names them.
	Passed []string `json:"passed,omitempty"`
	// NoRace is set if the race detector has had all of its runs, and reported nothing.
	NoRace bool `json:"no_race,omitempty"`

	file string
}

// A SuiteTest is a test as it was in the first run of all.
type SuiteTest struct {
	Name    string        `json:"name"`
	Usual   time.Duration `json:"usual_ns"`
	Status  runner.Status `json:"status"`
	Threads int           `json:"goroutines"` // with probes
	Draws   int           `json:"draws"`      // blocks that drew by chance
}

// SuiteOf names a run of all tests by its seed of -shuffle, and by whether few files may be open.
func SuiteOf(t experiment.Trial) string { return fmt.Sprint(t.Shuffle, " ", len(t.Plan.Acts) > 0) }

// Recall returns the observations of earlier hunts with this build.
func (l *Lab) Recall(build string) *seen {
	s, file := &seen{}, filepath.Join(l.Dir, "suite.json")
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, s) != nil || s.Build != build {
		s = &seen{Build: build}
	}
	s.file = file
	return s
}

// Save keeps the observations. If that fails, the next hunt makes them again.
func (s *seen) Save() {
	if text, err := json.Marshal(s); err == nil {
		os.WriteFile(s.file, text, 0o666)
	}
}

// NotePassed notes a run of all tests in which none failed.
func (s *seen) NotePassed(t experiment.Trial) {
	s.Passed = append(s.Passed, SuiteOf(t))
	s.Save()
}

// FirstRun runs the tests of a package once.
func (l *Lab) FirstRun(ctx context.Context) error {
	x := l.Exec
	x.Binary, x.Select, x.Trace = l.Traced, l.Job.Sel, l.rawName()
	if x.Select.Timeout == 0 { // a suite that takes longer can't be hunted in that time
		x.Limit, x.Grace = min(x.Limit, max(l.Job.Budget.Whole, time.Minute)), time.Second
	}
	defer removeRaw(x.Trace)
	if err := perturbed(&x, freedom.Plan{Acts: freedom.Pins(1)}); err != nil { // pinned runs show who chooses
		return err
	}
	run, err := x.Run(ctx)
	if err != nil {
		return err
	}
	t, err := trace.ReadRaw(x.Trace)
	if err != nil {
		t = &trace.Trace{}
	} else {
		x.Tell(run, t)
	}
	defer t.Close()
	l.Seen.Took, l.Seen.Met = run.Wall, met(t, l.Job.Plan.Sites)
	for _, o := range run.Outcomes {
		if o.Test == "" || strings.Contains(o.Test, "/") || o.Nth > 0 || o.Status == runner.Skipped ||
			run.HasSpecs(o.Test) {
			continue
		}
		x := SuiteTest{Name: o.Test, Usual: o.Elapsed, Status: o.Status, Threads: 1, Draws: len(t.Draws)}
		for _, g := range t.GoroutinesOf(o.Test) {
			if !g.Root {
				x.Threads++
			}
		}
		l.Seen.Tests = append(l.Seen.Tests, x)
	}
	if run.Exit != (runner.Exit{}) {
		l.unreached(ctx, run)
	}
	return nil
}

// unreached adds the tests that a run of all tests did not reach, because it ended early: one
// test ended the process, or it took too long.
func (l *Lab) unreached(ctx context.Context, run *runner.Run) {
	var names []string
	reached := make(map[string]bool)
	for _, o := range run.Outcomes {
		reached[o.Test] = true
	}
	for _, name := range l.TestNames(ctx, "^(Test|Example|Fuzz)") {
		if !reached[name] && l.Job.Sel.Has(name) {
			names = append(names, name)
			l.Seen.Tests = append(l.Seen.Tests, SuiteTest{Name: name, Status: runner.NotRun})
		}
	}
	if len(names) > 0 {
		l.Job.Warnf("%s: the first run of all tests ended before %s: %s", l.Target.ImportPath,
			text.FewNames(names), endOf(run))
	}
}

// endOf says why a run ended early.
func endOf(run *runner.Run) string {
	if run.Exit.TimedOut {
		return fmt.Sprintf("it was stopped after %v", text.Rounded(run.Wall))
	}
	for _, o := range run.Outcomes {
		if o.Status == runner.Crashed && o.Test != "" {
			return o.Test + " ended the process"
		}
	}
	return run.Exit.String()
}

// quickest returns the binary without probes if there is one.
func (l *Lab) quickest() *runner.Binary { return cmp.Or(l.Plain, l.Traced) }

// TestNames returns the tests of the package that a regular expression matches, in the order of
// the source.
func (l *Lab) TestNames(ctx context.Context, pattern string) []string {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.quickest().Path, "-test.list="+pattern)
	cmd.Dir, cmd.Env = l.Job.Here(l.Target.Dir), l.Exec.Env
	output := (*exec.Cmd).Output
	if l.Job.Machine.Output != nil {
		output = l.Job.Machine.Output
	}
	out, err := output(cmd)
	if err != nil {
		return nil
	}
	// TestMain may print too
	names := slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !isTest.MatchString(name) })
	return l.withSpecs(ctx, names)
}

// listLimit is how long a test binary may take to list its tests, including TestMain.
const listLimit = 10 * time.Second

var isTest = regexp.MustCompile(`^(Test|Example|Fuzz)[^\s/]*$`)

// Suite runs all tests under a trial, and returns the top-level tests that failed. A run that
// takes longer than the limit is ended: then whole is false, and tests still running did not
// fail.
func (l *Lab) Suite(ctx context.Context, t experiment.Trial,
	limit time.Duration) (failed map[string]bool, whole bool, err error) {
	x := l.Exec
	x.Binary, x.Select = l.quickest(), l.Selection("", &experiment.Trial{Suite: true, Shuffle: t.Shuffle})
	x.Limit, x.Grace = limit, time.Second
	if len(t.Plan.Acts) > 0 {
		x.Binary, x.Trace = l.Traced, l.rawName()
		defer removeRaw(x.Trace)
		if err := perturbed(&x, t.Plan); err != nil {
			return nil, false, err
		}
	}
	run, err := x.Run(ctx)
	if err != nil {
		return nil, false, err
	}
	failed = make(map[string]bool)
	for _, o := range run.Outcomes {
		if o.Test != "" && (o.Status == runner.Failed || o.Status == runner.Crashed && !o.Shared) {
			failed[trace.TopTest(o.Test)] = true
		}
	}
	return failed, !run.Exit.TimedOut, nil
}

// NoRace notes that the race detector reports nothing for a package.
func (l *Lab) NoRace(pkg *runner.Package) {
	reported := func(r *runner.Run) bool { return len(r.Races) > 0 || r.Exit != (runner.Exit{}) }
	if len(pkg.Runs) == HuntRaceRuns && !slices.ContainsFunc(pkg.Runs, reported) {
		l.Seen.NoRace = true
		l.Seen.Save()
	}
}

// Race builds the package with the race detector, and runs its tests until the time is up, or
// HuntRaceRuns times.
func (l *Lab) Race(ctx context.Context, until time.Time) (*runner.Package, error) {
	j := l.Job
	building, cancel := context.WithDeadlineCause(ctx, until, ErrNoRaceTime)
	defer cancel()
	j.Progressf("%s %s with the race detector", j.building(), l.Target.ImportPath)
	r, err := j.raceRunner(building, []runner.Target{l.Target})
	if err != nil {
		return nil, cmp.Or(context.Cause(building), err)
	}
	r.N, r.Deadline, r.Select.Shuffle = HuntRaceRuns, until, ""
	results, err := r.Run(ctx)
	if errors.Is(err, runner.ErrBudget) {
		return nil, ErrNoRaceTime
	} else if err != nil {
		return nil, err
	}
	return results.Packages[0], nil
}

// Flags returns the flags that change runs of a test with the same binary.
func (l *Lab) Flags() string {
	sel := l.Selection("", &experiment.Trial{})
	sel.Skip, sel.Shuffle = "", ""
	return fmt.Sprintf("%+v", sel)
}

var ErrNoRaceTime = errors.New("its time is up")

const HuntRaceRuns = 5 // of each package with the race detector
