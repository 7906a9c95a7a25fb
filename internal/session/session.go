// Package session is one pipeline: it builds tests, runs them, compares the runs, makes
// experiments, and reports its progress.
package session

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A Session builds tests, runs them, compares the runs and makes experiments, in one module. Set
// the fields of the first part and call the methods in that order.
type Session struct {
	*Console

	Patterns   []string          // packages, as for go test
	N          int               // runs of each package
	Plain      int               // runs of each package without probes
	Parallel   int               // parallel processes of one package
	Beside     int               // packages that run in parallel; 0 for one
	Budget     Budget            // of time
	Flags      []string          // of the go command, for building
	Vet        string            // -vet
	Overlay    string            // -overlay
	Symbols    bool              // builds have the symbols that only debuggers read
	Edited     map[string][]byte // files that overlay replaces, by path from the module's root; only for fix
	Sel        runner.Selection  // which tests run
	Instrument []string          // packages of other modules to record too
	Generated  bool              // record generated files too
	TraceSize  int64             // limit for a trace, in bytes
	Out        string            // directory for results; "" for .fdebug in the module
	Verbose    bool
	Values     bool // whether to record values
	Keep       int  // how many runs the store keeps
	// Experiments is how long experiments may take; below 0: as long as the runs took.
	Experiments time.Duration
	Kinds       []string // kinds of perturbation to try; nil for all
	// Like are failures that were seen elsewhere, as LikeFile has them. Nothing else is looked for, if there are any.
	Like       []*runner.Seen
	LikeFile   string
	Rev        string       // only packages that differences from this revision can affect
	OnlyNew    bool         // only tests that were changed since Rev
	BundleFile string       // has the tests; "" to build them
	Unpack     func() error // sets Plan and Packed by BundleFile, and the fields that say how the tests were built
	Hunts      bool         // whether runs are made to provoke failures
	// Has reports whether a run or control run, by number, is made here; nil for all.
	Has func(n int) bool
	// Likely reports whether a test of a package is known to be flaky; nil for none.
	Likely func(importPath string) bool
	// The seeds of all runs are derived from Seed; with 0 they are different each time.
	Seed    uint64
	Command []string // as typed, for the report
	Version string   // of fdebug
	// Remember adds a run directory of a store to the history, and reports whether old runs may be removed.
	Remember func(ctx context.Context, s store.Store, dir string) bool

	// Found out on the way.
	Work   string // temporary directory for binaries and rewritten files
	Store  store.Store
	Dir    string                // of this run
	places *runner.Slots         // where all processes run
	found  []analyze.TestVerdict // the results of experiments
	Locks  []*store.Lock         // locks on Work and Dir
	Built
	Diff *change // difference from Rev; nil without Rev
	// changedTests are the tests that were changed since Rev, by import path.
	changedTests map[string][]string
	// key names this run in the history. Origin is the state of the code, according to git and
	// CI.
	key    string
	Origin provenance.Origin
}

// New returns a session that works as fdebug run does without flags, in the directory of the
// console, and keeps no history.
func New(c *Console) *Session {
	return &Session{
		Console: c, Patterns: []string{"."}, N: 50, Plain: PlainRuns(50), Parallel: 1, Beside: runtime.GOMAXPROCS(0),
		TraceSize: 256 << 20, Values: true, Keep: store.Keep, Experiments: -1,
		Remember: func(context.Context, store.Store, string) bool { return true },
	}
}

// NewLab returns a session for experiments alone: packages run once before, and traces are small.
func NewLab(c *Console) *Session {
	s := New(c)
	s.N, s.Plain, s.TraceSize = 1, 0, labTraces
	return s
}

// PlainRuns is how many runs without probes go with n recorded ones, if nobody says.
func PlainRuns(n int) int { return max(3, n/10) }

// Takes reports whether a kind of perturbation was chosen.
func (j *Session) Takes(kind string) bool { return j.Kinds == nil || slices.Contains(j.Kinds, kind) }

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
			j.makeExperiments(ctx, an, r, results)
			j.lookForRaces(ctx, r, results)
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
	j.changedFirst(result)
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
		Module: j.movedRoot(), Exported: j.TracedBuild(j.Work).Exported, // compiled already
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
		Unrecorded: j.Plan.Unrecorded, Bare: j.Plan.Bare,
	}
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}

// Source reads a file of the module, by its path in the site table.
func (j *Session) Source(name string) ([]byte, error) {
	if text, ok := j.Edited[name]; ok {
		return text, nil
	}
	return analyze.ReadSource(filepath.Join(j.Here(j.Plan.Sites.Root), filepath.FromSlash(name)))
}
