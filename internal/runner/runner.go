package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/text"
)

// A Runner builds test packages and executes each of them N times. Set its
// fields and call [Runner.Run].
type Runner struct {
	Packages []Target
	Plain    *Build // the user's own build; required
	Traced   *Build // with probes; nil to run only the plain binaries
	N        int    // runs of each package
	// Controls is how many runs of the plain binary are made in between, for each package with a
	// failed run. Without Traced there are none.
	Controls int
	Select   Selection
	// Has reports whether a run or control run, by number, is made here, if others make the rest;
	// nil for all.
	Has func(n int) bool
	// The seeds of all runs are derived from Seed; with 0 they are different each time.
	Seed uint64
	// Slots are where processes run; nil for one at a time.
	Slots *Slots
	// Likely reports whether a test of a package is known to be flaky; nil for no package.
	Likely func(importPath string) bool
	// After Stop no run begins, and at Deadline those under way are ended; zero for never. Each
	// package is built and run once in any case, until First. A zero First means Deadline.
	Stop, Deadline, First time.Time
	Dir                   string                      // directory for traces and runs.jsonl
	Compact               func(raw, dst string) error // turns a raw trace file into a stored one: trace.Compact
	// Recycle empties a raw trace file for another process to write to: trace.Recycle. nil to
	// remove the files, if the probe runtime needs new ones.
	Recycle func(raw string) error
	// Pin writes a file that makes a seed determine the random choices of a traced process, so
	// that they can be repeated; nil if the probe runtime can't. The trace of the first run of a
	// package also has where it reads the clock.
	Pin func(file string, seed uint64, first bool) error
	// Clocked reports whether that trace, a stored one, shows that tests read the clock; nil to start
	// all runs at once.
	Clocked func(trace string) bool
	Report  func(Event) // called with progress, by one goroutine at a time; may be nil
	Exec    Exec        // template: Env, TraceBudget, Limit, Grace, Modules, Root
}

var (
	// ErrNoTests is returned if no package has a test that matches.
	ErrNoTests = errors.New("no tests to run")

	// ErrBudget is why runs ended, and is returned if none had been completed by then.
	ErrBudget = errors.New("the time budget for runs is spent")
)

// Run builds and executes everything: each package once, then each a second time, and so on. The
// results contain all completed runs, even with an error. They also say which packages do not
// build. There is an error only if nothing could be run. When the context is cancelled, the
// processes under way are killed, and there is no error.
func (r *Runner) Run(ctx context.Context) (*Results, error) {
	s, err := newSession(r)
	if err != nil {
		return nil, err
	}
	if last := s.last(); !last.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, last, ErrBudget)
		defer cancel()
	}
	s.run(ctx)
	s.finish(context.Cause(ctx))
	return s.results, s.verdict()
}

// last is when everything ends.
func (s *session) last() time.Time {
	if s.r.Deadline.IsZero() || s.r.First.Before(s.r.Deadline) {
		return s.r.Deadline
	}
	return s.r.First
}

// run builds in the background, and executes built packages wherever there is a slot.
func (s *session) run(ctx context.Context) {
	compacted := s.compactor()
	var all sync.WaitGroup
	all.Go(func() { s.buildAll(ctx) })
	for range max(s.slots.Most, 1) {
		all.Go(func() {
			for s.step(ctx) {
			}
		})
	}
	all.Wait()
	s.controls.Wait()
	close(s.finishing)
	<-compacted
	for _, p := range s.packages {
		p.conclude(ctx)
		s.store.AddPackage(p.pkg)
		if p.pkg.NeverRun() {
			continue
		}
		s.tell(Event{Kind: PackageDone, Package: p.pkg.ImportPath,
			Err: cmp.Or(p.pkg.Err, p.pkg.TracedErr)})
	}
}

// compactor stores traces while the next runs are under way. The channel is closed when all are
// stored.
func (s *session) compactor() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		for f := range s.finishing {
			f()
		}
		close(done)
	}()
	return done
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
	where := text.Plural(len(s.r.Packages), "package")
	if sel := s.r.Select.pattern(); sel != "" {
		return fmt.Errorf("%w: none in %s match %s; `go test -list .` names the tests", ErrNoTests, where, sel)
	}
	return fmt.Errorf("%w in %s", ErrNoTests, where)
}

// unfinished says where the first run that was cut off had got to. If there is none, it says that
// no run began.
func (s *session) unfinished() string {
	for _, p := range s.results.Packages {
		if p.Unfinished != nil {
			return fmt.Sprintf("; a run of %s %s", p.ImportPath, p.Unfinished.cutOff())
		}
	}
	return "; the tests were still being built"
}

// leftOut reports whether there was no time for some of the runs.
func (s *session) leftOut() bool {
	return slices.ContainsFunc(s.packages, func(p *packageRun) bool { return !p.built || p.wants() || p.cut > 0 })
}

// A session is one call of [Runner.Run].
type session struct {
	r         *Runner
	results   *Results
	packages  []*packageRun // one for each of results.Packages
	slots     *Slots
	store     *Store
	raw       *rawFiles
	finishing chan func()    // the rest of the work for completed runs
	controls  sync.WaitGroup // plain binaries being built, or to be built
	building  sync.Mutex     // held while one of them is: go commands side by side would each build shared packages
	telling   sync.Mutex     // held while an event is reported
	now       func() time.Time

	mu    sync.Mutex
	built bool          // whether all packages are built, or can't be
	ahead time.Duration // time of runs of packages that were ahead of others because one of their runs had failed
	took  time.Duration // time of all runs
}

func newSession(r *Runner) (*session, error) {
	s := &session{r: r, now: r.Exec.now, slots: r.Slots, finishing: make(chan func())}
	if s.now == nil {
		s.now = time.Now
	}
	if s.slots == nil {
		s.slots = &Slots{}
	}
	start := s.now()
	s.results = &Results{Started: start, N: r.N, Controls: r.controls(), Parallel: max(s.slots.Each, 1)}
	if r.Dir != "" {
		var err error
		s.raw, err = newRawFiles(filepath.Join(r.Dir, rawDir), r.Recycle, max(s.slots.Most, 1)+1)
		if err != nil {
			return nil, fmt.Errorf("making the run directory: %w", err)
		}
		if s.store, err = CreateStore(r.Dir, s.results); err != nil {
			return nil, err
		}
	}
	for i, target := range r.Packages {
		p := s.newPackageRun(i, target)
		s.packages = append(s.packages, p)
		s.results.Packages = append(s.results.Packages, p.pkg)
		s.store.AddPackage(p.pkg)
	}
	return s, nil
}

// finish ends the session.
func (s *session) finish(cause error) {
	s.results.Elapsed = s.now().Sub(s.results.Started)
	s.results.OverBudget = errors.Is(cause, ErrBudget) || !s.r.Deadline.IsZero() && s.timeIsUp() && s.leftOut()
	ended := slices.ContainsFunc(s.packages, func(p *packageRun) bool { return p.ended })
	// A signal that comes when all runs are done interrupts the steps after them.
	s.results.Interrupted = cause != nil && !errors.Is(cause, ErrBudget) && (ended || s.leftOut())
	if s.store == nil {
		return
	}
	os.RemoveAll(s.raw.dir)
	s.store.End(s.results)
	if err := s.store.Close(); err != nil {
		s.results.Warnings = append(s.results.Warnings,
			fmt.Sprintf("the runs could not all be stored, and can't be reported on again later: %v", err))
	}
}

// slug names a package's files in the run directory.
func slug(i int, importPath string) string {
	return fmt.Sprintf("%03d-%s", i+1, text.DirName(path.Base(importPath)))
}
