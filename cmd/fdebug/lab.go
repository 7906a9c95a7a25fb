package main

import (
	"cmp"
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
	"strings"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A lab makes the runs of experiments with the tests of one package.
type lab struct {
	job    *session
	target runner.Target
	plain  *runner.Binary // nil for replays
	traced *runner.Binary
	build  string      // hash of the traced binary
	dir    string      // where traces are kept
	exec   runner.Exec // template
	seen   *seen       // of a hunt

	mu   sync.Mutex
	made int // runs so far, for the names of their files
}

// newLab builds the binaries of a package. Without test files it is nil.
func (j *session) newLab(ctx context.Context, target runner.Target, dir string) (*lab, error) {
	l, bin, err := j.emptyLab(target, dir)
	if err != nil {
		return nil, err
	}
	if l.plain, err = j.plainBuild(bin).Test(ctx, target); errors.Is(err, runner.ErrNoTestFiles) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if l.traced, err = j.tracedBuild(bin).Test(ctx, target); err != nil {
		if fault := (*runner.BuildError)(nil); errors.As(err, &fault) {
			fault.Traced = true
		}
		return nil, err
	}
	return l, l.begin()
}

// newTracedLab builds only the binary with probes, which is all that a replay needs. If
// that fails the other one tells whose fault it is. Without test files it is nil.
func (j *session) newTracedLab(ctx context.Context, target runner.Target, dir string) (*lab, error) {
	l, bin, err := j.emptyLab(target, dir)
	if err != nil {
		return nil, err
	}
	fault := (*runner.BuildError)(nil)
	switch l.traced, err = j.tracedBuild(bin).Test(ctx, target); {
	case errors.Is(err, runner.ErrNoTestFiles):
		return nil, nil
	case errors.As(err, &fault):
		return j.newLab(ctx, target, dir)
	case err != nil:
		return nil, err
	}
	return l, l.begin()
}

// emptyLab returns a lab without binaries, and a directory for them.
func (j *session) emptyLab(target runner.Target, dir string) (*lab, string, error) {
	bin, err := os.MkdirTemp(j.work, "bin-")
	return &lab{job: j, target: target, dir: dir}, bin, err
}

// begin makes the lab ready for runs, once its binaries are there.
func (l *lab) begin() (err error) {
	if l.build, err = l.job.hashOf(l.traced); err != nil {
		return err
	}
	l.exec = l.job.labExec()
	l.exec.Remember(l.target)
	return nil
}

// labExec is the template for the runs of experiments.
func (j *session) labExec() runner.Exec {
	return runner.Exec{
		Env: j.testEnv(), TraceBudget: min(j.traceSize, labTraces), Limit: j.limit(),
		Modules: j.plan.Modules, Root: j.plan.Sites.Root, Moved: j.moved(), Here: j.hereFunc(),
	}
}

// labTraces bounds the traces of experiments: they are looked at once.
const labTraces = 32 << 20

// hashOf tells binaries apart. That of a bundle was looked at when it was unpacked.
func (j *session) hashOf(bin *runner.Binary) (string, error) {
	if j.bundle != nil {
		if sum := j.bundle.sum(bin.Path); sum != "" {
			return sum[:2*hashSize], nil
		}
	}
	return hashFile(bin.Path)
}

// hashSize is the bytes of a hash that are used.
const hashSize = 16

func hashFile(name string) (string, error) {
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

// hashText tells lists of texts apart.
func hashText(list []string) string {
	sum := sha256.Sum256([]byte(strings.Join(list, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// runs returns what an experimenter makes the runs of a test with.
func (l *lab) runs(test string) func(context.Context, experiment.Trial, bool, time.Duration) (experiment.Outcome, error) {
	return func(ctx context.Context, t experiment.Trial, keep bool, limit time.Duration) (experiment.Outcome, error) {
		x := l.exec
		x.Binary, x.Select = l.traced, l.selection(test, &t)
		if x.Select.Timeout == 0 {
			x.Limit, x.Grace = limit, time.Second
		}
		return l.run(ctx, &x, test, &t, keep)
	}
}

// selection is the user's, narrowed down to the tests of a trial.
func (l *lab) selection(test string, t *experiment.Trial) runner.Selection {
	sel := l.job.sel
	if sel.Shuffle = ""; t.Shuffle != 0 {
		sel.Shuffle = fmt.Sprint(t.Shuffle)
	}
	if t.Suite {
		return sel
	}
	names := []string{regexp.QuoteMeta(test)}
	for _, n := range t.Before {
		names = append(names, regexp.QuoteMeta(n))
	}
	_, below, sub := strings.Cut(l.job.sel.Run, "/")
	sel.Run = "^(" + strings.Join(names, "|") + ")$"
	if len(names) == 1 {
		sel.Run = "^" + names[0] + "$"
	}
	if sub {
		sel.Run += "/" + below
	}
	return sel
}

// run makes one run and reads what happened in it.
func (l *lab) run(ctx context.Context, x *runner.Exec, test string, t *experiment.Trial, keep bool) (o experiment.Outcome, err error) {
	raw := l.rawName()
	defer removeRaw(raw)
	x.Trace = raw
	if kind := t.Kind(); kind != "" {
		if err := perturbed(x, t.Plan); err != nil {
			return o, err
		}
		if t.Plan.Homes() {
			x.Env = append(x.Env, l.job.goDirs()...)
		}
	}
	run, err := x.Run(ctx)
	if err != nil {
		return o, err
	}
	tr, err := trace.ReadRaw(raw)
	if err == nil {
		run.GiveDeath(tr)
	}
	o = outcomeOf(run, test)
	if err != nil { // it ended before it began a trace: nothing acted
		o.Ran = false
		return o, nil
	}
	o.Acts, o.Draws = actsOf(tr), tr.Draws
	tr.Close()
	if keep {
		run.Provoked, run.For = t.Kind(), test
		if run.Provoked == "" && o.Failed { // so many are kept because so many were looked for
			run.Provoked = runner.Alone
		}
		err = l.keep(&o, run, raw)
	}
	return o, err
}

// rawName returns the name of the trace of another run, and what those of its other files
// begin with.
func (l *lab) rawName() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	return filepath.Join(l.job.work, fmt.Sprintf("raw-%d", l.made))
}

// perturbed has x run under a plan. The file lies beside the trace.
func perturbed(x *runner.Exec, plan perturb.Plan) error {
	plan.Process = filepath.Base(x.Binary.Path)
	x.Perturb = x.Trace + ".plan"
	x.Env = append(slices.Clip(x.Env), plan.Env(x.Perturb)...)
	return plan.WriteFile(x.Perturb)
}

// goDirs has a go command that a test starts find its caches, which lie in the home directory
// by default: where that is another one, it would build all of std.
func (j *session) goDirs() (env []string) {
	if j.plan == nil {
		return nil
	}
	tc := j.plan.Toolchain
	for name, value := range map[string]string{"GOCACHE": tc.GOCACHE, "GOMODCACHE": tc.GOMODCACHE, "GOPATH": tc.GOPATH, "GOENV": tc.GOENV} {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// removeRaw removes the files of a run, those of the processes it started too, and its
// directories with whatever the tests left there.
func removeRaw(raw string) {
	files, _ := filepath.Glob(raw + "*") // the name is ours
	for _, f := range files {
		if f == raw || strings.HasPrefix(f, raw+".") {
			removeAll(f)
		}
	}
}

// removeAll removes a file, or a directory in which there may be some that can't be written to.
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

// keep keeps the trace of a run.
func (l *lab) keep(o *experiment.Outcome, run *runner.Run, raw string) error {
	dir := filepath.Join(l.dir, "traces")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "run-*.trace")
	if err != nil {
		return err
	}
	f.Close()
	compact := trace.Compact
	if p := l.job.plan; p.Shadow != nil {
		compact = trace.CompactMoved(p.Shadow.GOROOT, p.Toolchain.GOROOT)
	}
	if err := compact(raw, f.Name()); err != nil {
		os.Remove(f.Name())
		return err
	}
	o.Trace, o.Run = f.Name(), run
	return nil
}

// actsOf returns what perturbations did in a process. Of yields there can be very
// many; who has that many can't say which of them mattered.
func actsOf(t *trace.Trace) []experiment.Act {
	const most = 1000
	var list []experiment.Act
	for _, a := range t.Acts[:min(len(t.Acts), most)] {
		act := experiment.Act{Act: a}
		if n := int(a.Goroutine) - 1; n >= 0 && n < len(t.Goroutines) {
			g := t.Goroutines[n]
			act.ID, act.Class, act.Test = g.ID, g.Class, g.Test
		}
		list = append(list, act)
	}
	return list
}

// showsProbes reports whether what a test says of its failure has fdebug in it: one that
// looks at the stacks of goroutines sees which of them are held. Such a run counts for nothing.
func showsProbes(message string) bool {
	return strings.Contains(message, trace.HeldReason) || strings.Contains(message, "fdebugrt.")
}

// outcomeOf returns what became of a top-level test. A failure that belongs to no test
// is its own, since it ran alone or last.
func outcomeOf(run *runner.Run, test string) experiment.Outcome {
	o := experiment.Outcome{Wall: run.Wall, CPU: run.CPU, TimedOut: run.Exit.TimedOut}
	var failed *runner.Outcome
	for _, x := range run.Outcomes {
		if x.Test != "" && trace.TopTest(x.Test) != test {
			continue
		}
		if x.Test == test {
			o.Elapsed = max(o.Elapsed, x.Elapsed)
			o.Ran = o.Ran || x.Status == runner.Passed || x.Status.Failing()
		}
		if x.Status.Failing() && !x.ByChild {
			failed = cmp.Or(failed, x)
		}
	}
	if failed != nil {
		o.Ran, o.Failed = true, true
		o.Signature, o.Message = failed.Signature, failed.Message
		if failed.Dump == "" && showsProbes(o.Message) {
			o.Ran, o.Failed = false, false
		}
	}
	return o
}

// replaySuffix is what the names of replay files end in.
const replaySuffix = ".replay.json"

// complete sets what the experimenter does not know of a replay.
func (j *session) complete(r *experiment.Replay, l *lab) {
	m := j.meta()
	r.Fdebug, r.Go, r.Platform = m.Version, m.Go, j.plan.Toolchain.GOOS+"/"+j.plan.Toolchain.GOARCH
	r.Module, r.Package = j.plan.Sites.Module, l.target.ImportPath
	r.Logs = l.exec.Logs()
	r.Build = experiment.BuildInfo{
		Flags: append(j.userFlags(), j.addedFlags()...), Patterns: j.importPatterns(), Instrument: j.instrument, Generated: j.generated, Hash: l.build,
	}
}

// importPatterns returns the patterns of packages as import paths, which mean the same
// in any directory. Blocks are numbered over all of them.
func (j *session) importPatterns() []string {
	rel, err := filepath.Rel(j.plan.Sites.Root, j.absDir())
	if err != nil {
		return nil
	}
	var list []string
	for _, p := range j.patterns {
		if p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
			p = path.Join(j.plan.Sites.Module, filepath.ToSlash(rel), p)
		}
		list = append(list, p)
	}
	return list
}
