// Package session is one pipeline: it builds tests, runs them, compares the runs, makes
// experiments, and reports its progress.
package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A Session builds tests, runs them, compares the runs and makes experiments, in one module. Set
// Config and Hooks, and call the methods in that order.
type Session struct {
	*Console
	Config
	Hooks
	Made
}

// Hooks are questions that a session asks others.
type Hooks struct {
	Unpack func() error     // sets Plan and Packed by BundleFile, and the fields that say how the tests were built
	Has    func(n int) bool // whether a run or control run, by number, is made here; nil for all
	// Likely reports whether a test of a package is known to be flaky; nil for none.
	Likely func(importPath string) bool
	// Remember adds a run directory of a store to the history, and reports whether old runs may be removed.
	Remember func(ctx context.Context, s store.Store, dir string) bool
}

// Made has the directories, the builds and the state of a session so far.
type Made struct {
	Work   string // temporary directory for binaries and rewritten files
	Store  store.Store
	Dir    string        // of this run
	places *runner.Slots // where all processes run
	Locks  []*store.Lock // locks on Work and Dir
	Built
	Diff         *change             // difference from Rev; nil without Rev
	changedTests map[string][]string // since Rev, by import path
	key          string              // of this run in the history
	Origin       provenance.Origin   // the state of the code, according to git and CI
}

// Prepare instruments the packages, and leaves out those that changes can't affect.
func (j *Session) Prepare(ctx context.Context) error {
	if err := j.Obtain(ctx); err != nil {
		return err
	}
	if err := j.OnlyChanged(ctx); err != nil || len(j.Plan.Packages) == 0 {
		return err
	}
	return j.MakeRunDir(ctx)
}

// Compare compares the runs, makes those that record values, look for races and experiment, and
// adds their results.
func (j *Session) Compare(ctx context.Context, an *analyze.Analyzer, results *runner.Results) (*finding.Result, error) {
	return j.Find(ctx, an, results, func(r *finding.Result) { j.recordValues(ctx, an, r, results) },
		func(r *finding.Result) error {
			j.lookForRaces(ctx, r, results, j.makeExperiments(ctx, an, r, results))
			return nil
		})
}

// Find turns runs into findings: those of a run, or of the experiments of a hunt. First come values, if there are runs
// to record them, then experiments, if these were not made before. What they have kept is in the result.
func (j *Session) Find(ctx context.Context, an *analyze.Analyzer, results *runner.Results, values func(*finding.Result),
	experiments func(*finding.Result) error) (*finding.Result, error) {
	j.Phasef("comparing")
	defer j.Clear()
	comparing, cancel := Comparing(ctx)
	defer cancel()
	result, err := an.Result(comparing, results)
	if err != nil {
		return nil, err
	}
	result.Warnings = append(result.Warnings, j.Packed.Notes...)
	values(result)
	comparing, cancel = Comparing(ctx)
	defer cancel()
	if err := an.AddValues(comparing, result); err != nil {
		return nil, err
	}
	if err := experiments(result); err != nil {
		return nil, err
	}
	closing, cancel := exit.Closing(ctx)
	defer cancel()
	an.Conclude(closing, result)
	result.Elapsed = time.Since(j.Budget.Began)
	results.Elapsed = result.Elapsed
	if err := runner.Finish(j.Dir, results); err != nil {
		j.Warnf("%v", err)
	}
	return result, nil
}

// Analyzer returns an analyzer that turns the runs into findings.
func (j *Session) Analyzer(notes string) *analyze.Analyzer {
	an := &analyze.Analyzer{
		Dir: j.Dir, Sites: j.Plan.Sites, Meta: j.Meta(), Build: j.UserFlags(), Notes: notes, Warnf: j.Warnf,
		Module: j.movedRoot(), Replaced: j.replaced,
		Exported: j.TracedBuild(j.Work).Exported, // compiled already
	}
	if j.Packed.Known != nil {
		an.Known = j.Packed.Known()
	}
	return an
}

func (j *Session) Meta() analyze.Meta {
	tc := j.Plan.Toolchain
	return analyze.Meta{
		Command: j.Command, Version: j.Version, Go: tc.GOVERSION,
		Platform: platform(tc.GOOS, tc.GOARCH), Options: j.Options(), Key: j.key, Origin: &j.Origin, Hunt: j.Hunts,
		Bare: j.Plan.Bare,
	}
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

// Source reads a file of the module, by its path in the site table.
func (j *Session) Source(name string) ([]byte, error) {
	file := filepath.Join(j.Here(j.Plan.Sites.Root), filepath.FromSlash(name))
	return analyze.ReadSource(cmp.Or(j.replaced[file], file))
}
