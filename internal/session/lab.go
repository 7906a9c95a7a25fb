package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
)

// A Lab makes the runs for experiments with the tests of one package.
type Lab struct {
	Job    *Session
	Target runner.Target
	Plain  *runner.Binary // nil for replays
	Traced *runner.Binary
	Build  string      // hash of the traced binary
	Dir    string      // directory for traces
	Exec   runner.Exec // template
	Seen   *seen       // of a hunt
	below  string      // "/^case$": the subtests that run if no test comes before; "" for those of the user

	inside []string // packages with positions inside statements in Traced

	alone atomic.Bool // a finding is being confirmed: no other process runs meanwhile
	mu    sync.Mutex
	files string // directory for the files of its runs: other labs make runs meanwhile
	made  int    // how many runs so far, for the names of their files
}

// NewLab builds the test binary of a package without probes and with them. It returns nil if there
// are no test files.
func (j *Session) NewLab(ctx context.Context, target runner.Target, dir string) (*Lab, error) {
	l, bin, err := j.emptyLab(target, dir)
	if err != nil {
		return nil, err
	}
	if l.Plain, err = j.PlainBuild(bin).Test(ctx, target); errors.Is(err, runner.ErrNoTestFiles) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if l.Traced, err = j.TracedBuild(bin).Test(ctx, target); err != nil {
		if fault := (*runner.BuildError)(nil); errors.As(err, &fault) {
			fault.Traced = true
		}
		return nil, err
	}
	return l, l.begin()
}

// NewTracedLab builds only the binary with probes, which is all that a replay needs. If that
// fails, the plain build shows whose fault it is. It returns nil if there are no test files.
func (j *Session) NewTracedLab(ctx context.Context, target runner.Target, dir string) (*Lab, error) {
	l, bin, err := j.emptyLab(target, dir)
	if err != nil {
		return nil, err
	}
	fault := (*runner.BuildError)(nil)
	switch l.Traced, err = j.TracedBuild(bin).Test(ctx, target); {
	case errors.Is(err, runner.ErrNoTestFiles):
		return nil, nil
	case errors.As(err, &fault):
		return j.NewLab(ctx, target, dir)
	case err != nil:
		return nil, err
	}
	return l, l.begin()
}

// emptyLab returns a lab without binaries, and a directory for them.
func (j *Session) emptyLab(target runner.Target, dir string) (*Lab, string, error) {
	bin, err := os.MkdirTemp(j.Work, "bin-")
	return &Lab{Job: j, Target: target, Dir: dir}, bin, err
}

// LabOf returns a lab with the binaries that runs of a package were made with.
func (j *Session) LabOf(p *runner.Package, dir string) (*Lab, error) {
	l := &Lab{Job: j, Target: p.Target, Plain: p.Plain, Traced: p.Traced, Dir: dir}
	return l, l.begin()
}

// begin prepares the lab for runs, once its binaries are there.
func (l *Lab) begin() (err error) {
	if l.Build, err = l.Job.hashOf(l.Traced); err != nil {
		return err
	}
	l.Exec = l.Job.exec()
	l.Exec.TraceBudget, l.Exec.Slots = min(l.Exec.TraceBudget, labTraces), l.Job.slots()
	l.Exec.Remember(l.Target)
	return nil
}

// labTraces limits the traces of experiments, which are read only once.
const labTraces = 32 << 20

// hashOf identifies a binary. One that was unpacked was hashed then.
func (j *Session) hashOf(bin *runner.Binary) (string, error) {
	if sum := j.Packed.Sums[bin.Path]; sum != "" {
		return sum[:2*hashSize], nil
	}
	return HashFile(bin.Path)
}

// hashSize is how many bytes of a hash are used.
const hashSize = 16

func HashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:hashSize]), nil
}

// Runs returns the function with which an experimenter makes its runs.
func (l *Lab) Runs(e *experiment.Experimenter) func(context.Context, experiment.Trial, bool,
	time.Duration) (experiment.Outcome, error) {
	test := e.Test
	return func(ctx context.Context, t experiment.Trial, keep bool, limit time.Duration) (experiment.Outcome, error) {
		x := l.Exec
		x.Binary, x.Select, x.Alone = l.Traced, l.Selection(test, &t), l.alone.Load()
		if x.Select.Timeout == 0 {
			x.Limit, x.Grace = limit, time.Second
		}
		return l.run(ctx, &x, test, &t, func(o *experiment.Outcome) bool { return keep || e.Keeps(&t, o) })
	}
}

// Selection returns the user's selection, restricted to the tests of a trial.
func (l *Lab) Selection(test string, t *experiment.Trial) runner.Selection {
	sel := l.Job.Sel
	if sel.Shuffle = ""; t.Shuffle != 0 {
		sel.Shuffle = fmt.Sprint(t.Shuffle)
	}
	if t.Suite {
		return sel
	}
	_, below, sub := strings.Cut(l.Job.Sel.Run, "/")
	sel.Run = "^" + regexp.QuoteMeta(test) + "$"
	if len(t.Before) > 0 {
		sel.Run = PatternOf(append(slices.Clip(t.Before), test))
	}
	switch {
	case l.narrows(t):
		sel.Run += l.below
	case sub && ginkgo.SuiteOf(test) == "":
		sel.Run += "/" + below
	}
	return sel
}

// narrows reports whether a trial is of one subtest, where the user has asked for more.
func (l *Lab) narrows(t *experiment.Trial) bool {
	return l.below != "" && !t.Suite && len(t.Before) == 0
}

// run makes one run and reads its results.
func (l *Lab) run(ctx context.Context, x *runner.Exec, test string, t *experiment.Trial,
	keep func(*experiment.Outcome) bool) (o experiment.Outcome, err error) {
	raw := l.rawName()
	defer removeRaw(raw)
	x.Trace = raw
	if err := l.perturb(x, t); err != nil {
		return o, err
	}
	run, err := x.Run(ctx)
	if err != nil {
		return o, err
	}
	tr, err := trace.ReadRaw(raw)
	if err == nil {
		x.Tell(run, tr)
	}
	o = OutcomeOf(run, test)
	if err != nil { // it ended before its trace began: nothing acted
		o.Ran = false
		return o, nil
	}
	o.Acts, o.Draws, o.Keys = actsOf(tr), tr.Draws, freedom.Keys(tr)
	tr.Close()
	started := startedBy(raw)
	for _, name := range started {
		if t, err := trace.ReadRaw(name); err == nil {
			o.Acts = append(o.Acts, actsOf(t)...)
			t.Close()
		}
	}
	if keep(&o) {
		run.Provoked, run.For = t.Done(&o), test
		if run.Provoked == "" && o.Failed { // kept because it failed: such runs say nothing about the rate
			run.Provoked = runner.Alone
		}
		err = l.keep(&o, run, raw, started)
	}
	return o, err
}

// maxStarted is how many of the processes that a test starts are looked at.
const maxStarted = 8

// startedBy returns the raw traces of the processes that the one with a raw trace has started.
func startedBy(raw string) (list []string) {
	for _, f := range store.Glob(filepath.Dir(raw), filepath.Base(raw)+".*") {
		if _, err := strconv.Atoi(f[len(raw)+1:]); err == nil {
			list = append(list, f)
		}
	}
	return list[:min(len(list), maxStarted)]
}

// rawName returns the name of the trace of another run. The names of its other files begin with
// it.
func (l *Lab) rawName() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.files == "" {
		l.files, _ = os.MkdirTemp(l.Job.Work, "runs-") // without it a run leaves no trace, and says so
	}
	l.made++
	return filepath.Join(l.files, fmt.Sprintf("raw-%d", l.made))
}

// perturb makes x run as in a trial.
func (l *Lab) perturb(x *runner.Exec, t *experiment.Trial) error {
	if t.Kind() == "" {
		return nil
	}
	if err := perturbed(x, t.Plan); err != nil {
		return err
	}
	if t.Plan.Homes() {
		x.Env = append(x.Env, l.Job.goDirs()...)
	}
	return nil
}

// perturbed makes x run under a plan. The plan's file is beside the trace.
func perturbed(x *runner.Exec, plan freedom.Plan) error {
	plan.Process = filepath.Base(x.Binary.Path)
	x.Perturb = x.Trace + ".plan"
	x.Env = append(slices.Clip(x.Env), plan.Env(x.Perturb)...)
	loaded(x, &plan)
	return plan.WriteFile(x.Perturb)
}

// loaded leaves x as much of the machine as a plan does.
func loaded(x *runner.Exec, plan *freedom.Plan) {
	if cpus := plan.CPUs(); cpus > 0 && (x.Select.CPUs == 0 || cpus < x.Select.CPUs) {
		x.Select.CPUs = cpus
	}
}

// goDirs lets a go command that a test starts find its caches, which are in the home directory by
// default. In another home directory it would build all of std.
func (j *Session) goDirs() (env []string) {
	if j.Plan == nil {
		return nil
	}
	tc := j.Plan.Toolchain
	for name, value := range map[string]string{"GOCACHE": tc.GOCACHE, "GOMODCACHE": tc.GOMODCACHE, "GOPATH": tc.GOPATH,
		"GOENV": tc.GOENV} {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// removeRaw removes the files of a run, including those of the processes it started, and its
// directories with all that the tests left there.
func removeRaw(raw string) {
	for _, f := range store.Glob(filepath.Dir(raw), filepath.Base(raw)+"*") {
		if f == raw || strings.HasPrefix(f, raw+".") {
			removeAll(f)
		}
	}
}

// removeAll removes a file, or a directory that may contain write-protected ones.
func removeAll(name string) {
	if os.RemoveAll(name) == nil {
		return
	}
	filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(name)
}

// keep keeps the trace of a run, and those of the processes that it started.
func (l *Lab) keep(o *experiment.Outcome, run *runner.Run, raw string, started []string) (err error) {
	if o.Trace, err = l.keepTrace(raw); err != nil {
		return err
	}
	o.Run = run
	for _, raw := range started {
		if name, err := l.keepTrace(raw); err == nil { // one that ended at once has none
			o.Started = append(o.Started, name)
		}
	}
	return nil
}

// keepTrace keeps a raw trace, and returns the name of the file.
func (l *Lab) keepTrace(raw string) (string, error) {
	dir := filepath.Join(l.Dir, "traces")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "run-*.trace")
	if err != nil {
		return "", err
	}
	f.Close()
	if err := trace.Compact(raw, f.Name()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// actsOf returns the acts of perturbations in a process. There can be very many yields, and then
// nobody can say which of them mattered.
func actsOf(t *trace.Trace) []experiment.Act {
	const most = 1000
	var list []experiment.Act
	for _, a := range t.Acts[:min(len(t.Acts), most)] {
		act := experiment.Act{Act: a}
		if n := int(a.Goroutine) - 1; n >= 0 && n < len(t.Goroutines) {
			g := t.Goroutines[n]
			act.ID, act.Test = g.ID, g.Test
		}
		list = append(list, act)
	}
	return list
}

// showsProbes reports whether a test's failure message mentions fdebug: a test that looks at the
// stacks of goroutines sees which of them are held. Such a run does not count.
func showsProbes(message string) bool {
	return strings.Contains(message, trace.HeldReason) || strings.Contains(message, "fdebugrt.")
}

// OutcomeOf returns the outcome of a top-level test. If it passed, a failure that belongs to no test counts as its
// failure, because it ran alone or last.
func OutcomeOf(run *runner.Run, test string) experiment.Outcome {
	o := experiment.Outcome{Wall: run.Wall, TimedOut: run.Exit.TimedOut && !run.Stuck}
	for _, x := range run.Outcomes {
		if x.Test == test {
			o.Elapsed = max(o.Elapsed, x.Elapsed)
		}
	}
	became := run.Became(test)
	if o.Ran = became.Status == runner.Passed; o.Ran && run.Became("").Status.Failing() {
		became = run.Became("")
	}
	if became.Status.Failing() {
		failed := became.Outcome
		o.Signature, o.Message = failed.Signature, failed.Message
		o.Failed = failed.Dump != "" || !showsProbes(o.Message)
		o.Ran = o.Failed
	}
	return o
}

// Experimenter returns an experimenter for a test, without its history.
func (l *Lab) Experimenter(test string, seed uint64, line *HuntProgress) *experiment.Experimenter {
	j := l.Job
	e := &experiment.Experimenter{
		Test: test, Sites: j.Plan.Sites, Source: j.Source, Parallel: j.Parallel, Seed: seed, Kinds: j.Kinds,
		Report: line.Event,
	}
	e.Like, e.Hints = l.like(test)
	e.Run = l.Runs(e)
	return e
}

// Proof returns the proof of a finding, with the build and the tests, which the experimenter does not know.
func (l *Lab) Proof(e *experiment.Experimenter, f *experiment.Finding) *proof.Proof {
	r, j := e.Proof(f), l.Job
	m := j.Meta()
	r.Fdebug, r.Go, r.Platform = m.Version, m.Go, j.Plan.Toolchain.GOOS+"/"+j.Plan.Toolchain.GOARCH
	r.Module, r.Package = j.Plan.Sites.Module, l.Target.ImportPath
	r.Logs = l.Exec.Logs()
	r.Build = proof.BuildInfo{
		Flags: append(j.UserFlags(), j.Packed.Added...), Patterns: j.ImportPatterns(), Instrument: j.Instrument,
		Generated: j.Generated, Inside: l.inside, Hash: l.Build,
	}
	s := j.Sel
	if l.narrows(&f.Trial) {
		s = l.Selection(e.Test, &f.Trial)
	}
	r.Tests = proof.Tests{
		Run: s.Run, Skip: s.Skip, Short: s.Short, CPU: s.CPU, Parallel: s.Parallel, Count: s.Count, Timeout: s.Timeout,
		FullPath: s.FullPath, FailFast: s.FailFast, CPUs: s.CPUs, Args: s.Extra,
	}
	return r
}

// SelectAs makes tests run as they did for a proof. Which command starts them is the user's to say, not a file's.
func (j *Session) SelectAs(t proof.Tests) error {
	j.Sel = runner.Selection{
		Run: t.Run, Skip: t.Skip, Short: t.Short, CPU: t.CPU, Parallel: t.Parallel, Count: t.Count, Timeout: t.Timeout,
		FullPath: t.FullPath, FailFast: t.FailFast, CPUs: t.CPUs, Extra: t.Args, Exec: j.Sel.Exec,
	}
	return j.Sel.Check()
}

// ImportPatterns returns the patterns of packages as import paths, which mean the same in any
// directory. Blocks are numbered over all of these packages.
func (j *Session) ImportPatterns() []string {
	rel, err := filepath.Rel(j.Plan.Sites.Root, j.AbsDir())
	if err != nil {
		return nil
	}
	var list []string
	for _, p := range j.Patterns {
		if p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
			p = path.Join(j.Plan.Sites.Module, filepath.ToSlash(rel), p)
		}
		list = append(list, p)
	}
	return list
}
