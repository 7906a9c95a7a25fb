package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/values"
	"github.com/fdebug/fdebug/trace"
)

// An experimentJob makes experiments with the flaky tests of a run, to find out why they
// fail.
type experimentJob struct {
	*valueJob
	an   *analyze.Analyzer
	line *HuntProgress

	mu     sync.Mutex
	kept   int // how many replay files were written
	found  []analyze.TestVerdict
	others map[*target][]Evidence // of failures that no recorded run had

	until  time.Time       // no new experiment begins later
	inVain []*target       // nothing is proved of these; with statements to hold goroutines inside
	split  map[string]*Lab // by package: with positions inside statements; nil at first
}

// add adds results.
func (x *experimentJob) add(list ...analyze.TestVerdict) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.found = append(x.found, list...)
}

// makeExperiments perturbs the flaky tests, beginning with the hints of the comparison, keeps the results and returns
// them. It only adds to the result: if it fails, it just says so.
func (j *Session) makeExperiments(ctx context.Context, an *analyze.Analyzer, result *finding.Result,
	runs *runner.Results) (found []analyze.TestVerdict) {
	if j.Plan.Std != "" || j.Experiments == 0 {
		return nil
	}
	if ctx.Err() != nil {
		found = notBegun(ctx, runs)
	} else {
		v := &valueJob{Session: j, result: result, runs: runs, dir: filepath.Join(j.Dir, experimentsDir)}
		x := &experimentJob{valueJob: v, an: an, line: &HuntProgress{Console: j.Console},
			others: make(map[*target][]Evidence)}
		list := slices.DeleteFunc(FlakyTests(runs), func(t *target) bool { return t.Pkg.Traced == nil })
		if len(list) > 0 {
			an.Conclude(ctx, result) // for hints
		}
		x.all(ctx, list)
		if err := x.inside(ctx); err != nil && ctx.Err() == nil {
			j.Warnf("no goroutine is held inside a statement: %v", err)
		}
		found = x.found
		j.keepOthers(slices.Concat(slices.Collect(maps.Values(x.others))...))
	}
	j.Clear()
	os.RemoveAll(filepath.Join(j.Dir, experimentsDir)) // traces of single runs
	if len(found) > 0 {
		if err := an.Keep(found); err != nil {
			j.Warnf("what experiments have shown is not kept: %v", err)
		}
	}
	return found
}

const experimentsDir = "experiments"

// inside makes experiments with positions inside statements, as a hunt does, with the tests that have no proof by
// then. That build tells goroutines by other addresses: the hints of comparing are tried with the one that ran.
func (x *experimentJob) inside(ctx context.Context) error {
	was, list := x.Built, x.inVain
	defer func() { x.Built = was }()
	x.split, x.inVain = make(map[string]*Lab), nil
	for _, t := range list {
		if time.Now().After(x.until) {
			return nil
		}
		if x.split[t.Pkg.ImportPath] == nil {
			l, err := x.LabOf(t.Pkg, x.dir)
			if err == nil {
				l.Seen = &seen{Met: t.met}
				err = l.SplitStatements(ctx)
			}
			if err != nil {
				return err
			}
			x.split[t.Pkg.ImportPath] = l
		}
	}
	if x.Plan == was.Plan {
		return nil
	}
	x.an.Sites, x.result.Sites = x.Plan.Sites, x.Plan.Sites // positions inside come behind all blocks
	if time.Now().Before(x.until) {
		x.all(ctx, list)
	}
	return x.Plan.Sites.WriteFile(filepath.Join(x.Session.Dir, "sites.json"))
}

// met returns the packages with such statements in which goroutines met in a recorded run.
func (x *experimentJob) met(ctx context.Context, p *runner.Package) []string {
	i := slices.IndexFunc(p.Runs, func(run *runner.Run) bool { return len(run.Traces) > 0 })
	if i < 0 || !x.Values || !x.Builds() || !x.Takes("stall") {
		return nil
	}
	t, err := trace.Open(filepath.Join(x.Session.Dir, p.Runs[i].Traces[0]))
	if err != nil {
		return nil
	}
	defer t.Close()
	list := met(t, x.Plan.Sites)
	return slices.DeleteFunc(list, func(p string) bool {
		return len(values.Inside(x.an.Load(ctx, []string{p}), x.Plan.Sites, p)) == 0
	})
}

// keepOthers keeps runs of experiments that failed as no recorded run did.
func (j *Session) keepOthers(list []Evidence) {
	if len(list) == 0 {
		return
	}
	runs, err := j.ResultsOf(j.Dir, analyze.SeenDir, list)
	if err == nil {
		err = runner.Save(filepath.Join(j.Dir, analyze.SeenDir), runs)
	}
	if err != nil {
		j.Warnf("what was seen in experiments is not kept: %v", err)
	}
}

// notBegun notes for the flaky tests without experiments that ctx ended before any began.
func notBegun(ctx context.Context, runs *runner.Results) (list []analyze.TestVerdict) {
	interrupted := exit.IsInterrupted(ctx)
	for _, t := range FlakyTests(runs) {
		list = append(list, analyze.TestVerdict{Package: t.Pkg.ImportPath, Test: t.Name,
			Tried: &finding.Tried{Test: t.Name, Interrupted: interrupted, CutOff: !interrupted, Budget: !interrupted}})
	}
	return list
}

// all makes experiments with all tests, in parallel for different packages, because tests of one
// package share the files and ports outside their processes.
func (x *experimentJob) all(ctx context.Context, list []*target) {
	lanes := x.lanes(ctx, list)
	var running sync.WaitGroup
	for _, l := range lanes {
		running.Go(func() {
			if err := l.find(ctx); err != nil && ctx.Err() == nil {
				x.Warnf("experiments: %v", err)
			}
		})
	}
	running.Wait()
}

// outsideShare is the part of the time without positions inside statements: one in three. What runs hint at is tried
// first, and all else can be tried with them, too.
const outsideShare = 3

// A lane is a list of tests whose experiments follow one another. Each has its share of the time;
// the rest of it is left for the next.
type lane struct {
	*experimentJob
	tests  []*target
	until  time.Time
	extra  time.Duration // beyond that, for a test close to a verdict
	budget bool          // whether the budget determines the end
}

// lanes divides tests, by package, among as many lanes as there are slots.
func (x *experimentJob) lanes(ctx context.Context, tests []*target) []*lane {
	var list []*lane
	of := make(map[string]*lane)
	for _, t := range tests {
		if err := x.prepare(ctx, t); err != nil {
			x.Warnf("experiments with %s: %v", t.Name, err)
			continue
		}
		l := of[t.Pkg.ImportPath]
		switch {
		case l != nil:
		case len(list) < max(x.Beside, 1):
			l = &lane{experimentJob: x}
			list = append(list, l)
		default:
			l = slices.MinFunc(list, func(a, b *lane) int { return len(a.tests) - len(b.tests) })
		}
		of[t.Pkg.ImportPath] = l
		l.tests = append(l.tests, t)
	}
	for _, l := range list {
		l.ends()
	}
	return list
}

// ends says until when there are experiments. Of tests that others follow for, with another build, a part is for that.
func (l *lane) ends() {
	l.until, l.extra, l.budget = l.laneEnd(l.tests)
	if l.split != nil {
		l.until = l.experimentJob.until
		return
	}
	l.experimentJob.until = l.until
	each := time.Until(l.until) / time.Duration(len(l.tests))
	for _, t := range l.tests {
		if len(t.met) > 0 {
			l.until = l.until.Add(each/outsideShare - each)
		}
	}
}

// find makes the experiments of a lane.
func (l *lane) find(ctx context.Context) error {
	var list []*experiment.Experimenter
	for _, t := range l.tests {
		list = append(list, t.exp)
	}
	limit := max(0, time.Until(l.until.Add(l.extra))) / time.Duration(max(len(list), 1))
	share := &experiment.Share{Until: l.until, Extra: l.extra,
		Begin: func(e *experiment.Experimenter, atMost time.Duration) {
			l.Progressf("experimenting with %s for about %v", e.Test, atMost.Round(time.Second))
		}}
	results, err := share.Find(ctx, list)
	for i, t := range l.tests {
		l.note(ctx, t, results[i], limit)
		if results[i] == nil {
			continue
		}
		l.see(t, results[i])
		for _, f := range results[i].Findings {
			if err := l.keep(ctx, t, f); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
	}
	return err
}

// see keeps the failures of a test that no recorded run had.
func (x *experimentJob) see(t *target, res *experiment.Result) {
	var others []Evidence
	for _, f := range res.Findings {
		if !slices.ContainsFunc(t.Fail, (&experiment.Failure{Signature: f.Sig}).Is) {
			others = append(others, Evidence{t.lab, slices.Concat(f.Traces.Fail, f.Traces.Plain, f.Traces.Pass)})
		}
	}
	for _, f := range Unexplained(t.exp, res) {
		if s := (&Sight{f, t.lab, t.Name}); len(f.Kept) > 0 && len(f.Passed) > 0 {
			x.add(s.Told())
			others = append(others, s.Evidence())
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(others) > 0 {
		x.others[t] = others // of one build
	}
	if len(t.met) > 0 && !slices.ContainsFunc(res.Findings, func(f *experiment.Finding) bool { return f.Verdict == proof.Proved }) {
		x.inVain = append(x.inVain, t)
	}
}

// note keeps how far the experiments with a test came; res is nil if they never began.
func (l *lane) note(ctx context.Context, t *target, res *experiment.Result, limit time.Duration) {
	interrupted := exit.IsInterrupted(ctx)
	if res != nil && res.NotRun || res == nil && time.Now().Before(l.until) && !interrupted {
		return
	}
	tried := finding.Tried{Limit: limit, Budget: l.budget, Interrupted: interrupted}
	t.runs, t.took = t.runs+t.exp.Runs(), t.took+t.exp.Took()
	tried.Test, tried.Runs, tried.Took = t.Name, t.runs, t.took
	tried.Complete = res != nil && res.Complete
	tried.CutOff = !tried.Complete && !interrupted && !time.Now().Before(l.until)
	l.add(analyze.TestVerdict{Package: t.Pkg.ImportPath, Test: t.Name, Tried: &tried})
}

// A target is a top-level test to experiment with.
type target struct {
	Name string
	Pkg  *runner.Package
	Fail []runner.Signature // how it failed in the runs
	lab  *Lab
	exp  *experiment.Experimenter
	met  []string      // packages in which goroutines met, and may be held inside statements
	runs int           // of all its experiments
	took time.Duration // and how long they took
}

// FlakyTests returns the top-level tests that both passed and failed, without the recorder if they always fail with it.
func FlakyTests(runs *runner.Results) []*target {
	var list []*target
	byName := make(map[string]*target)
	for _, p := range runs.Packages {
		for _, u := range p.Units() {
			if u.Test == "" || u.Failed == 0 || u.Passed == 0 && !slices.ContainsFunc(u.Control, func(r runner.UnitRun) bool {
				return r.Status == runner.Passed
			}) {
				continue
			}
			key := p.ImportPath + " " + trace.TopTest(u.Test)
			t := byName[key]
			if t == nil {
				t = &target{Name: trace.TopTest(u.Test), Pkg: p}
				byName[key] = t
				list = append(list, t)
			}
			for _, g := range u.Groups {
				t.Fail = append(t.Fail, g.Signature)
			}
		}
	}
	return list
}

// prepare makes a target ready for experiments.
func (x *experimentJob) prepare(ctx context.Context, t *target) (err error) {
	if t.lab, err = x.LabOf(t.Pkg, x.dir); err != nil {
		return err
	}
	split := x.split[t.Pkg.ImportPath]
	if split != nil {
		t.lab.Traced, t.lab.inside = split.Traced, split.inside
		if err := t.lab.begin(); err != nil {
			return err
		}
	}
	t.exp = t.lab.Experimenter(t.Name, cmp.Or(x.Seed, rand.Uint64()), x.line)
	t.exp.Traces, t.exp.Natural, t.exp.Recorded = true, t.Fail, analyze.Recorded(t.Pkg, t.Name)
	if split == nil {
		t.met = x.met(ctx, t.Pkg)
		t.exp.Hints = append(t.exp.Hints, x.an.Hints(x.result, t.Pkg.ImportPath, t.Name)...)
	}
	t.exp.Confirming, t.exp.OfSuite = t.lab.alone.Store, x.Sel.Run == "" && x.Sel.Skip == "" || t.Pkg.Wholes() > 0
	if t.exp.AsksForOrder() {
		t.exp.Tests = t.lab.TestNames(ctx, "^Test")
	}
	return x.narrow(ctx, t)
}

// keep writes the replay file of a finding and notes its verdict.
func (x *experimentJob) keep(ctx context.Context, t *target, f *experiment.Finding) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept++
	v := t.lab.Told(t.exp, f)
	name := fmt.Sprintf("%s-%d%s", text.TestFile(v.Package, v.Test), x.kept, proof.Suffix)
	if err := x.KeepProof(ctx, x.an, v, name, x.Session.Show(filepath.Join(x.Store.Dir, "latest", name))); err != nil {
		return err
	}
	x.found = append(x.found, *v)
	return nil
}

// Told returns a finding as a verdict on its test.
func (l *Lab) Told(e *experiment.Experimenter, f *experiment.Finding) *analyze.TestVerdict {
	return &analyze.TestVerdict{Package: l.Target.ImportPath, Test: cmp.Or(f.Sig.Test, f.Test),
		Verdicts: []finding.Verdict{{Proof: *l.Proof(e, f)}}}
}

// KeepProof adds to a finding what the source says of it, and writes its replay file into the directory of the run,
// beside the source that a fix of it will be compared with.
func (j *Session) KeepProof(ctx context.Context, an *analyze.Analyzer, t *analyze.TestVerdict,
	name, shown string) error {
	p := &t.Verdicts[0].Proof
	an.Explain(ctx, p)
	an.KeepSources()
	if err := p.WriteFile(filepath.Join(j.Dir, name)); err != nil {
		return err
	}
	p.Replay = shown
	return nil
}
