package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// An experimentJob makes experiments with the flaky tests of a run, to find out what
// makes them fail.
type experimentJob struct {
	*valueJob
	until time.Time
	show  *huntProgress
	found []analyze.TestVerdict
}

// makeExperiments perturbs the flaky tests until the given time, and keeps what that
// shows. It adds to what is known: if it fails, it says so and that is all.
func (j *runJob) makeExperiments(ctx context.Context, result *finding.Result, runs *runner.Results, until time.Time) {
	if ctx.Err() != nil || j.plan.Shadow == nil || j.plan.Std != "" || !time.Now().Before(until) {
		return
	}
	v := &valueJob{runJob: j, result: result, runs: runs, dir: filepath.Join(j.dir, "experiments")}
	x := &experimentJob{valueJob: v, until: until, show: &huntProgress{app: j.app}}
	defer x.show.close()
	defer os.RemoveAll(v.dir) // traces of single runs
	if err := x.all(ctx); err != nil && ctx.Err() == nil {
		j.app.warnf("experiments: %v", err)
	}
	if len(x.found) == 0 {
		return
	}
	if err := analyze.WriteVerdicts(j.dir, x.found); err != nil {
		j.app.warnf("what experiments have shown is not kept: %v", err)
	}
}

// all gives each flaky test a share of the time that is left.
func (x *experimentJob) all(ctx context.Context) error {
	tests := x.targets()
	for i, t := range tests {
		left := time.Until(x.until)
		if left <= 0 || ctx.Err() != nil {
			return nil
		}
		x.app.progressf("experimenting with %s for at most %v", t.name, (left / time.Duration(len(tests)-i)).Round(time.Second))
		if err := x.one(ctx, t, time.Now().Add(left/time.Duration(len(tests)-i))); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// A target is a top-level test to experiment with.
type target struct {
	name string
	pkg  *runner.Package
	fail []runner.Signature // how it failed in the runs
}

// targets returns the top-level tests that were seen to pass and to fail.
func (x *experimentJob) targets() []*target {
	var list []*target
	byName := make(map[string]*target)
	for _, p := range x.runs.Packages {
		for _, u := range p.Units() {
			if u.Test == "" || !u.Flaky() || p.Traced == nil || p.Plain == nil {
				continue
			}
			key := p.ImportPath + " " + topOf(u.Test)
			t := byName[key]
			if t == nil {
				t = &target{name: topOf(u.Test), pkg: p}
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

// one makes experiments with one test.
func (x *experimentJob) one(ctx context.Context, t *target, until time.Time) error {
	l, err := x.labOf(t.pkg)
	if err != nil {
		return err
	}
	exp := &experiment.Experimenter{
		Test: t.name, Sites: x.plan.Sites, Source: l.source, Parallel: x.parallel, Seed: rand.Uint64(),
		Until: until, Natural: t.fail, Run: l.runs(t.name), Report: x.show.event,
	}
	res, err := exp.Find(ctx)
	if res == nil || err != nil {
		return err
	}
	for _, f := range res.Findings {
		if err := x.keep(l, exp, t, f); err != nil {
			return err
		}
	}
	return nil
}

// labOf returns a lab with the binaries that the runs were made with.
func (x *experimentJob) labOf(p *runner.Package) (*lab, error) {
	l := &lab{job: x.runJob, target: p.Target, plain: p.Plain, traced: p.Traced, dir: x.dir}
	var err error
	if l.build, err = hashFile(l.traced.Path); err != nil {
		return nil, err
	}
	l.exec = x.labExec()
	l.exec.Remember(p.Target)
	return l, nil
}

// keep writes the replay file of a finding and notes its verdict.
func (x *experimentJob) keep(l *lab, exp *experiment.Experimenter, t *target, f *experiment.Finding) error {
	r := exp.Replay(f)
	x.complete(r, l)
	name := dirName(path.Base(t.pkg.ImportPath)+"."+cmp.Or(f.Signature.Test, f.Test)) + "-" + fmt.Sprint(len(x.found)+1) + replaySuffix
	if err := r.WriteFile(filepath.Join(x.runJob.dir, name)); err != nil {
		return err
	}
	shown := x.app.show(filepath.Join(x.store.Dir, "latest", name))
	x.found = append(x.found, analyze.TestVerdict{
		Package: t.pkg.ImportPath, Test: cmp.Or(f.Signature.Test, f.Test), Place: f.Signature.Place(),
		Verdicts: []finding.Verdict{analyze.VerdictOf(x.plan.Sites, f, r, shown)},
	})
	return nil
}
