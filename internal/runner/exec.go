package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/secret"
	"github.com/fdebug/fdebug/trace"
)

// Defaults of [Exec].
const (
	DefaultLimit     = 10 * time.Minute
	defaultGrace     = 10 * time.Second
	defaultWaitDelay = 5 * time.Second
	endedWaitDelay   = time.Second
)

// An Exec executes a test binary, once for each call of [Exec.Run], each time in a fresh process
// in the package's directory, as go test would.
type Exec struct {
	Binary *Binary
	Select Selection
	// Suites are the suites of Ginkgo, by import path. Their specs are tests of their own.
	Suites map[string]ginkgo.Suite
	// Env is the environment of the process; nil means the current one.
	Env []string
	// Trace is the path of the raw trace file that the process writes, or "" for none.
	// TraceBudget limits its size, in bytes; 0 is the probe runtime's default.
	Trace       string
	TraceBudget int64
	// Perturb is the file with the plan for a traced process, or "" for none.
	Perturb string
	// Limit is how long the process may run. After that it is asked for a goroutine dump, and
	// killed if it has not ended after Grace.
	Limit time.Duration
	Grace time.Duration
	// patience is the minimal time after which a run can count as hanging; 0 means a minute. When
	// time is up, a twelfth of it is enough.
	patience time.Duration
	// waitDelay is how long to keep reading after the process has ended and its group was killed:
	// a process that left the group can hold the pipe.
	waitDelay time.Duration
	// Modules are the paths of the modules whose code is the user's own. Root is their directory.
	Modules []string
	Root    string
	Moved   []Moved // replaced in the output, like secrets of the environment
	// Here returns the path on this machine of a file or directory that the binary knows by its
	// path on the machine that built it; nil if the paths are the same.
	Here func(path string) string

	// Slots are where the process may run; nil for anywhere at once. If Alone is set, no other
	// process runs beside it.
	Slots *Slots
	Alone bool

	Instead func(context.Context, *Exec) (*Run, error) // answers for the process; nil for a process
	start   starter                                    // nil for real processes
	now     func() time.Time                           // nil for time.Now

	explainer *explainer // shared by the runs of a package; nil for a new one
	pace      *pace      // also shared; nil if nothing is known of other runs
	control   bool       // whether the binary is the one without probes
}

// Run executes the binary once. If the context ends before the process does, the process is
// killed, the error is the context's cause, and the run says how far it came. But if the
// process has gone on for so long that it hangs, the run counts as completed, with a goroutine
// dump, and there is no error.
func (x *Exec) Run(ctx context.Context) (*Run, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if x.Instead != nil {
		return x.Instead(ctx, x)
	}
	if x.Slots != nil {
		release, err := x.Slots.take(ctx, x.Binary.ImportPath, x.Alone)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	now := x.now
	if now == nil {
		now = time.Now
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", x.Binary.Path, err)
	}
	defer r.Close()
	run := &Run{Package: x.Binary.ImportPath, Started: now(), Control: x.control}
	start := x.start
	if start == nil {
		start = startProcess
	}
	c := x.command(w)
	if x.Trace != "" {
		c.Env = append(c.Env, fmt.Sprintf("%s=%d", watchEnv, x.pace.searched(x.control, x.limit())))
	}
	proc, err := start(c)
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", x.Binary.Path, err)
	}
	p := newParser(now)
	out := &closableWriter{w: p}
	copied := make(chan struct{})
	go func() {
		copyMoved(out, r, x.replaced())
		close(copied)
	}()
	stopped, err := x.wait(ctx, proc, run)
	run.Wall = now().Sub(run.Started)
	proc.Kill() // processes left behind must not disturb the next run
	delay := orDefault(x.waitDelay, defaultWaitDelay)
	if ctx.Err() != nil { // the results so far are to be written
		delay = min(delay, endedWaitDelay)
	}
	select {
	case <-copied:
	case <-time.After(delay):
		run.warn("a process that the tests started kept the output open after they had ended")
	}
	out.close()
	if err != nil {
		return nil, fmt.Errorf("waiting for %s: %w", x.Binary.Path, err)
	}
	if x.Trace != "" && trace.Hangs(x.Trace) {
		run.Stuck, run.Exit.TimedOut = true, true
	}
	x.conclude(run, p)
	return run, stopped
}

// watchEnv is for the probe runtime, which ends a run that can never go on.
const watchEnv = "FDEBUG_WATCH"

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// wait waits for the process to end and fills in how it did. If the process was cut off before
// that, though it took no unusual time, wait returns why.
func (x *Exec) wait(ctx context.Context, proc process, run *Run) (stopped, err error) {
	ended := make(chan struct{})
	go func() {
		run.Exit, run.CPU, err = proc.Wait()
		close(ended)
	}()
	overrun, stopped := x.watch(ctx, ended)
	if stopped == nil {
		return nil, err
	}
	timedOut := true
	if stopped == errTooLong {
		stopped, timedOut = nil, x.quit(ctx, proc, ended)
	}
	proc.Kill()
	<-ended
	run.Exit.TimedOut = timedOut
	if timedOut {
		run.Overrun = overrun
	}
	return stopped, err
}

var errTooLong = errors.New("the process takes too long")

// watch waits until the process has ended (it returns nil), has gone on for too long, or the
// context ends first (it returns the cause).
func (x *Exec) watch(ctx context.Context, ended <-chan struct{}) (overrun *Overrun, stopped error) {
	began := time.Now()
	for {
		limit := x.limit() - time.Since(began)
		left, usual := x.pace.left(began, x.control, false)
		switch {
		case limit <= 0:
			return nil, errTooLong
		case left <= 0:
			return &usual, errTooLong
		}
		select {
		case <-ended:
			return nil, nil
		case <-time.After(min(limit, left)):
		case <-ctx.Done():
			if left, usual := x.pace.left(began, x.control, true); left <= 0 {
				return &usual, errTooLong
			}
			return nil, context.Cause(ctx)
		}
	}
}

// quit asks the process for a goroutine dump, and waits for it. It reports whether the process
// was still running when it was asked.
func (x *Exec) quit(ctx context.Context, proc process, ended <-chan struct{}) bool {
	asked := proc.Quit()
	if asked != nil {
		return !errors.Is(asked, os.ErrProcessDone)
	}
	grace := time.After(orDefault(x.Grace, defaultGrace))
	select {
	case <-ended:
		return true
	case <-grace:
		return true
	case <-ctx.Done(): // time is up, except for the dump
	}
	select {
	case <-ended:
	case <-grace:
	case <-time.After(lastGrace):
	}
	return true
}

// limit returns how long the process may run. With -timeout the process ends itself, and gets the
// time to do so.
func (x *Exec) limit() time.Duration {
	limit := orDefault(x.Limit, DefaultLimit)
	if t := x.Select.Timeout; t > 0 {
		limit = t + time.Minute
	}
	return limit
}

// conclude makes the run's outcomes from its output.
func (x *Exec) conclude(run *Run, p *parser) {
	run.Outcomes = p.finish(run.Exit)
	for _, o := range run.Outcomes {
		o.Dump, o.Output = withoutOwnFrames(o.Dump), withoutOwnFrames(o.Output)
	}
	run.Shuffle = p.shuffle
	if x.suite() != (ginkgo.Suite{}) && ginkgo.OwnOrder(x.Select.Shuffle) {
		run.Shuffle = x.Select.Shuffle
	}
	run.noTests, run.Cut = p.noTests, p.final == ""
	e := x.explainer
	if e == nil {
		e = x.newExplainer(x.Binary.Target)
	}
	e.learn(p.logs)
	for _, text := range p.races {
		run.Races = append(run.Races, withoutOwnFrames(text))
	}
	e.explainAll(run)
}

// suite returns the suite of specs that the binary has, zero if it has none.
func (x *Exec) suite() ginkgo.Suite { return x.Suites[x.Binary.ImportPath] }

func (x *Exec) command(out *os.File) command {
	argv := append(slices.Clone(x.Select.Exec), x.Binary.Path)
	argv = append(argv, x.Select.args(x.suite())...)
	c := command{Path: argv[0], Args: argv[1:], Dir: x.here(x.Binary.Dir), Env: x.environ(), Output: out,
		CPUs: x.Select.CPUs}
	if len(x.Select.Exec) > 0 {
		c.Program = x.Binary.Path
	}
	return c
}

// replaced returns the replacements in the output as it is read, so that nothing made from the
// output has the secrets of the environment.
func (x *Exec) replaced() []Moved {
	list := slices.Clone(x.Moved)
	for _, v := range slices.Backward(secret.Values(orOwn(x.Env))) { // the last in the list sees the text first
		list = append(list, Moved{From: v, To: secret.Hidden})
	}
	return list
}

func (x *Exec) here(path string) string {
	if x.Here == nil {
		return path
	}
	return x.Here(path)
}

// orOwn returns an environment; nil means that of this process.
func orOwn(env []string) []string {
	if env == nil {
		return os.Environ()
	}
	return env
}

// environ returns the environment of the process. If fdebug itself is being traced, it does not
// pass that on.
func (x *Exec) environ() []string {
	env := slices.DeleteFunc(slices.Clone(orOwn(x.Env)), func(kv string) bool {
		return strings.HasPrefix(kv, "FDEBUG_TRACE=") || strings.HasPrefix(kv, "FDEBUG_BUDGET=") ||
			strings.HasPrefix(kv, "FDEBUG_PERTURB=") || strings.HasPrefix(kv, watchEnv+"=")
	})
	env = append(env, "PWD="+x.here(x.Binary.Dir))
	if x.Trace != "" {
		env = append(env, "FDEBUG_TRACE="+x.Trace)
		if x.TraceBudget > 0 {
			env = append(env, fmt.Sprintf("FDEBUG_BUDGET=%d", x.TraceBudget))
		}
		if x.Perturb != "" {
			env = append(env, "FDEBUG_PERTURB="+x.Perturb)
		}
	}
	return env
}

func (r *Run) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
	for _, arg := range args {
		err, ok := arg.(error)
		r.DiskFull = r.DiskFull || ok && errors.Is(err, syscall.ENOSPC)
	}
}

// A closableWriter lets a reader that can't be stopped be abandoned.
type closableWriter struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
}

var errAbandoned = errors.New("output abandoned")

func (c *closableWriter) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, errAbandoned
	}
	return c.w.Write(b)
}

func (c *closableWriter) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

func (x *Exec) newExplainer(target Target) *explainer {
	e := newExplainer(target, x.Modules, x.Root)
	e.src.here = x.here
	return e
}

// Remember lets x explain failures with the output of all its runs, including those of copies
// of x: places from which passing tests print are not failed checks.
func (x *Exec) Remember(target Target) {
	x.explainer = x.newExplainer(target)
}

// Logs returns the places from which passing tests have printed, as "file.go:12", since Remember
// was called.
func (x *Exec) Logs() (list []string) {
	e := x.explainer
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for p := range e.logs {
		list = append(list, p.At())
	}
	slices.Sort(list)
	return list
}

// Recall adds places known from before. Remember must have been called.
func (x *Exec) Recall(logs []string) {
	known := make(map[trace.Frame]bool)
	for _, text := range logs {
		if at, ok := position(text); ok {
			known[at] = true
		}
	}
	x.explainer.learn(known)
}
