package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A packageRun executes one package's binaries.
type packageRun struct {
	s     *session
	pkg   *Package
	index int
	exec  Exec // template: everything except Binary and Trace
	total int  // number of runs to make, without control runs

	// Under the session's lock.
	built      bool
	runs       []int     // numbers of the runs still to make
	begun      int       // runs that began
	controls   []int     // the same for control runs, which are made once a run has failed
	controlled int       // control runs that began
	more       int       // control runs that were added, see moreControls
	wantsPlain bool      // the plain binary is being built for them
	live       int       // processes
	last       time.Time // when the last one began
	done       int
	failed     int           // over all completed runs, recorded or not
	wholes     int           // runs of all tests that began, where some were chosen
	wall       time.Duration // total time of the runs after the first one
	first      time.Duration // time of the first one
	clocked    bool          // its first run shows that its tests read the clock
	cut        int           // runs that were dropped because the context ended
	ended      bool          // the context ended before one of the runs was completed
	stopped    error         // why a process could not be started
}

// A job is one execution.
type job struct {
	control bool
	first   bool // of all runs of the package
	whole   bool // all tests run, although some were chosen
	n       int
	plain   *Binary // if there is one yet: it may come while runs are under way
}

func (s *session) newPackageRun(i int, target Target) *packageRun {
	p := &packageRun{s: s, pkg: &Package{Target: target}, index: i, exec: s.r.Exec, runs: s.r.numbers(s.r.N),
		controls: s.r.numbers(s.r.controls())}
	p.exec.Select = s.r.Select
	p.exec.Env = withGo(p.exec.Env, s.r.Plain.GoCmd)
	p.exec.explainer = p.exec.newExplainer(target)
	p.total = len(p.runs)
	p.exec.pace = newPace(p.exec.patience, s.r.Select.Timeout > 0, s.r.Deadline) // Stop ends no run
	return p
}

// numbers returns which of n runs are made here.
func (r *Runner) numbers(n int) (list []int) {
	for i := 1; i <= n; i++ {
		if r.Has == nil || r.Has(i) {
			list = append(list, i)
		}
	}
	return list
}

// earliest returns the earlier of two times, where zero means none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// withGo puts the directory of the go command first in PATH, as go test does, for tests that run
// it. It is always that of the plain build, because tests must not find the instrumented
// toolchain.
func withGo(env []string, goCmd string) []string {
	env = orOwn(env)
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

// run makes one run. It returns the rest of the work for one that was completed, else nil.
func (p *packageRun) run(ctx context.Context, j job) (finish func()) {
	x := p.exec
	x.Binary, x.control = j.plain, j.control
	if j.whole {
		x.Select.Run, x.pace = "", nil // how long it takes is not known from the others
	}
	raw := ""
	if p.pkg.Traced != nil && !j.control {
		x.Binary = p.pkg.Traced
		raw = p.s.raw.begin(fmt.Sprintf("%s-%04d", slug(p.index, p.pkg.ImportPath), j.n))
		x.Trace = raw
	}
	seed := p.seed(j.n)
	pinned := p.pin(&x, seed, j.first)
	came := p.s.now()
	drawn := p.await(ctx, seed)
	waited := p.s.now().Sub(came)
	run, err := x.Run(ctx)
	os.Remove(x.Perturb) // "" is no file
	if err != nil {
		p.giveUp(run, err, ctx.Err() != nil)
		p.s.raw.end(raw)
		return nil
	}
	run.N, run.Seed, run.Period, run.waited = j.n, pinned, drawn, waited
	if j.whole {
		run.ofWhole(&p.exec.Select)
	}
	p.add(run)
	return func() {
		p.keep(run, raw)
		if j.first {
			p.noteClock(run)
		}
	}
}

// giveUp notes a run that was not completed, because the context ended or the process could not
// be started. run is nil if the context ended before it began.
func (p *packageRun) giveUp(run *Run, err error, ended bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if ended {
		p.ended = true
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
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if run.Control {
		p.pkg.Controls = append(p.pkg.Controls, run)
	} else {
		p.pkg.Runs = append(p.pkg.Runs, run)
	}
	switch {
	case !run.Whole:
		p.exec.pace.add(run)
	case run.Exit.TimedOut:
		p.wholes = wholeRuns // the others would take as long
	}
	if p.done++; p.done == 1 {
		p.first = run.Wall
	} else {
		p.wall += run.waited + run.Wall
	}
	if run.noTests && !run.ranTests() && run.Exit.ok() {
		p.pkg.NoTests = true // the others would have none either
	}
	if run.Failed() {
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
	p.s.tell(Event{Kind: RunDone, Package: p.pkg.ImportPath, Run: run})
}

// give completes a run from its trace: with outcomes that the output does not tell, and the test that the death of
// the process belongs to.
func (p *packageRun) give(run *Run) {
	if len(run.Traces) == 0 || !run.untold() {
		return
	}
	t, err := trace.Open(filepath.Join(p.s.r.Dir, filepath.FromSlash(run.Traces[0])))
	if err != nil {
		return
	}
	defer t.Close()
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.exec.Tell(run, t)
}

// conclude sorts the runs, explains the failures again with all that is known now, and says why
// runs are missing.
func (p *packageRun) conclude(ctx context.Context) {
	p.pkg.sort()
	p.pkg.NoTests = p.pkg.NoTests || p.pkg.noneRan()
	if p.pkg.checkControls() {
		p.pkg.warn("without control runs: only the recorder tells what became of the tests")
	}
	giveDeaths(p.pkg.Runs, p.pkg.Controls)
	for _, run := range slices.Concat(p.pkg.Runs, p.pkg.Controls) {
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
	switch {
	case p.stopped != nil && p.done == 0:
		p.pkg.Err = p.stopped
	case p.stopped != nil:
		p.pkg.warn("stopped after %d of %d runs: %v", len(p.pkg.Runs), p.total, p.stopped)
	}
	if n := p.pkg.Wholes(); n > 0 {
		p.pkg.warn("%s of all tests of the package, because the chosen ones alone failed in each of the first %d",
			text.Plural(n, "run"), chosenRuns)
	}
	p.warnCut()
}

// warnCut says which runs are left out because time was up.
func (p *packageRun) warnCut() {
	if p.cut == 0 {
		return
	}
	said := text.Plural(p.cut, "run") + " under way then " + p.pkg.Unfinished.cutOff()
	if p.cut > 1 {
		said = text.Plural(p.cut, "run") + " under way then; the longest " + p.pkg.Unfinished.cutOff()
	}
	if usual, _ := p.exec.pace.usual(p.pkg.Unfinished.Control); usual.Of > 0 {
		said += fmt.Sprintf("; others took %v (median of %d)", round(usual.Usual), usual.Of)
	}
	p.pkg.warn("left out: %s", said)
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

// sort sorts the runs, because parallel runs end in any order.
func (p *Package) sort() {
	byN := func(a, b *Run) int { return a.N - b.N }
	slices.SortStableFunc(p.Runs, byN)
	slices.SortStableFunc(p.Controls, byN)
}

func (p *Package) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}
