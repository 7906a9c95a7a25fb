package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/suspect"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// An analyst turns the runs of a run directory into the input of its reports.
type analyst struct {
	dir     string // run directory, with traces and sites.json
	sites   *trace.Sites
	meta    meta
	notes   string // the user's Markdown
	sources *sourceKeeper
	warnf   func(format string, args ...any)

	valueSites []divergence.ValueSite // where the traces have values, nil if they have none
}

// result compares the runs of every test that failed.
func (an *analyst) result(res *runner.Results) (*report.Result, error) {
	an.sources = &sourceKeeper{dir: filepath.Join(an.dir, "src"), root: an.sites.Root}
	out := &report.Result{
		Command:    an.meta.Command,
		Version:    an.meta.Version,
		Go:         an.meta.Go,
		Module:     an.sites.Module,
		Platform:   an.meta.Platform,
		Started:    res.Started,
		Elapsed:    res.Elapsed,
		Executions: completed(res),
		Sites:      an.sites,
		Source:     an.sources.read,
		Notes:      an.notes,
		Warnings:   append([]string{}, res.Warnings...),
	}
	if home, err := os.UserHomeDir(); err == nil {
		out.Home = home
	}
	if res.Parallel > 1 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d processes ran side by side (-p %d): tests that share a port or a file may fail for that alone", res.Parallel, res.Parallel))
	}
	if res.Interrupted {
		out.Warnings = append(out.Warnings, fmt.Sprintf("interrupted: %d of %d runs were done", completed(res), res.N))
	}
	if res.OverBudget {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the time budget was spent after %d of %d runs", completed(res), res.N))
	}
	for _, pkg := range res.Packages {
		tests, err := an.pkg(pkg)
		if err != nil {
			return nil, err
		}
		out.Tests = append(out.Tests, tests...)
	}
	return out, nil
}

// completed returns the smallest number of runs that any package with tests got.
func completed(res *runner.Results) int {
	n := -1
	for _, p := range res.Packages {
		if p.Err == nil && !p.NoTestFiles && !p.NoTests && (n < 0 || len(p.Runs) < n) {
			n = len(p.Runs)
		}
	}
	return max(n, 0)
}

// pkg returns the tests of one package that failed.
func (an *analyst) pkg(pkg *runner.Package) ([]*report.Test, error) {
	var tests []*report.Test
	traces := &traceSet{dir: an.dir, open: make(map[int]*trace.Trace)}
	defer traces.close()
	lost := an.lostTraces(pkg)
	for _, u := range pkg.Units() {
		t, err := an.test(u, traces)
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
func (an *analyst) lostTraces(pkg *runner.Package) []string {
	n, first := 0, ""
	for _, r := range pkg.Runs {
		if len(r.Warnings) > 0 {
			n++
			first = cmp.Or(first, r.Warnings[0])
		}
	}
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %d runs: %s", n, len(pkg.Runs), first)
	hint := ""
	if strings.Contains(first, syscall.ENOSPC.Error()) || strings.Contains(first, "disk is full") {
		hint = "\nhint: " + fullHint
	}
	an.warnf("%s: %s%s", pkg.ImportPath, text, hint)
	return []string{text}
}

func (an *analyst) test(u *runner.Unit, traces *traceSet) (*report.Test, error) {
	t := &report.Test{Package: u.Package.ImportPath, Name: u.Test, Warnings: append([]string{}, u.Package.Warnings...)}
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
		run := reportRun(r)
		run.Events = traces.events(r.Run, u.Test)
		if i, ok := failureOf[run.N]; ok {
			run.Failure = i
		}
		t.Runs = append(t.Runs, run)
	}
	if text := provokedWords(u); text != "" {
		t.Warnings = append([]string{text}, t.Warnings...)
	}
	for _, r := range u.Control {
		t.Plain = append(t.Plain, reportRun(r))
	}
	for _, g := range u.Groups {
		f, err := an.failure(u, g, traces)
		if err != nil {
			return nil, err
		}
		t.Failures = append(t.Failures, f)
	}
	return t, nil
}

func reportRun(r runner.UnitRun) report.Run {
	run := report.Run{N: r.Run.N, Status: report.Status(r.Status), Failure: -1}
	if r.Outcome != nil {
		run.Elapsed = r.Outcome.Elapsed
	}
	return run
}

// failure compares the runs that failed in one way with those that passed.
func (an *analyst) failure(u *runner.Unit, g *runner.Group, traces *traceSet) (*report.Failure, error) {
	o := g.Runs[0].Outcome
	f := &report.Failure{
		Signature: g.Signature.String(),
		Message:   o.Message,
		Output:    o.Output,
		Frame:     g.Signature.Frame,
		Dump:      o.Dump,
		Stacks:    make(map[uint32][]trace.Frame),
	}
	var runs []divergence.Run
	add := func(r runner.UnitRun, failed bool) {
		t, err := traces.get(r.Run)
		if err != nil {
			if len(r.Run.Warnings) == 0 { // else it is said already
				an.warnf("run %d of %s: %v", r.Run.N, u.Package.ImportPath, err)
			}
			return
		}
		for hash, stack := range t.Stacks {
			f.Stacks[hash] = stack
		}
		runs = append(runs, divergence.Run{N: r.Run.N, Failed: failed, Trace: t})
	}
	for _, r := range g.Runs {
		f.Runs = append(f.Runs, r.Run.N)
		add(r, true)
	}
	failing := len(runs)
	for _, r := range u.Runs {
		if r.Status == runner.Passed {
			add(r, false)
		}
	}
	if an.valueSites == nil { // the runs that record values are for the values
		f.Hang = an.hangOf(u, g, traces)
	}
	if failing == 0 || failing == len(runs) {
		f.Suspects = an.suspectsOf(f)
		return f, nil
	}
	var err error
	f.Analysis, err = divergence.Analyze(divergence.Input{Test: u.Test, Runs: runs, Sites: an.sites, Values: an.valueSites})
	if err != nil {
		return nil, fmt.Errorf("comparing the runs of %s: %w", u.Test, err)
	}
	f.Orders = an.ordersOf(f)
	an.describeEarlier(f, u.Package.ImportPath)
	f.Suspects = an.suspectsOf(f)
	return f, nil
}

// ordersOf turns the orders of an analysis into those of a report: what the
// other goroutine had run, against where the runs part. One that had come to its
// end was not late: something had ordered the two.
func (an *analyst) ordersOf(f *report.Failure) []report.Order {
	var list []report.Order
	in := an.suspectInput(f)
	for i := range f.Analysis.Orders {
		o := &f.Analysis.Orders[i]
		if suspect.GivenLess(in, o) {
			continue
		}
		event := suspect.Relevant(in, o)
		last, ok := f.Analysis.Chain[o.Divergence].LastCommon.Block()
		if !ok || !an.sites.Has(last) || !an.sites.Has(event.Block) {
			continue
		}
		r := report.Order{A: an.frame(event.Block), B: an.frame(last), Event: event.First, Found: o}
		r.PassBefore, r.PassOf = o.Table.PassNot, o.Table.PassNot+o.Table.PassTaken
		r.FailBefore, r.FailOf = o.Table.FailNot, o.Table.FailNot+o.Table.FailTaken
		if !o.Late {
			r.PassBefore, r.FailBefore = o.Table.PassTaken, o.Table.FailTaken
		}
		list = append(list, r)
	}
	return list
}

// suspectsOf returns the places to look at first: what the race detector shows,
// and what comparing runs has shown, if there were any to compare with.
func (an *analyst) suspectsOf(f *report.Failure) []report.Suspect {
	list := suspect.Races(f.Message, an.sites)
	if f.Analysis == nil {
		return list
	}
	for _, s := range suspect.Find(an.suspectInput(f)) {
		if !slices.ContainsFunc(list, func(r report.Suspect) bool { return r.File == s.File && s.Start <= r.Start && r.End <= s.End }) {
			list = append(list, s)
		}
	}
	return list[:min(len(list), suspect.Max)]
}

func (an *analyst) suspectInput(f *report.Failure) suspect.Input {
	return suspect.Input{Analysis: f.Analysis, Sites: an.sites, Source: an.sources.read, Values: f.Values, Data: f.Data, Hang: f.Hang, Check: f.Frame, Message: f.Message}
}

// frame returns the place of a block.
func (an *analyst) frame(b int) trace.Frame {
	block := an.sites.Blocks[b]
	return trace.Frame{
		Func: an.sites.Funcs[block.Func].Name,
		File: filepath.Join(an.sites.Root, filepath.FromSlash(an.sites.Files[an.sites.FileOf(b)].Path)),
		Line: block.StartLine,
	}
}

// write writes the reports, and keeps the source they show. It returns the
// names of the test pages.
func (an *analyst) write(r *report.Result) (map[*report.Test]string, error) {
	if _, err := report.WriteDir(an.dir, r); err != nil {
		return nil, err
	}
	if err := an.sources.err; err != nil {
		an.warnf("the source that the reports show is not kept for later: %v", err)
	}
	return report.FileNames(r), nil
}

// A traceSet opens the traces of one package's runs, each once.
type traceSet struct {
	dir    string
	open   map[int]*trace.Trace // by number of the run; nil if it could not be read
	opener trace.Opener
}

var errNoTrace = errors.New("no trace was recorded")

// get returns the trace of a run's test process.
func (s *traceSet) get(r *runner.Run) (*trace.Trace, error) {
	if t, ok := s.open[r.N]; ok {
		if t == nil {
			return nil, errNoTrace
		}
		return t, nil
	}
	s.open[r.N] = nil
	if len(r.Traces) == 0 {
		return nil, errNoTrace
	}
	t, err := s.opener.Open(filepath.Join(s.dir, r.Traces[0]))
	if err != nil {
		return nil, err
	}
	s.open[r.N] = t
	return t, nil
}

// events returns the length of a test's part of a run's trace.
func (s *traceSet) events(r *runner.Run, test string) int64 {
	t, err := s.get(r)
	if err != nil {
		return 0
	}
	var n int64
	for _, g := range t.GoroutinesOf(test) {
		n += g.Len()
	}
	return n
}

func (s *traceSet) close() {
	for _, t := range s.open {
		if t != nil {
			t.Close()
		}
	}
}

// A sourceKeeper reads source files for reports. What a report shows is kept
// in the run directory, so that it can be written again after the user has
// gone on editing.
type sourceKeeper struct {
	dir  string // where files are kept
	root string // module root
	err  error  // the first file that could not be kept
}

func (k *sourceKeeper) read(name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		// Another module of the workspace, outside of the root.
		return readSource(filepath.Join(k.root, filepath.FromSlash(name)))
	}
	kept := filepath.Join(k.dir, filepath.FromSlash(name))
	data, err := readSource(kept)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if data, err = readSource(filepath.Join(k.root, filepath.FromSlash(name))); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
		k.keepErr(err)
	} else if err := os.WriteFile(kept, data, 0o666); err != nil {
		k.keepErr(err)
	}
	return data, nil
}

// maxSource is the size of a source file up to which it is read.
const maxSource = 32 << 20

// readSource reads a file that is named in a site table or in a profile. That
// may be damaged, and the name be that of a device without an end.
func readSource(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fmt.Errorf("%s is no source file", name)
	}
	return os.ReadFile(name)
}

func (k *sourceKeeper) keepErr(err error) {
	if k.err == nil {
		k.err = err
	}
}

// A meta is what a report says of how the tests were run; kept as meta.json.
type meta struct {
	Command  []string `json:"command"`
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Run      string   `json:"run,omitempty"` // -run
}

func platform(goos, goarch string) string {
	return fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d", goos, goarch, runtime.NumCPU(), runtime.GOMAXPROCS(0))
}
