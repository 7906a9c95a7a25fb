package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// Execute builds and runs the tests. It calls also for each step.
func (j *Session) Execute(ctx context.Context, also func(runner.Event)) (*runner.Results, error) {
	r, err := j.newRunner(filepath.Join(j.Work, "bin"))
	if err != nil {
		return nil, err
	}
	r.Stop, r.First, r.Likely = j.Budget.Stop(), j.Budget.Late(), j.likely
	if j.Builds() {
		j.Phasef("building and running %s", text.Plural(len(r.Packages), "package"))
	}
	defer j.Clear()
	round := false
	r.Report = func(e runner.Event) {
		j.tell(e)
		also(e)
		if e.Begun == e.Packages && e.Done > 0 && !round && e.Packages > 1 {
			round = true
			j.Progressf("%s", j.firstRound(&e.Progress))
		}
	}
	return r.Run(ctx)
}

// firstRound sums up the first run of each package.
func (j *Session) firstRound(p *runner.Progress) string {
	return fmt.Sprintf("each of %s was run once in %v, %s failed; now up to %s of each",
		text.Plural(p.Packages, "package"), text.Rounded(p.Elapsed), text.Plural(p.Failed, "run"),
		text.Plural(j.N, "run"))
}

// newRunner returns a runner for the current plan, with its binaries in the given directory.
func (j *Session) newRunner(bin string) (*runner.Runner, error) {
	plain, traced := filepath.Join(bin, "plain"), filepath.Join(bin, "traced")
	for _, dir := range []string{plain, traced} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	var recycle func(string) error
	if j.Plan.Toolchain.GOOS == "linux" {
		recycle = trace.Recycle
	}
	r := &runner.Runner{
		Plain:    j.PlainBuild(plain),
		Traced:   j.TracedBuild(traced),
		N:        j.N,
		Controls: j.Plain,
		Select:   j.Sel,
		Slots:    j.slots(),
		Deadline: j.runsEnd(),
		Dir:      j.Dir,
		Compact:  trace.Compact,
		Recycle:  recycle,
		Pin:      pinned,
		Clocked:  j.readsClock,
		Seed:     j.Seed,
		Has:      j.Has,
		Exec:     j.exec(),
	}
	for _, p := range j.Plan.Packages {
		r.Packages = append(r.Packages, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
	}
	return r, nil
}

// slots returns where the processes of the session run.
func (j *Session) slots() *runner.Slots {
	if j.places == nil {
		each := max(j.Parallel, 1)
		j.places = &runner.Slots{Most: each * max(j.Beside, 1), Each: each}
	}
	return j.places
}

// runsEnd returns when the runs of the first build end. A shard leaves all else to the merge.
func (j *Session) runsEnd() time.Time {
	if j.Has == nil && (j.Values || j.Experiments != 0) {
		return j.Budget.Runs()
	}
	return j.Budget.Late()
}

// exec returns the template for all runs.
func (j *Session) exec() runner.Exec {
	return runner.Exec{
		Suites: j.specs.suites, Env: j.testEnv(), TraceBudget: j.TraceSize, Limit: runner.DefaultLimit,
		Modules: j.Plan.Modules, Root: j.Plan.Sites.Root, Moved: j.Packed.Moved, Here: j.Here,
		Instead: j.Machine.Run,
	}
}

// testEnv returns the environment that go test gives to tests.
func (j *Session) testEnv() []string {
	if !j.Builds() { // GOROOT is on another machine
		return os.Environ()
	}
	goroot := j.Plan.Toolchain.GOROOT
	return append(os.Environ(), "GOROOT="+goroot,
		"PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// ExplainRun adds hints to errors that concern all packages.
func (j *Session) ExplainRun(err error) error {
	switch {
	case errors.Is(err, runner.ErrNoTests):
		word, _, _ := strings.Cut(strings.Trim(j.Sel.Run, "^$"), "/")
		hints := advice.DidYouMean(strings.Trim(word, "^$"), testNames(j.Plan.Sites))
		return advice.With(err, append(hints,
			"-run takes a regular expression, as for go test: -run '^TestDrain$/case'")...)
	case errors.Is(err, runner.ErrBudget):
		return advice.With(err, fmt.Sprintf(
			"of -budget %v, %v are for building and a first run: a longer one, or fewer tests",
			j.Budget.Whole, j.Budget.Whole*lateShare/100), "-timeout 30s shows where a test hangs")
	case IsVetted(err):
		return advice.With(err, VetHint)
	}
	return err
}

// testNames returns the names of functions that can be tests.
func testNames(sites *trace.Sites) []string {
	var names []string
	for _, f := range sites.Funcs {
		if !strings.HasSuffix(sites.Files[f.File].Path, "_test.go") || strings.ContainsAny(f.Name, ".(") ||
			f.Name == "TestMain" {
			continue
		}
		for _, prefix := range []string{"Test", "Example", "Fuzz"} {
			if strings.HasPrefix(f.Name, prefix) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// pinned writes the plan of a recorded run whose random choices follow from a seed. The first one of a
// package lists where it reads the clock, which takes some time of each reading.
func pinned(file string, seed uint64, first bool) error {
	plan := freedom.Plan{Acts: freedom.Pins(seed)}
	if first {
		plan.Acts = append(plan.Acts, freedom.Step{Kind: trace.ActClock})
	}
	return plan.WriteFile(file)
}

var clockRE = regexp.MustCompile(`(?i:\bnow)\(|\b(Since|Until)\(`)

// readsClock reports whether the run of a trace read the clock in a line with a call such as now(). Where no line has
// one, a library reads the clock for itself, which does not count.
func (j *Session) readsClock(name string) bool {
	t, err := trace.Open(name)
	if err != nil {
		return false
	}
	defer t.Close()
	return slices.ContainsFunc(t.Draws, func(d trace.Draw) bool {
		span, ok := j.Plan.Sites.Pos(int(d.Block))
		if d.Kind != trace.ActClock || !ok {
			return false
		}
		src, err := j.Source(span.File)
		return err == nil && clockRE.MatchString(span.Text(src))
	})
}

// VetHint is the advice for a package that go vet objects to.
const VetHint = "-vet=off runs the tests all the same"

func IsVetted(err error) bool {
	var b *runner.BuildError
	return errors.As(err, &b) && b.Vetted()
}
