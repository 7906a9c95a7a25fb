package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// An experimentJob makes experiments with the flaky tests of a run, to find out what
// makes them fail.
type experimentJob struct {
	*valueJob
	an    *analyze.Analyzer
	until time.Time
	extra time.Duration // beyond that, for what is near to a verdict
	show  *huntProgress
	limit finding.Tried // what all tests share: Limit and Budget
	kept  int           // replay files that were written
	found []analyze.TestVerdict
}

// makeExperiments perturbs the flaky tests, what the comparison suggests first, and keeps
// what that shows. It adds to what is known: if it fails, it says so and that is all.
func (j *runJob) makeExperiments(ctx context.Context, an *analyze.Analyzer, result *finding.Result, runs *runner.Results) {
	if j.plan.Shadow == nil || j.plan.Std != "" || j.experimentTime(runs) == 0 {
		return
	}
	if ctx.Err() != nil {
		j.keepVerdicts(an, notBegun(runs))
		return
	}
	v := &valueJob{runJob: j, result: result, runs: runs, dir: filepath.Join(j.dir, "experiments")}
	x := &experimentJob{valueJob: v, an: an, show: &huntProgress{app: j.app}}
	x.until, x.extra, x.limit.Budget = j.experimentsEnd(runs)
	x.limit.Limit = max(0, time.Until(x.until.Add(x.extra)))
	defer x.show.close()
	defer os.RemoveAll(v.dir) // traces of single runs
	if err := x.all(ctx); err != nil && ctx.Err() == nil {
		j.app.warnf("experiments: %v", err)
	}
	j.keepVerdicts(an, x.found)
}

// keepVerdicts keeps what experiments have shown, if they have anything.
func (j *runJob) keepVerdicts(an *analyze.Analyzer, list []analyze.TestVerdict) {
	if len(list) == 0 {
		return
	}
	if err := an.Keep(list); err != nil {
		j.app.warnf("what experiments have shown is not kept: %v", err)
	}
}

// notBegun says of the flaky tests that the user has ended fdebug before any experiment.
func notBegun(runs *runner.Results) (list []analyze.TestVerdict) {
	for _, t := range flakyTests(runs) {
		list = append(list, analyze.TestVerdict{Package: t.pkg.ImportPath, Test: t.name, Tried: &finding.Tried{Test: t.name, Interrupted: true}})
	}
	return list
}

// all shares the time among the flaky tests.
func (x *experimentJob) all(ctx context.Context) error {
	tests := x.targets()
	if len(tests) == 0 {
		return nil
	}
	var list []*experiment.Experimenter
	for _, t := range tests {
		if err := x.prepare(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		list = append(list, t.exp)
	}
	share := &experiment.Share{Until: x.until, Extra: x.extra, Begin: func(e *experiment.Experimenter, atMost time.Duration) {
		x.app.progressf("experimenting with %s for %s", e.Test, sliceWords(atMost, e.Grace))
	}}
	results, err := share.Find(ctx, list)
	for i, t := range tests {
		x.note(ctx, t, results[i])
		if results[i] == nil {
			continue
		}
		x.found = append(x.found, otherwise(t, results[i].Findings)...)
		for _, f := range results[i].Findings {
			if err := x.keep(ctx, t, f); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
	}
	return err
}

// otherwise returns how perturbed runs of a test failed beside what was recorded and what was
// found out about, by the test or subtest that did.
func otherwise(t *target, found []*experiment.Finding) (list []analyze.TestVerdict) {
	for _, x := range t.exp.Log.Failures(t.name) {
		shown := slices.ContainsFunc(found, func(f *experiment.Finding) bool { return x.Is(f.Signature) })
		if shown || x.Plain.Failed > 0 || slices.ContainsFunc(t.fail, x.Is) {
			continue
		}
		c, sig := x.Made(), x.Signature
		sig.Message = cmp.Or(firstLine([]byte(x.Message)), sig.Message) // with the numbers that it had
		list = append(list, analyze.TestVerdict{
			Package: t.pkg.ImportPath, Test: cmp.Or(x.Signature.Test, t.name), Place: x.Signature.Place(),
			Otherwise: []analyze.Otherwise{{Signature: sig.String(), Failed: c.Failed, Of: c.Of}},
		})
	}
	return list
}

// sliceWords says how long the experiments with a test may take: longer where something was
// provoked that is still to be shown.
func sliceWords(slice, grace time.Duration) string {
	text := "about " + slice.Round(time.Second).String()
	if grace = grace.Round(time.Second); grace > 0 {
		text += fmt.Sprintf(", or %v more if it fails in them", grace)
	}
	return text
}

// note keeps how far the experiments with a test came, nil for not at all.
func (x *experimentJob) note(ctx context.Context, t *target, res *experiment.Result) {
	interrupted := ctx.Err() != nil
	if res != nil && res.NotRun || res == nil && time.Now().Before(x.until) && !interrupted {
		return
	}
	tried := x.limit
	tried.Interrupted = interrupted
	tried.Test, tried.Runs, tried.Took = t.name, t.exp.Runs(), t.exp.Took()
	tried.Complete = res != nil && res.Complete
	tried.CutOff = !tried.Complete && !interrupted && !time.Now().Before(x.until)
	x.found = append(x.found, analyze.TestVerdict{Package: t.pkg.ImportPath, Test: t.name, Tried: &tried})
}

// A target is a top-level test to experiment with.
type target struct {
	name string
	pkg  *runner.Package
	fail []runner.Signature // how it failed in the runs
	lab  *lab
	exp  *experiment.Experimenter
}

// targets returns the top-level tests that can be experimented with.
func (x *experimentJob) targets() []*target {
	return slices.DeleteFunc(flakyTests(x.runs), func(t *target) bool { return t.pkg.Traced == nil || t.pkg.Plain == nil })
}

// flakyTests returns the top-level tests that were seen to pass and to fail.
func flakyTests(runs *runner.Results) []*target {
	var list []*target
	byName := make(map[string]*target)
	for _, p := range runs.Packages {
		for _, u := range p.Units() {
			if u.Test == "" || !u.Flaky() {
				continue
			}
			key := p.ImportPath + " " + trace.TopTest(u.Test)
			t := byName[key]
			if t == nil {
				t = &target{name: trace.TopTest(u.Test), pkg: p}
				byName[key] = t
				list = append(list, t)
			}
			for _, g := range u.Groups {
				t.fail = append(t.fail, g.Signature)
			}
		}
	}
	return list
}

// prepare makes a target ready for experiments.
func (x *experimentJob) prepare(ctx context.Context, t *target) (err error) {
	if t.lab, err = x.labOf(t.pkg); err != nil {
		return err
	}
	t.exp = &experiment.Experimenter{
		Test: t.name, Sites: x.plan.Sites, Source: t.lab.source, Parallel: x.parallel, Seed: rand.Uint64(), Kinds: x.kinds,
		Natural: t.fail, Hints: x.an.Hints(x.result, t.pkg.ImportPath, t.name), Recorded: analyze.Recorded(t.pkg, t.name),
		Run: t.lab.runs(t.name), Report: x.show.event, OfSuite: x.sel.Run == "" && x.sel.Skip == "",
	}
	if t.exp.AsksForOrder() {
		t.exp.Tests = t.lab.testNames(ctx, "^Test")
	}
	return nil
}

// labOf returns a lab with the binaries that the runs were made with.
func (x *experimentJob) labOf(p *runner.Package) (*lab, error) {
	l := &lab{job: x.runJob, target: p.Target, plain: p.Plain, traced: p.Traced, dir: x.dir}
	return l, l.begin()
}

// keep writes the replay file of a finding and notes its verdict.
func (x *experimentJob) keep(ctx context.Context, t *target, f *experiment.Finding) error {
	r := t.exp.Proof(f)
	x.complete(r, t.lab)
	x.kept++
	name := dirName(path.Base(t.pkg.ImportPath)+"."+cmp.Or(f.Signature.Test, f.Test)) + "-" + fmt.Sprint(x.kept) + replaySuffix
	if err := r.WriteFile(filepath.Join(x.runJob.dir, name)); err != nil {
		return err
	}
	v := x.an.VerdictOf(f, r, x.app.show(filepath.Join(x.store.Dir, "latest", name)))
	v.Pollution = x.pollution(ctx, t, f)
	x.found = append(x.found, analyze.TestVerdict{
		Package: t.pkg.ImportPath, Test: cmp.Or(f.Signature.Test, f.Test), Place: f.Signature.Place(),
		Verdicts: []finding.Verdict{v},
	})
	return nil
}
