package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace/instrument"
)

// reruns is how often each side runs a package again if the sides differ.
const reruns = 3

// A suite compares the test suites of some packages with and without probes.
type suite struct {
	dir        string   // of the module
	patterns   []string // of packages
	buildFlags []string
	widen      []string // as instrument.Config.Instrument
	skip       string
	lines      bool // whether to compare lines with cmd/cover
	generated  bool // whether to put probes into generated files
	inside     bool // whether to put positions inside statements
	long       bool // without -short
	sum        bool // whether to omit the rows of single packages
	limit      time.Duration
	whole      bool // the packages are those of packages.txt, for which the exceptions are made
	exceptions exceptions
	progress   io.Writer

	kinds []string // kinds of perturbation to try; nil to compare runs with probes and without
	draws int      // how many doses of a kind depend on the seed
	seed  uint64

	// State for running.
	work string // temporary directory
	plan *instrument.Plan
}

// A result is the comparison of one package.
type result struct {
	pkg         string
	tests       int          // tests and subtests that either side has
	same        int          // how many have one outcome, the same on both sides
	different   []difference // the others, sorted by name
	stale       []exception  // exceptions that did not differ
	events      int64        // of the first traced run
	plain       time.Duration
	traced      time.Duration
	lines       *lineResult // nil if they were not compared
	unsupported string      // why the package was not compared: it does not build without probes either
}

// prepare makes the instrumented files.
func (s *suite) prepare(ctx context.Context) error {
	var err error
	s.plan, err = instrument.Prepare(ctx, instrument.Config{
		Dir: s.dir, Patterns: s.patterns, BuildFlags: s.buildFlags, Instrument: s.widen, Generated: s.generated,
		Out: filepath.Join(s.work, "instrumented"),
	})
	if err != nil {
		return err
	}
	for _, w := range s.plan.Warnings {
		fmt.Fprintln(s.progress, "note:", w)
	}
	if s.inside {
		return s.splitStatements(ctx)
	}
	return nil
}

// run compares all packages.
func (s *suite) run(ctx context.Context) (results []*result, err error) {
	for i, p := range s.plan.Packages {
		fmt.Fprintf(s.progress, "[%d/%d] %s", i+1, len(s.plan.Packages), p.ImportPath)
		r, err := s.compare(ctx, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
		if err != nil {
			fmt.Fprintln(s.progress)
			return nil, fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		fmt.Fprintf(s.progress, ": %d tests, %d the same\n", r.tests, r.same)
		for _, d := range r.different[:min(len(r.different), 20)] {
			fmt.Fprintf(s.progress, "\t%s\n", d)
		}
		results = append(results, r)
	}
	return results, nil
}

// compare compares one package.
func (s *suite) compare(ctx context.Context, target runner.Target) (*result, error) {
	r := &result{pkg: target.ImportPath}
	dir, err := os.MkdirTemp(s.work, "package-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	plain := &side{suite: s, dir: dir, build: s.plainBuild(dir)}
	traced := &side{suite: s, dir: dir, build: s.tracedBuild(dir), traced: true, budget: traceBudget}
	if err := plain.make(ctx, target); err != nil {
		r.unsupported = firstLine(err)
		return r, ctx.Err()
	}
	if err := traced.make(ctx, target); err != nil {
		r.tests, r.different = 1, []difference{{test: test{name: "(build)"}, detail: firstLine(err)}}
		return r, ctx.Err()
	}
	if err := s.compareOutcomes(ctx, r, plain, traced); err != nil {
		return nil, err
	}
	r.events, r.plain, r.traced = traced.events, plain.first, traced.first
	if !s.lines {
		return r, nil
	}
	if r.lines, err = s.compareLines(ctx, dir, target, traced); err == nil && s.whole {
		r.stale = append(r.stale, s.exceptions.staleLines(r.pkg, r.lines)...)
	}
	return r, err
}

// compareOutcomes runs the whole package, again if there are differences, and then only the tests
// that still differ, because another test may have ended the process each time.
func (s *suite) compareOutcomes(ctx context.Context, r *result, plain, traced *side) error {
	seen := newObservations()
	both := func(alone []string) error {
		for _, one := range []*side{plain, traced} {
			run, err := one.run(ctx, alone)
			if err != nil {
				return err
			}
			seen.add(one.traced, run, len(alone) > 0)
		}
		return nil
	}
	for n := 0; n == 0 || n <= reruns && len(seen.differing()) > 0; n++ {
		if err := both(nil); err != nil {
			return err
		}
	}
	for range reruns {
		alone := seen.unsettled()
		if len(alone) == 0 {
			break
		}
		if err := both(alone); err != nil {
			return err
		}
	}
	if seen.conclude(r, s.exceptions); !s.whole {
		r.stale = nil // which functions are inlined depends on the packages that have probes
	}
	return nil
}

func (s *suite) plainBuild(dir string) *runner.Build {
	return &runner.Build{GoCmd: "go", Dir: s.dir, Flags: append([]string{"-vet=off"}, s.buildFlags...), Out: dir}
}

func (s *suite) tracedBuild(dir string) *runner.Build {
	return &runner.Build{
		GoCmd: s.plan.Shadow.Go(), Env: s.plan.Shadow.Env(), Dir: s.plan.BuildDir(s.dir),
		Flags: s.buildFlags, Overlay: s.plan.Overlay, Out: dir,
	}
}

// exec returns the template for the runs of both sides.
func (s *suite) exec(bin *runner.Binary) *runner.Exec {
	goroot := s.plan.Toolchain.GOROOT
	return &runner.Exec{
		Binary: bin,
		Select: runner.Selection{Short: !s.long, Skip: s.skip},
		Limit:  s.limit,
		Env: append(os.Environ(), "GOROOT="+goroot,
			"PATH="+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH")),
		Modules: s.plan.Modules, Root: s.plan.Sites.Root,
	}
}
