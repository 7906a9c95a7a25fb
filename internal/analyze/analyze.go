// Package analyze goes from the runs of a test to findings. It compares the runs, and tells
// who waited for whom and who ended the process. It takes in recorded values, data races
// and what experiments have shown. It asks for the places where the cause may lie, and
// makes hints for experiments of them.
package analyze

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// An Analyzer turns the runs of a run directory into the input of its reports.
type Analyzer struct {
	Dir   string // run directory, with traces and sites.json
	Sites *trace.Sites
	Meta  Meta
	Notes string // the user's Markdown
	Warnf func(format string, args ...any)
	// Module is where the module is now that the tests were built from, "" if it is
	// still at Sites.Root.
	Module string
	// Replaced has the files that stand for others of the module in the user's overlay, by their paths.
	Replaced map[string]string

	// Known has the answers of the go command about the packages, where there is none; or nil.
	Known source.Known

	Build []string // the user's build flags
	// Exported returns the files with the export data of packages that the tests were built with,
	// by import path; nil asks the go command.
	Exported func(ctx context.Context, paths []string) (map[string]string, error)
	Without  []string // names of rules of package diagnose to leave out

	sources    *sourceKeeper
	source     *source.Index // nil until it is needed
	loaded     []string      // packages that it has
	runs       *runner.Results
	rounds     int                    // that all packages had
	valueSites []divergence.ValueSite // where the traces have values, nil if they have none
	unvalued   map[int][]unvalued     // origins of operands that no values were recorded of, by site
	ranked     map[*finding.Failure]*ranking
	shown      []TestVerdict // by experiments of this process; nil: what an earlier one has kept is read
}

// Read reads the run directory, and turns what is there into findings.
func (an *Analyzer) Read(ctx context.Context) (*finding.Result, *runner.Results, error) {
	results, err := runner.Load(an.Dir)
	if err != nil {
		return nil, nil, err
	}
	if an.Sites, err = trace.ReadSites(filepath.Join(an.Dir, "sites.json")); err != nil {
		return nil, nil, err
	}
	if err := an.Meta.ReadFile(an.Dir); err != nil {
		return nil, nil, err
	}
	result, err := an.Result(ctx, results)
	if err == nil {
		err = an.AddValues(ctx, result)
	}
	if err != nil {
		return nil, nil, err
	}
	an.Conclude(ctx, result)
	return result, results, nil
}

// Result compares the runs of every test that failed.
func (an *Analyzer) Result(ctx context.Context, res *runner.Results) (*finding.Result, error) {
	an.sources, an.runs, an.rounds = newSourceKeeper(an.Dir, an.rootHere(), an.Replaced), res, res.Rounds()
	if an.Meta.Hunt { // of each package there are as many as it took
		an.rounds = res.N
	}
	out := &finding.Result{
		Command:    an.Meta.Command,
		Options:    an.Meta.Options,
		Version:    an.Meta.Version,
		Go:         an.Meta.Go,
		Module:     an.Sites.Module,
		Platform:   an.Meta.Platform,
		Started:    res.Started,
		Elapsed:    res.Elapsed,
		Executions: an.rounds,
		Asked:      res.N,
		Sites:      an.Sites,
		Source:     an.sources.read,
		Notes:      an.Notes,
		Warnings:   append([]string{}, res.Warnings...),
	}
	if home, err := os.UserHomeDir(); err == nil {
		out.Home = home
	}
	out.Environ = os.Environ()
	if res.Parallel > 1 {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf(
				"%d processes ran side by side (-procs %d): tests that share a port or a file may fail for that alone",
				res.Parallel, res.Parallel))
	}
	if n := out.Executions; n < res.N && (res.Interrupted || res.OverBudget) {
		how := map[bool]string{true: "Interrupted", false: "The time was up"}[res.Interrupted]
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s after %d of %s of each package.", how, n, times(res.N)))
	}
	for _, pkg := range res.Packages {
		if pkg.NeverRun() {
			out.NeverRun = append(out.NeverRun, pkg.ImportPath)
		}
		tests, err := an.pkg(ctx, pkg)
		if err != nil {
			return nil, err
		}
		out.Tests = append(out.Tests, tests...)
		out.Passing += passing(pkg, tests)
	}
	out.Tests = finding.Relate(out.Tests)
	return out, nil
}

// passing counts the top-level tests of a package that passed, without those in which
// a part failed.
func passing(pkg *runner.Package, failed []*finding.Test) int {
	passed := make(map[string]bool)
	for _, r := range pkg.Runs {
		for _, o := range r.Outcomes {
			if o.Test != "" && o.Test == trace.TopTest(o.Test) && o.Status == runner.Passed {
				passed[o.Test] = true
			}
		}
	}
	for _, t := range failed {
		delete(passed, trace.TopTest(t.Name))
	}
	return len(passed)
}

// pkg returns the tests of one package that failed.
func (an *Analyzer) pkg(ctx context.Context, pkg *runner.Package) ([]*finding.Test, error) {
	var tests []*finding.Test
	traces := newTraceSet(ctx, an.Dir)
	defer traces.close()
	lost := an.lostTraces(pkg)
	for _, u := range pkg.Units() {
		t, err := an.test(ctx, u, traces)
		if err != nil {
			return nil, err
		}
		t.Warnings = append(t.Warnings, lost...)
		tests = append(tests, t)
	}
	return tests, nil
}

// lostTraces says for how many runs of a package something went wrong beside the
// tests, and what: mostly that there was no room for a trace.
func (an *Analyzer) lostTraces(pkg *runner.Package) []string {
	n, first, full := 0, "", false
	for _, r := range pkg.Runs {
		full = full || r.DiskFull
		if len(r.Warnings) > 0 {
			n++
			first = cmp.Or(first, r.Warnings[0])
		}
	}
	if n == 0 {
		return nil
	}
	err := &lostError{fmt.Sprintf("%d of %s: %s", n, times(len(pkg.Runs)), first), full}
	an.Warnf("%s: %v", pkg.ImportPath, err)
	return []string{err.Error()}
}

// times says how many runs it is about.
func times(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// A lostError says that traces were lost. It is syscall.ENOSPC if that may be for
// want of room.
type lostError struct {
	text string
	full bool
}

func (e *lostError) Error() string { return e.text }

func (e *lostError) Is(target error) bool { return e.full && target == syscall.ENOSPC }

func (an *Analyzer) test(ctx context.Context, u *runner.Unit, traces *traceSet) (*finding.Test, error) {
	t := &finding.Test{Package: u.Package.ImportPath, Name: u.Test, Warnings: append([]string{}, u.Package.Warnings...)}
	if err := u.Package.TracedErr; err != nil {
		t.Warnings = append(t.Warnings, fmt.Sprintf("no traces: the instrumented binary did not build: %v", err))
	}
	failureOf := make(map[int]int)
	for i, g := range u.Groups {
		for _, r := range g.Runs {
			failureOf[r.Run.N] = i
		}
	}
	for _, r := range u.Runs {
		run := an.reportRun(r, u.Test)
		if i, ok := failureOf[run.N]; ok {
			run.Failure = i
		}
		t.Runs = append(t.Runs, run)
	}
	for _, r := range u.Control {
		t.Plain = append(t.Plain, an.reportRun(r, u.Test))
	}
	t.PlainFailure = plainFailure(u)
	t.Warnings = append(t.Warnings, late(u)...)
	t.Alone, t.Seed = alone(u), failingSeed(u)
	for _, g := range u.Groups {
		f, err := an.failure(ctx, u, g, traces)
		if err != nil {
			return nil, err
		}
		t.Failures = append(t.Failures, f)
	}
	return t, nil
}

// plainFailure returns the first control run that failed, nil if none did.
func plainFailure(u *runner.Unit) *finding.PlainFailure {
	for _, r := range u.Control {
		if o := r.Outcome; r.Status.Failing() {
			return &finding.PlainFailure{Run: r.Run.N, Message: o.Message, Output: o.Output, Dump: o.Dump}
		}
	}
	return nil
}

// late says in how many runs it is only for what came after its end that a test counts as failed.
func late(u *runner.Unit) (list []string) {
	deaths := 0
	for _, r := range u.Runs {
		if r.Outcome != nil && r.Outcome.Late && r.Outcome.Status == runner.Crashed {
			deaths++
		}
	}
	if deaths > 0 {
		list = append(list, fmt.Sprintf(
			"in %d of %d failing runs the test had passed when a goroutine that it had started ended the process, and go test blames another test or the package",
			deaths, u.Failed))
	}
	return list
}

func (an *Analyzer) reportRun(r runner.UnitRun, test string) finding.Run {
	run := finding.Run{N: r.Run.N, Extra: r.Run.N > an.rounds, Status: finding.Status(r.Status), Failure: -1,
		Provoked: r.Run.Provoked}
	if r.Outcome != nil {
		run.Elapsed = r.Outcome.Elapsed
	} else if o := r.Run.Outcome(test); o != nil {
		run.ByChild = o.ByChild
	}
	return run
}

// failure compares the runs that failed in one way with those that passed.
func (an *Analyzer) failure(ctx context.Context, u *runner.Unit, g *runner.Group,
	traces *traceSet) (*finding.Failure, error) {
	o := g.Runs[0].Outcome
	f := &finding.Failure{
		Signature: g.Signature.String(),
		Message:   o.Message,
		Output:    o.Output,
		Frame:     g.Signature.Frame,
		Dump:      o.Dump,
		Late:      o.Late && o.Status == runner.Crashed,
		Stacks:    make(map[uint32][]trace.Frame),
	}
	for _, r := range g.Runs {
		f.Runs = append(f.Runs, r.Run.N)
	}
	f.Wordings, f.MoreWordings = wordings(g)
	var err error
	if ctx.Err() == nil {
		err = an.compare(ctx, u, g, traces, f)
	}
	if ctx.Err() != nil {
		if leaveOut(ctx, f); u.Passed == 0 {
			f.LeftOut = ""
		}
		return f, nil
	}
	return f, err
}

// eachRun calls do with the runs that are compared: those that failed in one way, and then those that passed.
func eachRun(u *runner.Unit, g *runner.Group, do func(r runner.UnitRun, failed bool)) {
	for _, r := range g.Runs {
		do(r, true)
	}
	for _, r := range u.Runs {
		if r.Status == runner.Passed {
			do(r, false)
		}
	}
}

// compare adds to a failure what comparing its runs with the passing ones shows. Runs with a damaged trace are left out.
func (an *Analyzer) compare(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) error {
	for {
		err := an.compareOnce(ctx, u, g, traces, f)
		if !traces.leaveOut(err) {
			return err
		}
		f.Analysis, f.Facts = nil, nil
	}
}

// compareOnce compares all runs whose trace can be read.
func (an *Analyzer) compareOnce(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) error {
	var runs []divergence.Run
	failing := 0
	add := func(r runner.UnitRun, failed bool) {
		if r.Run.Untraced {
			return
		}
		t, err := traces.get(r.Run)
		if err != nil {
			if traces.tell(r.Run) && len(r.Run.Warnings) == 0 && ctx.Err() == nil { // else it is said already
				an.Warnf("run %d of %s: %v", r.Run.N, u.Package.ImportPath, err)
			}
			return
		}
		for hash, stack := range t.Stacks {
			f.Stacks[hash] = stack
		}
		runs = append(runs, divergence.Run{N: r.Run.N, Failed: failed, Trace: t})
		if failed {
			failing++
		}
	}
	eachRun(u, g, add)
	if an.valueSites == nil { // the runs that record values are for the values
		f.Hang = an.hangOf(ctx, u, g, traces)
	}
	if failing == 0 || failing == len(runs) {
		return nil
	}
	var err error
	f.Analysis, err = divergence.Analyze(divergence.Input{Test: u.Test, Runs: runs, Sites: an.Sites,
		Check: g.Signature.Frame, Values: an.valueSites, Context: ctx})
	if err != nil {
		return fmt.Errorf("comparing the runs of %s: %w", u.Test, err)
	}
	for x, i := an.index(ctx, f), 0; i < len(f.Analysis.Chain); i++ {
		d := f.Analysis.Chain[i]
		d.Callers = x.Callers(d.Path, d.Goroutine != nil && d.Goroutine.Entry.Func == initialiser)
	}
	if an.valueSites == nil {
		if err := an.rankFacts(ctx, u, g, traces, f); err != nil {
			return fmt.Errorf("comparing the runs of %s: %w", u.Test, err)
		}
	}
	return nil
}

// initialiser is the function of the goroutine that initialises packages.
const initialiser = "runtime.main"

// Conclude takes in the races and verdicts that the run directory has by now, and
// looks for the places where the causes of all failures may lie, and for the
// conditions at which runs diverge: rules look at all that is known. It may be
// called again when there is more.
func (an *Analyzer) Conclude(ctx context.Context, r *finding.Result) {
	an.conclude(ctx, r)
	an.addSeen(ctx, r)
}

func (an *Analyzer) conclude(ctx context.Context, r *finding.Result) {
	an.addRaces(r)
	an.addVerdicts(r)
	for _, t := range r.Tests {
		an.noteBare(t)
		for i := range t.Verdicts {
			t.Verdicts[i].Edits = an.edits(&t.Verdicts[i].Proof)
		}
		for _, f := range t.Failures {
			if t.State() == finding.Recorder && len(t.Verdicts) == 0 { // the cause is not in the code
				continue
			}
			an.suspect(ctx, t, f)
		}
		categorize(t)
	}
}

// suspect looks for the places where the cause of a failure may lie. Once the context has ended, what an earlier call
// found stays; where there was none, the failure counts as not compared.
func (an *Analyzer) suspect(ctx context.Context, t *finding.Test, f *finding.Failure) {
	if ctx.Err() != nil {
		if f.Analysis != nil && f.Suspects == nil {
			leaveOut(ctx, f)
		}
		return
	}
	an.foresee(ctx, an.packagesBefore(t, f))
	in := an.scene(ctx, f)
	in.Test = t
	f.Data = diagnose.Told(in)
	f.Suspects = diagnose.Find(in)
}

// leaveOut removes what comparing a failure has found when its context ended: it may be half of it.
func leaveOut(ctx context.Context, f *finding.Failure) {
	f.Analysis, f.Hang, f.Data = nil, nil, nil
	f.LeftOut = WhyEnded(ctx)
}

func (an *Analyzer) scene(ctx context.Context, f *finding.Failure) diagnose.Input {
	return diagnose.Input{Failure: f, Sites: an.Sites, Source: an.index(ctx, f), Without: an.Without}
}
