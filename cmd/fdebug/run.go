package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A runner of tests that hangs must not hang for ever, and a run that is not
// asked to be longer than go test allows is not.
const defaultTimeout = 10 * time.Minute

// A runJob is `fdebug run` from its flags to its reports.
type runJob struct {
	app *app

	// From the command line.
	patterns   []string
	n          int
	plain      int
	parallel   int
	budget     time.Duration
	build      []string
	overlay    string
	sel        runner.Selection
	instrument listFlag
	generated  bool
	traceSize  byteSize
	out        string
	note       string
	verbose    bool

	// Found out on the way.
	work  string // temporary directory for binaries and rewritten files
	store store.Store
	dir   string // of this run
	plan  *instrument.Plan
}

func (a *app) runCmd(args []string) (int, error) {
	j := &runJob{app: a, traceSize: 256 << 20}
	if err := j.parse(args); err != nil {
		return exitUsage, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	return j.run(ctx)
}

func (j *runJob) parse(args []string) error {
	fs := newFlagSet("run")
	fs.IntVar(&j.n, "n", 50, "")
	fs.IntVar(&j.plain, "plain", -1, "")
	fs.IntVar(&j.parallel, "p", 1, "")
	fs.DurationVar(&j.budget, "budget", 0, "")
	fs.StringVar(&j.out, "o", "", "")
	fs.StringVar(&j.note, "note", "", "")
	fs.StringVar(&j.overlay, "overlay", "", "")
	fs.StringVar(&j.app.dir, "C", j.app.dir, "")
	fs.Var(&j.instrument, "instrument", "")
	fs.BoolVar(&j.generated, "generated", false, "")
	fs.BoolVar(&j.verbose, "v", false, "")
	fs.Var(&j.traceSize, "trace-budget", "")
	fs.buildFlags(&j.build)
	fs.testFlags(&j.sel)
	patterns, err := fs.parse(args)
	if err != nil {
		return err
	}
	j.patterns, j.sel.Extra = patterns, fs.rest
	if len(j.patterns) == 0 {
		j.patterns = []string{"."}
	}
	return j.check()
}

// check refuses values that make no sense.
func (j *runJob) check() error {
	switch {
	case j.n < 1:
		return withHint(usagef("-n %d: want at least 1 run", j.n), "one run cannot show that a test is flaky; try -n 50")
	case j.parallel < 1:
		return usagef("-p %d: want at least 1", j.parallel)
	case j.budget < 0:
		return usagef("-budget %s: want a positive duration", j.budget)
	}
	if j.plain < 0 {
		j.plain = max(5, j.n/5)
	}
	if j.app.dir != "" {
		if info, err := os.Stat(j.app.dir); err != nil || !info.IsDir() {
			return usagef("-C %s: no such directory", j.app.dir)
		}
	}
	return nil
}

// run does the work.
func (j *runJob) run(ctx context.Context) (int, error) {
	if err := j.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return exitInterrupted, errors.New("interrupted before the first run")
		}
		return exitTrouble, err
	}
	defer os.RemoveAll(j.work)
	results, err := j.execute(ctx)
	if err != nil {
		return exitTrouble, err
	}
	an := &analyst{dir: j.dir, sites: j.plan.Sites, command: j.app.args, plan: j.plan, selection: j.describe(), warnf: j.app.warnf}
	if an.notes, err = readNote(j.note); err != nil {
		return exitUsage, err
	}
	result, err := an.result(results)
	if err != nil {
		return exitTrouble, err
	}
	if err := an.write(result); err != nil {
		return exitTrouble, err
	}
	if err := j.store.SetLatest(j.dir); err != nil {
		j.app.warnf("%v", err)
	}
	if err := j.store.Prune(); err != nil {
		j.app.warnf("%v", err)
	}
	s := summary{app: j.app, result: result, results: results, dir: filepath.Join(j.store.Dir, "latest"), base: j.base(), selected: j.sel.Run}
	return s.print()
}

// describe says with which flags the tests ran, for the report.
func (j *runJob) describe() []string { return append(append([]string{}, j.build...), j.sel.Extra...) }

// base returns the directory that paths are shown relative to.
func (j *runJob) base() string {
	wd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return wd
}

// prepare instruments the packages and makes the directories.
func (j *runJob) prepare(ctx context.Context) error {
	dir, err := filepath.Abs(j.app.dir)
	if err != nil {
		return err
	}
	if j.work, err = os.MkdirTemp("", "fdebug-"); err != nil {
		return err
	}
	j.app.progressf("instrumenting %s", strings.Join(j.patterns, " "))
	cache, err := os.UserCacheDir()
	if err != nil {
		return withHint(err, "fdebug keeps a patched copy of the Go runtime there; set XDG_CACHE_HOME or HOME")
	}
	j.plan, err = instrument.Prepare(ctx, instrument.Config{
		Dir: dir, Patterns: j.patterns, BuildFlags: j.build, Instrument: j.instrument,
		Generated: j.generated, Overlay: j.overlay,
		Out: filepath.Join(j.work, "instrumented"), Cache: filepath.Join(cache, "fdebug"),
	})
	if err != nil {
		return explainPrepare(err)
	}
	for _, w := range j.plan.Warnings {
		j.app.warnf("%v", w)
	}
	if len(j.plan.Packages) == 0 {
		return withHint(fmt.Errorf("no test files in %s", strings.Join(j.patterns, " ")), "packages are named as for go test: ./... for all below this directory")
	}
	return j.makeRunDir()
}

// makeRunDir makes the directory for the results.
func (j *runJob) makeRunDir() error {
	j.store.Dir = j.out
	if j.out == "" {
		j.store.Dir = filepath.Join(j.plan.Toolchain.ModuleRoot(), store.Name)
	}
	dir, err := j.store.Create(time.Now())
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return withHint(err, "the module directory cannot be written to; -o DIR puts the results elsewhere")
		}
		return err
	}
	j.dir = dir
	return j.plan.Sites.WriteFile(filepath.Join(dir, "sites.json"))
}

// explainPrepare adds hints to what can go wrong before anything is built.
func explainPrepare(err error) error {
	switch {
	case errors.Is(err, instrument.ErrNoModule):
		return withHint(err, "run fdebug in the directory of your module, or use -C DIR")
	case errors.Is(err, instrument.ErrNoPackages):
		return withHint(err, "packages are named as for go test: ./... for all below this directory")
	}
	return err
}

// execute builds and runs the tests.
func (j *runJob) execute(ctx context.Context) (*runner.Results, error) {
	dir, err := filepath.Abs(j.app.dir)
	if err != nil {
		return nil, err
	}
	limit := j.sel.Timeout
	if limit == 0 {
		limit = defaultTimeout
	}
	r := &runner.Runner{
		Plain:    &runner.Build{GoCmd: "go", Dir: dir, Flags: j.build, Overlay: j.overlay, Out: filepath.Join(j.work, "plain")},
		Traced:   &runner.Build{GoCmd: j.plan.Farm.Go(), Env: j.plan.Farm.Env(), Dir: dir, Flags: append([]string{"-vet=off"}, j.build...), Overlay: j.plan.Overlay, Out: filepath.Join(j.work, "traced")},
		Compact:  trace.Compact,
		N:        j.n,
		Controls: j.plain,
		Dir:      j.dir,
	}
	_ = r
	return nil, nil
}
