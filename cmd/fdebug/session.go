package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A session builds tests, runs them, compares the runs and makes experiments, in one
// module. Set the fields of the first part and call the methods in that order.
type session struct {
	*console

	patterns   []string          // of packages, as for go test
	n          int               // runs of each package
	plain      int               // of each package without probes
	parallel   int               // processes of a package side by side
	budget     budget            // of time
	flags      []string          // of the go command, for building
	vet        string            // -vet
	overlay    string            // -overlay
	edited     map[string][]byte // files that overlay replaces, by path from the module's root; of fix alone
	sel        runner.Selection  // of tests
	instrument []string          // packages of other modules to record too
	generated  bool              // record generated files too
	traceSize  int64             // bounds a trace, in bytes
	out        string            // where results go, "" for .fdebug in the module
	verbose    bool
	values     bool // record values
	keep       int  // runs in the store
	// experiments is how long experiments may take; below 0: as long as the runs took.
	experiments time.Duration
	kinds       []string // of perturbation to try, nil for all
	rev         string   // only packages that what differs from it can affect
	bundleFile  string   // the bundle that has the tests, "" to build them
	hunts       bool     // runs are made to provoke failures
	// runsIn says of which packages tests run here; nil for all.
	runsIn func(importPath string) bool
	// has says which of the runs and control runs, by number, are made here; nil for all.
	has func(n int) bool
	// noPlain says that no binary without probes runs here.
	noPlain bool
	// seed is what the seeds of all runs follow from; 0 for others each time.
	seed    uint64
	command []string // as typed, for the report
	version string   // of fdebug
	// remember adds a run directory of a store to the history, and reports whether old runs may be removed.
	remember func(s store.Store, dir string) bool

	// Found out on the way.
	work  string // temporary directory for binaries and rewritten files
	store store.Store
	dir   string        // of this run
	locks []*store.Lock // on work and dir
	built
	diff *change // from rev, nil without
	// key names this run in the history; origin is the state of the code, by git and CI.
	key    string
	origin provenance.Origin
}

// takes reports whether a kind of perturbation was chosen.
func (j *session) takes(kind string) bool { return kindList(j.kinds).has(kind) }

// prepare instruments the packages, and leaves out those that what changed can't affect.
func (j *session) prepare(ctx context.Context) error {
	if err := j.obtain(ctx); err != nil {
		return err
	}
	if err := j.onlyChanged(ctx); err != nil || len(j.plan.Packages) == 0 {
		return err
	}
	return j.makeRunDir(ctx)
}

// compare compares the runs, makes those that record values, look for races and
// experiment, and takes in what they show.
func (j *session) compare(ctx context.Context, an *analyze.Analyzer, results *runner.Results) (*finding.Result, error) {
	j.progressf("comparing")
	began := time.Now()
	j.budget.ran = results.Elapsed
	comparing, cancel := j.budget.comparing(ctx)
	defer cancel()
	result, err := an.Result(comparing, results)
	if err != nil {
		return nil, err
	}
	j.budget.compared = time.Since(began)
	result.Warnings = append(result.Warnings, j.notes()...)
	j.recordValues(ctx, an, result, results)
	comparing, cancel = j.budget.comparing(ctx)
	defer cancel()
	if err := an.Complete(comparing, result); err != nil {
		return nil, err
	}
	j.makeExperiments(ctx, an, result, results)
	j.lookForRaces(ctx, result, results)
	an.Conclude(result)
	j.changedFirst(result)
	result.Elapsed = time.Since(j.budget.began)
	results.Elapsed = result.Elapsed
	if err := runner.Finish(j.dir, results); err != nil {
		j.warnf("%v", err)
	}
	return result, nil
}

// analyzer returns what makes findings of the runs.
func (j *session) analyzer(notes string) *analyze.Analyzer {
	return &analyze.Analyzer{
		Dir: j.dir, Sites: j.plan.Sites, Meta: j.meta(), Build: j.userFlags(), Notes: notes, Warnf: j.warnf,
		Module: j.movedRoot(), Known: j.known(),
	}
}

func (j *session) meta() analyze.Meta {
	tc := j.plan.Toolchain
	return analyze.Meta{
		Command: j.command, Version: j.version, Go: tc.GOVERSION,
		Platform: platform(tc.GOOS, tc.GOARCH), Options: j.options(), Key: j.key, Origin: &j.origin, Bundle: j.BundleID, Hunt: j.hunts,
	}
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

// source reads a file of the module, by its path in the site table.
func (j *session) source(name string) ([]byte, error) {
	return analyze.ReadSource(filepath.Join(j.here(j.plan.Sites.Root), filepath.FromSlash(name)))
}
