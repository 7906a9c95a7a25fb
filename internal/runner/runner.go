package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A Runner builds test packages and executes each of them N times. Set its
// fields and call [Runner.Run].
type Runner struct {
	Packages []Target
	Plain    *Build // as the user builds; required
	Traced   *Build // with probes; nil to run the plain binaries only
	N        int    // runs of each package
	Controls int    // runs of the plain binary in between; without Traced there are none
	Select   Selection
	// Has says which of the numbers of runs, and of control runs, are made here, where
	// others make the rest; nil for all.
	Has func(n int) bool
	// Seed is what the seeds of all runs follow from; 0 for others each time.
	Seed uint64
	// Parallel is how many processes run side by side, 0 for one. Tests that
	// share a port or a file fail when they do.
	Parallel int
	// Deadline is when the runs end, zero for none. Each package gets an equal
	// share of the time that is left when its turn comes.
	Deadline time.Time
	// ahead is how many packages are built while others run. Building takes
	// processor time from the tests, and changes how they interleave.
	ahead   int
	Dir     string                      // where traces and runs.jsonl go
	Compact func(raw, dst string) error // turns a raw trace file into a stored one: trace.Compact
	// Recycle empties a raw trace file for another process to write to:
	// trace.Recycle. nil to remove them, where the probe runtime wants new ones.
	Recycle func(raw string) error
	// Pin writes a file that makes the random choices of a traced process follow from
	// a seed, so that they can be repeated; nil where the probe runtime can't.
	Pin    func(file string, seed uint64) error
	Report func(Event) // told about progress, from one goroutine at a time; may be nil
	Exec   Exec        // template: Env, TraceBudget, Limit, Grace, Modules, Root
}

var (
	// ErrNoTests is returned if no package has a test that matches.
	ErrNoTests = errors.New("no tests to run")

	// ErrBudget is why runs ended, and is returned if none had been completed by then.
	ErrBudget = errors.New("the time budget for runs is spent")
)

// Run builds and executes everything. What was completed is in the results
// whatever the error is: if some packages do not build, that is noted in them;
// there is an error only if nothing could be run. When the context is
// cancelled, the processes under way are killed, and there is no error.
func (r *Runner) Run(ctx context.Context) (*Results, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	s, err := newSession(r)
	if err != nil {
		return nil, err
	}
	if !r.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, s.deadline, ErrBudget)
		defer cancel()
	}
	next := s.builds(ctx)
	for i := range r.Packages {
		if ctx.Err() != nil {
			break
		}
		s.runPackage(ctx, i, s.waitFor(next, i))
	}
	s.finish(context.Cause(ctx))
	return s.results, s.verdict()
}

func (r *Runner) check() error {
	switch {
	case r.N < 1:
		return fmt.Errorf("cannot run %d times: the number of runs must be at least 1", r.N)
	case r.Plain == nil:
		return errors.New("runner: no plain build given")
	case r.Traced != nil && (r.Compact == nil || r.Dir == ""):
		return errors.New("runner: a traced build needs Compact and Dir")
	}
	return nil
}

// controls returns how many control runs there are.
func (r *Runner) controls() int {
	if r.Traced == nil {
		return 0
	}
	return r.Controls
}

// verdict returns the error of a session in which nothing could be run.
func (s *session) verdict() error {
	var failed []error
	for _, p := range s.results.Packages {
		if len(p.Runs)+len(p.Controls) > 0 && !p.NoTests {
			return nil
		}
		if p.Err != nil {
			failed = append(failed, p.Err)
		}
	}
	switch {
	case len(failed) > 0:
		return errors.Join(failed...)
	case s.results.Interrupted:
		return nil
	case s.results.OverBudget:
		return fmt.Errorf("no run was completed: %w%s", ErrBudget, s.unfinished())
	}
	where := count(len(s.r.Packages), "package")
	if sel := s.r.Select.pattern(); sel != "" {
		return fmt.Errorf("%w: none in %s match %s; `go test -list .` names the tests", ErrNoTests, where, sel)
	}
	return fmt.Errorf("%w in %s", ErrNoTests, where)
}

// unfinished says of the first run that was cut off where it was, and if there is none
// that it did not come to that.
func (s *session) unfinished() string {
	for _, p := range s.results.Packages {
		if p.Unfinished != nil {
			return fmt.Sprintf("; a run of %s %s", p.ImportPath, p.Unfinished.cutOff())
		}
	}
	return "; the tests were still being built"
}

// waitFor returns the i-th package when it is built, and notes how long that took.
func (s *session) waitFor(next func(i int) *built, i int) *built {
	began := s.now()
	b := next(i)
	s.building += s.now().Sub(began)
	return b
}

// spent says that the time is up, and if most of it went by in building, that it did.
func (s *session) spent() string {
	if all := s.now().Sub(s.results.Started); 2*s.building > all {
		return fmt.Sprintf("%v, %v of %v by building the tests", ErrBudget, round(s.building), round(all))
	}
	return ErrBudget.Error()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// A built is a package with its binaries.
type built struct {
	pkg           *Package
	plain, traced *Binary
}

// builds returns a function that gives the i-th package, built. It is called
// with 0, 1, 2 and so on; if packages are built ahead, in the background.
func (s *session) builds(ctx context.Context) func(i int) *built {
	if s.r.ahead < 1 {
		return func(i int) *built { return s.build(ctx, i, 0) }
	}
	ch := make(chan *built, s.r.ahead-1)
	go func() {
		for i := range s.r.Packages {
			procs := 0
			if i > 0 { // others run now: leave them most of the processors
				procs = max(1, runtime.GOMAXPROCS(0)/4)
			}
			select {
			case ch <- s.build(ctx, i, procs):
			case <-ctx.Done():
				return
			}
		}
	}()
	return func(int) *built {
		select {
		case b := <-ch:
			return b
		case <-ctx.Done():
			return nil
		}
	}
}

// build builds one package: the plain binary first, so that the user's compile
// errors are shown as the user's.
func (s *session) build(ctx context.Context, i, procs int) *built {
	b := &built{pkg: &Package{Target: s.r.Packages[i]}}
	s.tell(Event{Kind: Building, Package: b.pkg.ImportPath, Index: i + 1})
	plain := *s.r.Plain
	plain.procs = procs
	b.plain, b.pkg.Err = plain.Test(ctx, b.pkg.Target)
	if errors.Is(b.pkg.Err, ErrNoTestFiles) {
		b.pkg.NoTestFiles, b.pkg.Err = true, nil
		return b
	}
	if b.pkg.Err != nil || s.r.Traced == nil {
		return b
	}
	traced := *s.r.Traced
	traced.procs = procs
	b.traced, b.pkg.TracedErr = traced.Test(ctx, b.pkg.Target)
	if fault := (*BuildError)(nil); errors.As(b.pkg.TracedErr, &fault) {
		fault.Traced = true
	}
	return b
}

// A session is one call of [Runner.Run].
type session struct {
	r        *Runner
	results  *Results
	store    *store
	raw      *rawFiles
	progress progress
	now      func() time.Time
	deadline time.Time     // of the runs, zero for none
	building time.Duration // for how long runs had to wait for packages to be built
}

func newSession(r *Runner) (*session, error) {
	s := &session{r: r, now: r.Exec.now}
	if s.now == nil {
		s.now = time.Now
	}
	start := s.now()
	s.deadline = r.Deadline
	s.results = &Results{Started: start, N: r.N, Controls: r.controls(), Parallel: max(r.Parallel, 1)}
	s.progress = progress{report: r.Report, packages: len(r.Packages), parallel: s.results.Parallel}
	if r.Dir == "" {
		return s, nil
	}
	var err error
	s.raw, err = newRawFiles(filepath.Join(r.Dir, rawDir), r.Recycle, s.results.Parallel+1)
	if err != nil {
		return nil, fmt.Errorf("making the run directory: %w", err)
	}
	s.store, err = createStore(r.Dir, s.results)
	return s, err
}

// finish closes the books.
func (s *session) finish(cause error) {
	s.results.Elapsed = s.now().Sub(s.results.Started)
	s.results.OverBudget = s.results.OverBudget || errors.Is(cause, ErrBudget)
	s.results.Interrupted = cause != nil && !errors.Is(cause, ErrBudget)
	if s.store == nil {
		return
	}
	os.RemoveAll(s.raw.dir)
	s.store.end(s.results)
	if err := s.store.close(); err != nil {
		s.results.Warnings = append(s.results.Warnings,
			fmt.Sprintf("the runs could not all be stored, and can't be reported on again later: %v", err))
	}
}

// tell reports an event with what is known about the whole.
func (s *session) tell(e Event) {
	var budget time.Duration
	if !s.deadline.IsZero() {
		budget = max(s.deadline.Sub(s.now()), 1)
	}
	s.progress.tell(e, s.now().Sub(s.results.Started), budget)
}

// slug names a package's files in the run directory.
func slug(i int, importPath string) string {
	base := importPath[strings.LastIndexByte(importPath, '/')+1:]
	clean := func(c rune) rune {
		if slices.Contains([]rune("-_."), c) || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '_'
	}
	return fmt.Sprintf("%03d-%s", i+1, strings.Map(clean, base))
}
