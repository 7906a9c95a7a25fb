package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A runJob is `fdebug run` from its flags to its reports.
type runJob struct {
	app *app

	// From the command line.
	patterns   []string
	n          int
	plain      int
	parallel   int
	budget     budget
	build      []string
	vet        string
	overlay    string
	edited     map[string][]byte // files that overlay replaces, by path from the module's root; of fix alone
	sel        runner.Selection
	instrument listFlag
	generated  bool
	traceSize  byteSize
	out        string
	note       string
	verbose    bool
	values     bool
	keep       int  // runs in the store
	flaky      bool // -flaky: the tests are taken from the history
	// experiments is how long experiments may take; below 0: as long as the runs took.
	experiments time.Duration
	kinds       kindList // of perturbation to try
	rev         string   // -changed
	ci          ciJob
	shard       shardFlags
	bundleFile  string // -bundle
	hunts       bool   // runs are made to provoke failures
	next        string // -next: the file of what is to be confirmed
	// runsIn says of which packages tests run here; nil for all.
	runsIn func(importPath string) bool

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

func (a *app) runCmd(args []string) (int, error) {
	j := &runJob{app: a, traceSize: 256 << 20}
	if err := j.parse(args); err != nil {
		return exitUsage, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	if j.next != "" {
		j.budget.whole = cmp.Or(j.budget.whole, huntBudget)
		return (&huntJob{runJob: j}).run(ctx)
	}
	return j.run(ctx)
}

// run does the work.
func (j *runJob) run(ctx context.Context) (int, error) {
	j.budget.began = time.Now()
	notes, err := readNote(j.note)
	if err != nil {
		return exitUsage, err
	}
	if err := j.ci.begin(); err != nil {
		return exitUsage, err
	}
	defer j.cleanUp()
	if err := j.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted, errors.New("interrupted before the first run")
		}
		return exitTrouble, err
	}
	if len(j.plan.Packages) == 0 {
		return j.nothingChanged()
	}
	if j.shard.part.Of > 0 {
		return j.runShard(ctx)
	}
	results, err := j.execute(ctx)
	if err != nil {
		return j.ci.finish(j.nothingRun(results, "no test ran"), exitTrouble, j.explainRun(err))
	}
	an := j.analyzer(notes)
	result, err := j.compare(ctx, an, results)
	if err != nil {
		return exitTrouble, err
	}
	s := summary{
		app: j.app, result: result, results: results, dir: j.app.show(filepath.Join(j.store.Dir, "latest")), options: j.options(),
		interrupted: ctx.Err() != nil,
	}
	if s.files, err = j.app.write(an, result); err != nil {
		s.print() // what was found out is not lost with the files
		return j.ci.finish(ciout.New(result, results), exitTrouble, err)
	}
	j.publish()
	report := ciout.New(result, results)
	report.Nothing = s.nothing(result.Executions)
	s.goOn = func() (int, error) { return j.huntOn(ctx, results, notes, report) }
	code, err := s.print()
	j.app.openReport(j.dir, result, s.files)
	return j.ci.finish(report, code, err)
}

// nothingChanged ends a run of no package.
func (j *runJob) nothingChanged() (int, error) {
	text := fmt.Sprintf("no test depends on what differs from %s: nothing was run", j.rev)
	fmt.Fprintln(j.app.stdout, text)
	return j.ci.finish(j.nothingRun(&runner.Results{}, text), exitOK, nil)
}

// compare compares the runs, makes those that record values, look for races and
// experiment, and takes in what they show.
func (j *runJob) compare(ctx context.Context, an *analyze.Analyzer, results *runner.Results) (*finding.Result, error) {
	j.app.progressf("comparing")
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
		j.app.warnf("%v", err)
	}
	return result, nil
}

// prepare instruments the packages and makes the directories.
func (j *runJob) prepare(ctx context.Context) error {
	if j.flaky {
		if err := j.chooseFlaky(ctx); err != nil {
			return err
		}
	}
	if err := j.obtain(ctx); err != nil {
		return err
	}
	if err := j.onlyChanged(ctx); err != nil || len(j.plan.Packages) == 0 {
		return err
	}
	return j.makeRunDir(ctx)
}

// analyzer returns what makes findings of the runs.
func (j *runJob) analyzer(notes string) *analyze.Analyzer {
	return &analyze.Analyzer{
		Dir: j.dir, Sites: j.plan.Sites, Meta: j.meta(), Build: j.userFlags(), Notes: notes, Warnf: j.app.warnf,
		Module: j.movedRoot(), Known: j.known(),
	}
}

func (j *runJob) meta() analyze.Meta {
	tc := j.plan.Toolchain
	return analyze.Meta{
		Command: wholeCommand(j.app.command()), Version: version(), Go: tc.GOVERSION,
		Platform: platform(tc.GOOS, tc.GOARCH), Options: j.options(), Key: j.key, Origin: &j.origin, Bundle: j.BundleID, Hunt: j.hunts,
	}
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}
