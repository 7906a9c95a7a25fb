package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// execute builds and runs the tests.
func (j *runJob) execute(ctx context.Context) (*runner.Results, error) {
	r, err := j.newRunner(filepath.Join(j.work, "bin"))
	if err != nil {
		return nil, err
	}
	j.shard.divide(r)
	show := j.newProgress(j.verbose)
	defer show.close()
	r.Report = func(e runner.Event) {
		show.event(e)
		j.ci.event(e)
	}
	results, err := r.Run(ctx)
	if err != nil {
		return results, err
	}
	for _, p := range results.Packages {
		if text := j.budget.eaten(p.Plain, p.Traced); text != "" {
			show.close()
			j.app.progressf("%s", text)
		}
	}
	return results, nil
}

// newRunner returns a runner for the plan at hand, with its binaries in a
// directory of that name.
func (j *runJob) newRunner(bin string) (*runner.Runner, error) {
	plain, traced := filepath.Join(bin, "plain"), filepath.Join(bin, "traced")
	for _, dir := range []string{plain, traced} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	compact := trace.Compact
	var recycle func(string) error
	var pin func(string, uint64) error
	if j.plan.Shadow != nil {
		pin = pinned
		if runtime.GOOS == "linux" {
			recycle = trace.Recycle
		}
		compact = trace.CompactMoved(j.plan.Shadow.GOROOT, j.plan.Toolchain.GOROOT)
	}
	r := &runner.Runner{
		Plain:    j.plainBuild(plain),
		Traced:   j.tracedBuild(traced),
		N:        j.n,
		Controls: j.plain,
		Select:   j.sel,
		Parallel: j.parallel,
		Deadline: j.budget.runs(),
		Dir:      j.dir,
		Compact:  compact,
		Recycle:  recycle,
		Pin:      pin,
		Exec: runner.Exec{
			Env: j.testEnv(), TraceBudget: int64(j.traceSize), Limit: j.limit(),
			Modules: j.plan.Modules, Root: j.plan.Sites.Root,
			Moved: j.moved(), Here: j.hereFunc(),
		},
	}
	for _, p := range j.plan.Packages {
		r.Packages = append(r.Packages, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
	}
	return r, nil
}

// limit is how long one run may take. With -timeout the test binary itself
// keeps the time, and fdebug only steps in if it does not.
func (j *runJob) limit() time.Duration {
	if j.sel.Timeout > 0 {
		return j.sel.Timeout + 30*time.Second
	}
	return runner.DefaultLimit
}

// testEnv is the environment go test gives to tests.
func (j *runJob) testEnv() []string {
	if j.bundle != nil { // its GOROOT is that of another machine
		return os.Environ()
	}
	goroot := j.plan.Toolchain.GOROOT
	return append(os.Environ(), "GOROOT="+goroot,
		"PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// explainRun adds hints to what can go wrong with all packages.
func (j *runJob) explainRun(err error) error {
	switch {
	case errors.Is(err, runner.ErrNoTests):
		word, _, _ := strings.Cut(strings.Trim(j.sel.Run, "^$"), "/")
		hints := didYouMean(strings.Trim(word, "^$"), testNames(j.plan.Sites))
		return withHint(err, append(hints, "-run takes a regular expression, as for go test: -run '^TestDrain$/case'")...)
	case errors.Is(err, runner.ErrBudget):
		return withHint(err, fmt.Sprintf("of -budget %v, %v are for building and for runs: give more, or run fewer tests, as -run '^TestDrain$' does", j.budget.whole, rounded(j.budget.whole*2/3)))
	case isVetted(err):
		return withHint(err, vetHint)
	}
	return err
}

// testNames returns the names of functions that can be tests.
func testNames(sites *trace.Sites) []string {
	var names []string
	for _, f := range sites.Funcs {
		if !strings.HasSuffix(sites.Files[f.File].Path, "_test.go") || strings.ContainsAny(f.Name, ".(") || f.Name == "TestMain" {
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

// pinned writes the plan of a recorded run, whose random choices follow from a seed.
func pinned(file string, seed uint64) error {
	return (&perturb.Plan{Acts: perturb.Pins(seed)}).WriteFile(file)
}
