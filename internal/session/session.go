// Package session is one pipeline: it builds tests, runs them, compares the runs, makes
// experiments, and says on the way what it does.
package session

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A Session builds tests, runs them, compares the runs and makes experiments, in one
// module. Set the fields of the first part and call the methods in that order.
type Session struct {
	*Console

	Patterns   []string          // of packages, as for go test
	N          int               // runs of each package
	Plain      int               // of each package without probes
	Parallel   int               // processes of a package side by side
	Beside     int               // packages that run side by side, 0 for one
	Budget     Budget            // of time
	Flags      []string          // of the go command, for building
	Vet        string            // -vet
	Overlay    string            // -overlay
	Edited     map[string][]byte // files that overlay replaces, by path from the module's root; of fix alone
	Sel        runner.Selection  // of tests
	Instrument []string          // packages of other modules to record too
	Generated  bool              // record generated files too
	TraceSize  int64             // bounds a trace, in bytes
	Out        string            // where results go, "" for .fdebug in the module
	Verbose    bool
	Values     bool // record values
	Keep       int  // runs in the store
	// Experiments is how long experiments may take; below 0: as long as the runs took.
	Experiments time.Duration
	Kinds       []string // of perturbation to try, nil for all
	Rev         string   // only packages that what differs from it can affect
	OnlyNew     bool     // only tests that were changed since Rev
	BundleFile  string   // the bundle that has the tests, "" to build them
	Hunts       bool     // runs are made to provoke failures
	// RunsIn says of which packages tests run here; nil for all.
	RunsIn func(importPath string) bool
	// Has says which of the runs and control runs, by number, are made here; nil for all.
	Has func(n int) bool
	// Likely reports whether a test of a package is known to be flaky; nil for none.
	Likely func(importPath string) bool
	// NoPlain says that no binary without probes runs here.
	NoPlain bool
	// Seed is what the seeds of all runs follow from; 0 for others each time.
	Seed    uint64
	Command []string // as typed, for the report
	Version string   // of fdebug
	// Remember adds a run directory of a store to the history, and reports whether old runs may be removed.
	Remember func(s store.Store, dir string) bool

	// Found out on the way.
	Work     string // temporary directory for binaries and rewritten files
	Store    store.Store
	Dir      string        // of this run
	places   *runner.Slots // where all processes run
	evidence *shown        // by experiments
	Locks    []*store.Lock // on work and dir
	Built
	Diff *change // from Rev, nil without
	// changedTests are the tests that were changed since Rev, by import path.
	changedTests map[string][]string
	// key names this run in the history; origin is the state of the code, by git and CI.
	key    string
	Origin provenance.Origin
}

// Takes reports whether a kind of perturbation was chosen.
func (j *Session) Takes(kind string) bool { return j.Kinds == nil || slices.Contains(j.Kinds, kind) }

// Prepare instruments the packages, and leaves out those that what changed can't affect.
func (j *Session) Prepare(ctx context.Context) error {
	if err := j.Obtain(ctx); err != nil {
		return err
	}
	if err := j.OnlyChanged(ctx); err != nil || len(j.Plan.Packages) == 0 {
		return err
	}
	return j.MakeRunDir(ctx)
}

// Compare compares the runs, makes those that record values, look for races and
// experiment, and takes in what they show.
func (j *Session) Compare(ctx context.Context, an *analyze.Analyzer, results *runner.Results) (*finding.Result, error) {
	j.Phasef("comparing")
	defer j.Clear()
	began := time.Now()
	j.Budget.Ran = results.Elapsed
	comparing, cancel := j.Budget.Comparing(ctx)
	defer cancel()
	result, err := an.Result(comparing, results)
	if err != nil {
		return nil, err
	}
	j.Budget.Compared = time.Since(began)
	result.Warnings = append(result.Warnings, j.Notes()...)
	j.recordValues(ctx, an, result, results)
	comparing, cancel = j.Budget.Comparing(ctx)
	defer cancel()
	if err := an.Complete(comparing, result); err != nil {
		return nil, err
	}
	j.makeExperiments(ctx, an, result, results)
	j.lookForRaces(ctx, result, results)
	an.Conclude(result)
	j.changedFirst(result)
	result.Elapsed = time.Since(j.Budget.Began)
	results.Elapsed = result.Elapsed
	if err := runner.Finish(j.Dir, results); err != nil {
		j.Warnf("%v", err)
	}
	return result, nil
}

// Analyzer returns what makes findings of the runs.
func (j *Session) Analyzer(notes string) *analyze.Analyzer {
	return &analyze.Analyzer{
		Dir: j.Dir, Sites: j.Plan.Sites, Meta: j.Meta(), Build: j.UserFlags(), Notes: notes, Warnf: j.Warnf,
		Module: j.movedRoot(), Known: j.known(),
	}
}

func (j *Session) Meta() analyze.Meta {
	tc := j.Plan.Toolchain
	return analyze.Meta{
		Command: j.Command, Version: j.Version, Go: tc.GOVERSION,
		Platform: platform(tc.GOOS, tc.GOARCH), Options: j.Options(), Key: j.key, Origin: &j.Origin, Bundle: j.BundleID, Hunt: j.Hunts,
		Unrecorded: j.Plan.Unrecorded,
	}
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

// Source reads a file of the module, by its path in the site table.
func (j *Session) Source(name string) ([]byte, error) {
	return analyze.ReadSource(filepath.Join(j.Here(j.Plan.Sites.Root), filepath.FromSlash(name)))
}
