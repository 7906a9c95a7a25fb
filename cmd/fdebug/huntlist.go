package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A seen is what hunts have seen of a package as a whole. It is kept beside the log, so that
// a hunt that goes on spends no time on it again.
type seen struct {
	Build string        `json:"build"` // that it is true of, with the flags
	Took  time.Duration `json:"took_ns"`
	Tests []seenTest    `json:"tests"` // nil before the first run of all
	// Passed are runs of all tests in which none failed: seeds of -shuffle, and whether there
	// were few files.
	Passed []seenSuite `json:"passed,omitempty"`
	// NoRace is set if the race detector has had all of its runs, and reported nothing.
	NoRace bool `json:"no_race,omitempty"`

	file string
}

// A seenTest is what the first run of all tests showed of one.
type seenTest struct {
	Name    string        `json:"name"`
	Usual   time.Duration `json:"usual_ns"`
	Status  runner.Status `json:"status"`
	Threads int           `json:"goroutines"`
	Draws   int           `json:"draws"`
}

type seenSuite struct {
	Shuffle int64 `json:"shuffle,omitempty"`
	Files   bool  `json:"few_files,omitempty"`
}

func suiteOf(t experiment.Trial) seenSuite { return seenSuite{t.Shuffle, len(t.Plan.Acts) > 0} }

// recall returns what earlier hunts have seen of this build.
func (l *lab) recall(build string) *seen {
	s, file := &seen{}, filepath.Join(l.dir, "suite.json")
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, s) != nil || s.Build != build {
		s = &seen{Build: build}
	}
	s.file = file
	return s
}

// save keeps what was seen. If that fails it is seen again by the next hunt.
func (s *seen) save() {
	if text, err := json.Marshal(s); err == nil {
		os.WriteFile(s.file, text, 0o666)
	}
}

// passed notes a run of all tests in which none failed.
func (s *seen) passed(t experiment.Trial) {
	s.Passed = append(s.Passed, suiteOf(t))
	s.save()
}

// list returns the tests of a package, after a run of all unless there was one.
func (l *lab) list(ctx context.Context) ([]*prey, error) {
	if l.seen.Tests == nil {
		if err := l.firstRun(ctx); err != nil {
			return nil, err
		}
		l.seen.save()
	}
	var list []*prey
	for _, t := range l.seen.Tests {
		list = append(list, &prey{lab: l, name: t.Name, usual: t.Usual, status: t.Status, threads: t.Threads, draws: t.Draws})
	}
	return list, nil
}

// firstRun runs the tests of a package once.
func (l *lab) firstRun(ctx context.Context) error {
	x := l.exec
	x.Binary, x.Select, x.Trace = l.traced, l.job.sel, filepath.Join(l.job.work, "raw-list")
	if x.Select.Timeout == 0 { // a suite that takes longer can't be hunted in that time
		x.Limit, x.Grace = min(x.Limit, max(l.job.budget.whole, time.Minute)), time.Second
	}
	defer removeRaw(x.Trace)
	if err := perturbed(&x, perturb.Plan{Acts: perturb.Pins(1)}); err != nil { // pinned runs tell who chooses
		return err
	}
	run, err := x.Run(ctx)
	if err != nil {
		return err
	}
	t, err := trace.ReadRaw(x.Trace)
	if err != nil {
		t = &trace.Trace{}
	}
	defer t.Close()
	l.seen.Took = run.Wall
	for _, o := range run.Outcomes {
		if o.Test == "" || strings.Contains(o.Test, "/") || o.Nth > 0 || o.Status == runner.Skipped {
			continue
		}
		x := seenTest{Name: o.Test, Usual: o.Elapsed, Status: o.Status, Threads: 1, Draws: len(t.Draws)}
		for _, g := range t.GoroutinesOf(o.Test) {
			if !g.Root {
				x.Threads++
			}
		}
		l.seen.Tests = append(l.seen.Tests, x)
	}
	if run.Exit != (runner.Exit{}) {
		l.unreached(ctx, run)
	}
	return nil
}

// unreached adds the tests that a run of all did not come to, since it ended before: one
// of them ended the process, or it took too long.
func (l *lab) unreached(ctx context.Context, run *runner.Run) {
	var names []string
	reached := make(map[string]bool)
	for _, o := range run.Outcomes {
		reached[o.Test] = true
	}
	for _, name := range l.testNames(ctx, "^(Test|Example|Fuzz)") {
		if !reached[name] && l.job.sel.Has(name) {
			names = append(names, name)
			l.seen.Tests = append(l.seen.Tests, seenTest{Name: name, Status: runner.NotRun})
		}
	}
	if len(names) > 0 {
		l.job.app.warnf("%s: the first run of all tests ended before %s: %s", l.target.ImportPath, fewNames(names), endOf(run))
	}
}

// endOf says why a run ended early.
func endOf(run *runner.Run) string {
	if run.Exit.TimedOut {
		return fmt.Sprintf("it was stopped after %v", rounded(run.Wall))
	}
	for _, o := range run.Outcomes {
		if o.Status == runner.Crashed && o.Test != "" {
			return o.Test + " ended the process"
		}
	}
	return run.Exit.String()
}

// mostNames is how many tests are named in a sentence.
const mostNames = 5

// namesOf names tests.
func namesOf(list []*prey) string {
	var names []string
	for _, p := range list {
		names = append(names, p.name)
	}
	return fewNames(names)
}

// fewNames is a list of names, those beyond a few as their number.
func fewNames(names []string) string {
	if n := len(names) - mostNames; n > 0 {
		names = append(slices.Clone(names[:mostNames]), fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
