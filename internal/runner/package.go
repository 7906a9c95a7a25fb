package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A packageRun executes one package's binaries.
type packageRun struct {
	s         *session
	pkg       *Package
	index     int
	exec      Exec // template, with all but Binary and Trace set
	plain     *Binary
	traced    *Binary   // nil if the runs are of the plain binary
	lastStart time.Time // no run starts later; zero for no limit

	mu       sync.Mutex
	schedule []job // what is still to be run
	total    int
	done     int
	failed   int        // among Runs
	aside    []asideRun // of which it is not known yet whether they hang
	leftOut  int        // of those
	cut      int        // runs that were under way when the context ended, and were dropped
	stopped  error      // a process could not be started
}

// An asideRun is one that was stopped before it was known how long others take.
type asideRun struct {
	run *Run
	raw string // its trace
}

// A job is one execution.
type job struct {
	control bool
	n       int
}

// runPackage executes a built package, or notes why it can't be.
func (s *session) runPackage(ctx context.Context, i int, b *built) {
	if b == nil || ctx.Err() != nil {
		return // interrupted while it was built
	}
	s.results.Packages = append(s.results.Packages, b.pkg)
	s.store.addPackage(b.pkg)
	if b.plain != nil {
		p := s.newPackageRun(i, b)
		p.run(ctx)
		s.store.addPackage(b.pkg)
	}
	s.tell(Event{Kind: PackageDone, Package: b.pkg.ImportPath, Index: i + 1, Err: cmp.Or(b.pkg.Err, b.pkg.TracedErr)})
}

func (s *session) newPackageRun(i int, b *built) *packageRun {
	p := &packageRun{s: s, pkg: b.pkg, index: i, exec: s.r.Exec, plain: b.plain, traced: b.traced}
	p.exec.Select = s.r.Select
	p.exec.Env = withGo(p.exec.Env, s.r.Plain.GoCmd)
	p.exec.explainer = p.exec.newExplainer(b.pkg.Target)
	controls := s.r.controls()
	if b.traced == nil {
		controls = 0
	}
	b.pkg.Plain, b.pkg.Traced = b.plain, b.traced
	p.schedule = interleave(s.r.N, controls)
	if s.r.Has != nil {
		p.schedule = slices.DeleteFunc(p.schedule, func(j job) bool { return !s.r.Has(j.n) })
	}
	p.total = len(p.schedule)
	if !s.deadline.IsZero() {
		left := s.deadline.Sub(s.now())
		p.lastStart = s.now().Add(left / time.Duration(len(s.r.Packages)-i))
	}
	p.exec.pace = newPace(p.exec.patience, s.r.Select.Timeout > 0, p.lastStart)
	p.exec.pace.few = p.total <= hangRuns
	return p
}

// withGo puts the directory of the go command first in PATH, as go test does,
// for tests that run it. That of the plain build is used throughout: tests
// must not find the instrumented toolchain.
func withGo(env []string, goCmd string) []string {
	if env == nil {
		env = os.Environ()
	}
	if !filepath.IsAbs(goCmd) {
		return env
	}
	list := filepath.Dir(goCmd)
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok && v != "" {
			list = filepath.Dir(goCmd) + string(os.PathListSeparator) + v
		}
	}
	return append(slices.Clip(env), "PATH="+list)
}

// interleave spreads k control runs evenly over n runs, so that a machine that
// becomes slower or busier meanwhile affects both alike.
func interleave(n, k int) []job {
	jobs := make([]job, 0, n+k)
	for i, c := 0, 0; i < n || c < k; {
		if c < k && (2*c+1)*n <= 2*i*k || i == n {
			c++
			jobs = append(jobs, job{control: true, n: c})
		} else {
			i++
			jobs = append(jobs, job{n: i})
		}
	}
	return jobs
}

// run executes the whole schedule. The first run goes alone: if it has no
// tests, the others would not have any either.
func (p *packageRun) run(ctx context.Context) {
	finishing := make(chan func())
	finished := make(chan struct{})
	go func() { // traces are compacted while the next run is under way
		for f := range finishing {
			f()
		}
		close(finished)
	}()
	p.step(ctx, finishing)
	if len(p.pkg.Runs) > 0 || len(p.pkg.Controls) > 0 {
		p.checkTests()
	}
	var workers sync.WaitGroup
	for range p.s.results.Parallel {
		workers.Go(func() {
			for p.step(ctx, finishing) {
			}
		})
	}
	workers.Wait()
	p.settle(finishing)
	close(finishing)
	<-finished
	p.conclude(ctx)
}

// checkTests drops the schedule if the first run came to no test.
func (p *packageRun) checkTests() {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := append(slices.Clone(p.pkg.Runs), p.pkg.Controls...)[0]
	if !first.ranTests() && first.Exit.ok() {
		p.pkg.NoTests = true
		p.schedule = nil
	}
}

// step executes the next job and reports whether there may be more.
func (p *packageRun) step(ctx context.Context, finishing chan<- func()) bool {
	j, ok := p.next(ctx)
	if !ok {
		return false
	}
	x := p.exec
	x.Binary, x.control = p.plain, j.control
	raw := ""
	if p.traced != nil && !j.control {
		x.Binary = p.traced
		raw = p.s.raw.begin(fmt.Sprintf("%s-%04d", slug(p.index, p.pkg.ImportPath), j.n))
		x.Trace = raw
	}
	seed := p.pin(&x, j.n)
	run, err := x.Run(ctx)
	unpin(&x)
	if err != nil {
		p.giveUp(run, err, ctx.Err() != nil)
		p.s.raw.end(raw)
		return false
	}
	run.N = j.n
	run.Seed = seed
	if run.aside {
		p.putAside(asideRun{run, raw})
		return true
	}
	p.add(run)
	finishing <- func() { p.keep(run, raw) }
	return true
}

// next takes a job from the schedule.
func (p *packageRun) next(ctx context.Context) (job, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.schedule) == 0 || ctx.Err() != nil || p.stopped != nil {
		return job{}, false
	}
	// Every package is run once, however small its share of the budget is.
	if !p.lastStart.IsZero() && p.s.now().After(p.lastStart) && p.done+len(p.aside) > 0 {
		return job{}, false
	}
	j := p.schedule[0]
	p.schedule = p.schedule[1:]
	return j, true
}

func (p *packageRun) putAside(a asideRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aside = append(p.aside, a)
	p.exec.pace.putAside(a.run)
}

// settle decides which of the runs that were put aside hang. The others are left out.
func (p *packageRun) settle(finishing chan<- func()) {
	var last *Run
	for _, a := range p.aside {
		usual, hung := p.exec.pace.hung(a.run)
		if !hung {
			p.s.raw.end(a.raw)
			p.leftOut, last = p.leftOut+1, a.run
			continue
		}
		a.run.overran(usual)
		p.add(a.run)
		finishing <- func() { p.keep(a.run, a.raw) }
	}
	if last == nil {
		return
	}
	if p.pkg.Unfinished == nil {
		p.pkg.Unfinished = last
	}
	if p.done == 0 && p.stopped == nil {
		p.stopped = fmt.Errorf("no run was completed: the last of %s %s", count(p.leftOut, "run"), last.cutOff())
		return
	}
	p.pkg.warn("left out: %s that may hang: too few others ended to tell; the last %s", count(p.leftOut, "run"), last.cutOff())
}

// giveUp notes a run that was not completed: the context ended, or the process
// could not be started. A run is nil if the context ended before it began.
func (p *packageRun) giveUp(run *Run, err error, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ended {
		if run == nil {
			return
		}
		p.cut++
		if p.pkg.Unfinished == nil || run.Wall > p.pkg.Unfinished.Wall {
			p.pkg.Unfinished = run
		}
	} else if p.stopped == nil {
		p.stopped = err
	}
}

// add counts a completed run.
func (p *packageRun) add(run *Run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run.Control {
		p.pkg.Controls = append(p.pkg.Controls, run)
	} else {
		p.pkg.Runs = append(p.pkg.Runs, run)
	}
	p.exec.pace.add(run)
	p.done++
	if run.Failed() { // of all that are said to be done, be they recorded or not
		p.failed++
	}
}

// keep stores a completed run and its traces, and reports it.
func (p *packageRun) keep(run *Run, raw string) {
	if raw != "" {
		p.compact(run, raw)
		p.give(run)
	}
	p.s.store.addRun(run)
	p.mu.Lock()
	e := Event{
		Kind: RunDone, Package: p.pkg.ImportPath, Index: p.index + 1, Run: run, Done: p.done, Of: p.total, Failed: p.failed,
	}
	p.mu.Unlock()
	p.s.tell(e)
}

// give gives races, and the death of the process, to the tests that the run's trace knows they belong to.
func (p *packageRun) give(run *Run) {
	if len(run.Traces) == 0 || len(run.Races) == 0 && run.died() == nil {
		return
	}
	t, err := trace.Open(filepath.Join(p.s.r.Dir, filepath.FromSlash(run.Traces[0])))
	if err != nil {
		return
	}
	defer t.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	giveRacesByTrace(run, t)
	run.GiveDeath(t)
	p.exec.explainer.explainAll(run)
}

// conclude puts the runs in order, explains the failures once more with all
// that is known now, and says why runs are missing.
func (p *packageRun) conclude(ctx context.Context) {
	p.pkg.sort()
	giveControls(p.pkg.Runs, p.pkg.Controls)
	for _, run := range append(slices.Clone(p.pkg.Runs), p.pkg.Controls...) {
		before := make([]Signature, len(run.Outcomes))
		for i, o := range run.Outcomes {
			before[i] = o.Signature
		}
		p.exec.explainer.explainAll(run)
		for i, o := range run.Outcomes {
			if o.Signature != before[i] {
				p.s.store.addSignature(run, o)
			}
		}
	}
	if p.s.r.Has != nil {
		p.s.store.addLogs(p.pkg.ImportPath, p.exec.explainer.logs)
	}
	missing := len(p.schedule)
	switch {
	case p.stopped != nil && p.done == 0:
		p.pkg.Err = p.stopped
	case p.stopped != nil:
		p.pkg.warn("stopped after %d of %d runs: %v", p.done, p.total, p.stopped)
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), ErrBudget):
		p.pkg.warn("interrupted after %d of %d runs", p.done, p.total)
	case missing > 0 || p.done+p.leftOut < p.total && !p.pkg.NoTests:
		p.s.results.OverBudget = true
		p.pkg.warn("stopped after %d of %d runs: %s", p.done, p.total, p.s.spent())
	}
	p.warnCut()
}

// warnCut says which runs are left out because time was up.
func (p *packageRun) warnCut() {
	if p.cut == 0 {
		return
	}
	text := count(p.cut, "run") + " under way then " + p.pkg.Unfinished.cutOff()
	if p.cut > 1 {
		text = count(p.cut, "run") + " under way then, of which the longest " + p.pkg.Unfinished.cutOff()
	}
	if usual, _ := p.exec.pace.usual(p.pkg.Unfinished.Control); usual.Of > 0 {
		text += fmt.Sprintf("; others took %v (median of %d)", round(usual.Usual), usual.Of)
	}
	p.pkg.warn("left out: %s", text)
}

// cutOff says when a run was cut off, and in which test.
func (r *Run) cutOff() string {
	text := fmt.Sprintf("was cut off after %v", round(r.Wall))
	for _, o := range r.Outcomes {
		if o.Status == Timeout && o.Test != "" && !o.ByChild {
			return text + " in " + o.Test
		}
	}
	return text
}

// sort puts the runs in order: side by side, they end in any.
func (p *Package) sort() {
	byN := func(a, b *Run) int { return a.N - b.N }
	slices.SortStableFunc(p.Runs, byN)
	slices.SortStableFunc(p.Controls, byN)
}

func (p *Package) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}
