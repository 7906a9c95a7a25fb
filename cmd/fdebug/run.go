package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace/instrument"
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

func (j *runJob) parse(args []string) error {
	fs := newFlagSet("run")
	fs.IntVar(&j.n, "n", 50, "")
	fs.IntVar(&j.plain, "plain", -1, "")
	fs.DurationVar(&j.budget.whole, "budget", 0, "")
	fs.BoolVar(&j.values, "values", true, "")
	fs.DurationVar(&j.experiments, "experiments", -1, "")
	fs.BoolVar(&j.flaky, "flaky", false, "")
	fs.Var(&j.kinds, "kinds", "")
	events := fs.Bool("json", false, "")
	if err := j.commonFlags(fs, args); err != nil {
		return err
	}
	if *events {
		j.ci.json()
	}
	return nil
}

// commonFlags registers the flags of run that say what is built and which tests run,
// and parses.
func (j *runJob) commonFlags(fs *flagSet, args []string) error {
	fs.IntVar(&j.parallel, "p", 1, "")
	fs.StringVar(&j.out, "o", "", "")
	fs.IntVar(&j.keep, "keep", store.Keep, "")
	fs.StringVar(&j.note, "note", "", "")
	fs.StringVar(&j.overlay, "overlay", "", "")
	fs.StringVar(&j.app.dir, "C", j.app.dir, "")
	j.app.dbFlag(fs)
	fs.Var(&j.instrument, "instrument", "")
	fs.BoolVar(&j.generated, "generated", false, "")
	fs.BoolVar(&j.verbose, "v", false, "")
	fs.BoolVar(&j.app.opens, "open", false, "")
	fs.Var(&j.traceSize, "trace-budget", "")
	fs.StringVar(&j.rev, "changed", "", "")
	j.shard.flags(fs)
	fs.StringVar(&j.bundleFile, "bundle", "", "")
	fs.StringVar(&j.next, "next", "", "")
	j.ci.app = j.app
	j.ci.flags(fs)
	fs.buildFlags(&j.build)
	fs.StringVar(&j.vet, "vet", "", "")
	fs.testFlags(&j.sel)
	patterns, err := fs.parse(args)
	if err != nil {
		return err
	}
	if j.keep < 1 {
		return keepError(j.keep)
	}
	j.patterns, j.sel.Extra = patterns, fs.rest
	if j.bundleFile != "" {
		if err := fs.refuseWithBundle(); err != nil {
			return err
		}
	} else if len(j.patterns) == 0 {
		j.patterns = []string{"."}
		if j.flaky {
			j.patterns = []string{"./..."}
		}
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
	case j.flaky && j.sel.Run != "":
		return withHint(usagef("-flaky and -run exclude each other"), "-flaky takes the tests from the history; packages after it say of where")
	case j.next != "" && (j.flaky || j.rev != ""):
		return withHint(usagef("-next excludes -flaky and -changed"), "the file says which tests")
	case j.budget.whole < 0:
		return usagef("-budget %s: want a positive duration", j.budget.whole)
	}
	if err := j.kinds.check(); err != nil {
		return err
	}
	if err := j.app.checkDB(); err != nil {
		return err
	}
	if err := j.app.checkOpen(); err != nil {
		return err
	}
	if j.plain < 0 {
		j.plain = max(3, j.n/10)
	}
	if err := j.checkShard(); err != nil {
		return err
	}
	if j.app.dir != "" {
		if info, err := os.Stat(j.app.dir); err != nil || !info.IsDir() {
			return usagef("-C %s: no such directory", j.app.dir)
		}
	}
	return j.checkSelection()
}

// checkSelection refuses what every test binary would refuse, before any is built.
func (j *runJob) checkSelection() error {
	var bad *runner.SelectionError
	if err := j.sel.Check(); errors.As(err, &bad) {
		return withHint(usagef("%v", err), bad.Want)
	}
	return nil
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

// publish makes this run the latest one, and adds it to the history.
func (j *runJob) publish() {
	if err := j.store.SetLatest(j.dir); err != nil {
		j.app.warnf("%v", err)
	}
	if !j.app.remember(j.store, j.dir) {
		return
	}
	if err := j.store.Prune(); err != nil {
		j.app.warnf("%v", err)
	}
}

// makeWork makes the temporary directory, and removes those of processes that
// were killed.
func (j *runJob) makeWork() (err error) {
	store.SweepTemp(filepath.Join(os.TempDir(), "fdebug-*"))
	if j.work, err = os.MkdirTemp("", "fdebug-"); err != nil {
		return err
	}
	j.lock(j.work)
	return nil
}

// lock marks a directory as in use. Not all file systems have locks: then what
// is left after a kill stays.
func (j *runJob) lock(dir string) {
	if l, err := store.LockDir(dir); err == nil {
		j.locks = append(j.locks, l)
	}
}

// cleanUp removes the temporary directory and gives the run free.
func (j *runJob) cleanUp() {
	for _, l := range j.locks {
		l.Release()
	}
	if j.bundle != nil {
		j.bundle.Close()
	}
	if j.work != "" {
		os.RemoveAll(j.work)
	}
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

// instrumentTo rewrites the packages into a directory.
func (j *runJob) instrumentTo(ctx context.Context, out string) error {
	cfg, err := j.config(out)
	if err != nil {
		return err
	}
	j.app.progressf("instrumenting %s", strings.Join(j.patterns, " "))
	if j.plan, err = instrument.Prepare(ctx, cfg); err != nil {
		return explainPrepare(err)
	}
	for _, w := range j.plan.Warnings {
		j.app.warnf("%v", w)
	}
	if len(j.plan.Packages) == 0 {
		return withHint(fmt.Errorf("no test files in %s", strings.Join(j.patterns, " ")), patternHint)
	}
	return nil
}

// config says what to instrument, and where the rewritten files go.
func (j *runJob) config(out string) (instrument.Config, error) {
	dir, err := filepath.Abs(j.app.dir)
	if err != nil {
		return instrument.Config{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return instrument.Config{}, withHint(err, "fdebug keeps a patched view of the Go runtime there; set XDG_CACHE_HOME or HOME")
	}
	return instrument.Config{
		Dir: dir, Patterns: j.patterns, BuildFlags: j.userFlags(), Instrument: j.instrument,
		Generated: j.generated, Overlay: j.overlay, Out: out, Cache: filepath.Join(cache, "fdebug"),
	}, nil
}

const patternHint = "packages are named as for go test: ./... for all below this directory"

// explainPrepare adds hints to what can go wrong before anything is built.
func explainPrepare(err error) error {
	switch {
	case errors.Is(err, instrument.ErrNoModule):
		return withHint(err, "run fdebug in the directory of your module, or use -C DIR")
	case errors.Is(err, instrument.ErrNoPackages):
		return withHint(err, patternHint)
	}
	return err
}

// setStore says where results go.
func (j *runJob) setStore() error {
	j.store = store.Store{Dir: j.out, Keep: j.keep}
	if j.out == "" && j.bundle != nil {
		j.store.Dir = filepath.Join(j.absDir(), store.Name)
	} else if j.out == "" {
		if j.plan.Std != "" {
			return withHint(errors.New("fdebug does not write to Go's own source tree"), "-o DIR says where the results go")
		}
		j.store.Dir = filepath.Join(j.plan.Toolchain.ModuleRoot(), store.Name)
	}
	return nil
}

// makeRunDir makes the directory for the results.
func (j *runJob) makeRunDir(ctx context.Context) error {
	if err := j.setStore(); err != nil {
		return err
	}
	j.store.Sweep()
	j.origin = j.originHere(ctx).Or(provenance.FromEnv(j.app.getenv))
	dir, err := j.store.Create(time.Now())
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return withHint(err, "the module directory cannot be written to; -o DIR puts the results elsewhere")
		}
		return err
	}
	j.dir = dir
	j.lock(dir)
	j.key = rand.Text()
	m := j.meta()
	if err = m.WriteFile(dir); err == nil {
		err = j.plan.Sites.WriteFile(filepath.Join(dir, "sites.json"))
	}
	if err != nil {
		os.RemoveAll(dir) // or it would be taken for the newest run
	}
	return err
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

// userFlags are the build flags that the user gave.
func (j *runJob) userFlags() []string {
	flags := append([]string{}, j.build...)
	if j.overlay != "" {
		flags = append(flags, "-overlay="+j.overlay)
	}
	return flags
}

// plainBuild builds as go test would.
func (j *runJob) plainBuild(out string) *runner.Build {
	if j.bundle != nil {
		return j.bundle.build(plainBinary)
	}
	return &runner.Build{GoCmd: "go", Dir: j.absDir(), Flags: j.userFlags(), Vet: j.vet, Out: out}
}

// tracedBuild builds with probes.
func (j *runJob) tracedBuild(out string) *runner.Build {
	if j.bundle != nil {
		return j.bundle.build(tracedBinary)
	}
	flags := append([]string{}, j.build...)
	for _, f := range j.plan.BuildFlags() {
		if !strings.HasPrefix(f, "-overlay=") { // runner adds it
			flags = append(flags, f)
		}
	}
	return &runner.Build{
		GoCmd: j.plan.GoCmd(), Env: j.plan.Env(), Dir: j.plan.BuildDir(j.absDir()),
		Flags: flags, Overlay: j.plan.Overlay, Out: out,
	}
}

// raceBuild builds with the race detector.
func (j *runJob) raceBuild(out string) (*runner.Build, error) {
	if j.bundle != nil {
		return j.bundle.raceBuild()
	}
	b := j.plainBuild(out)
	b.Flags, b.Vet = append(b.Flags, "-race"), "off"
	return b, nil
}

func (j *runJob) absDir() string {
	dir, err := filepath.Abs(j.app.dir)
	if err != nil {
		return j.app.dir
	}
	return dir
}
