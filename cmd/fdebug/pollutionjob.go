package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/pollution"
	"github.com/fdebug/fdebug/internal/runner"
)

// A pollutionJob finds the package variables by which tests that ran before make one fail.
type pollutionJob struct {
	*lab
	name  string              // of the test, at top level
	f     *experiment.Finding // of the kind tests
	least time.Duration       // that the runs of the search may take
}

// pollution returns what the tests of a finding leave in package variables, if that is what makes
// the other one fail; nil if not, or if it could not be tried. It adds to what is known, so that no
// error ends anything.
func (j *pollutionJob) pollution(ctx context.Context) *finding.Pollution {
	r := j.job
	if !ofOrder(j.f) || r.bundle != nil || r.overlay != "" || len(r.plan.Modules) != 1 || ctx.Err() != nil {
		return nil
	}
	found, err := j.find(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, pollution.ErrNoTest) {
		r.app.warnf("what %s leaves behind is not known: %v", strings.Join(j.f.Trial.Before, ", "), err)
	}
	return found
}

// ofOrder reports whether it was shown that tests which run before, and nothing else, make one fail.
func ofOrder(f *experiment.Finding) bool {
	return len(f.Trial.Before) > 0 && len(f.Trial.Plan.Acts) == 0 && f.Verdict >= experiment.Reproduced
}

// pollution is that of a flaky test of a run, within its budget.
func (x *experimentJob) pollution(ctx context.Context, t *target, f *experiment.Finding) *finding.Pollution {
	if !ofOrder(f) || !x.budget.carries(x.tookToBuild()) {
		return nil
	}
	ctx, cancel := x.building(ctx)
	defer cancel()
	j := &pollutionJob{t.lab, t.name, f, x.experimentTime(x.runs) / raceShare}
	return j.pollution(ctx)
}

// pollution is that of a test for which a hunt has found an order, if there is time to build it once more.
func (j *huntJob) pollution(ctx context.Context, p *prey) *finding.Pollution {
	if !ofOrder(p.order) || p.lab.traced == nil || time.Until(j.deadline) < p.lab.traced.Took {
		return nil
	}
	ctx, cancel := context.WithDeadline(ctx, j.deadline)
	defer cancel()
	x := &pollutionJob{p.lab, p.name, p.order, 0}
	return x.pollution(ctx)
}

func (j *pollutionJob) find(ctx context.Context) (*finding.Pollution, error) {
	o, err := pollution.Make(j.config())
	if err != nil || len(o.Vars) == 0 {
		return nil, err
	}
	bin, err := j.buildWith(ctx, o)
	if err != nil {
		return nil, err
	}
	j.job.app.progressf("looking for what %s leaves behind, in %s", strings.Join(j.f.Trial.Before, ", "), plural(len(o.Vars), "package variable"))
	s := &pollution.Search{Vars: o.Vars, Run: func(ctx context.Context, back []finding.PackageVar) (bool, error) { return j.run(ctx, bin, back) }}
	limit := j.searchTime()
	more := ""
	if j.least > 0 { // a hunt has no such flag
		more = " (-experiments gives more)"
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%v were too short%s", rounded(limit), more))
	defer stop()
	found, err := s.Find(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}

// searchTime is how long the runs of a search may take, unless a budget ends sooner: no less than
// half as many more than [pollution.Runs] take at the pace of the experiments, or a slow machine would find less than a fast one.
func (j *pollutionJob) searchTime() time.Duration {
	pace := j.f.Took / time.Duration(max(1, j.f.Runs-j.f.Kept))
	return max(j.least, pollution.Runs*pace*3/2)
}

// config says what is to be built: of all packages with probes the variables can be put back.
func (j *pollutionJob) config() *pollution.Config {
	c := &pollution.Config{Root: j.job.plan.Sites.Root, Module: j.job.plan.Modules[0], Victim: j.name, Polluters: j.f.Trial.Before}
	for _, f := range j.job.plan.Sites.Files {
		if dir := path.Dir(filepath.ToSlash(f.Path)); filepath.IsLocal(dir) && !slices.Contains(c.Dirs, dir) {
			c.Dirs = append(c.Dirs, dir)
		}
	}
	if rel, err := filepath.Rel(c.Root, j.target.Dir); err == nil {
		c.Dir = filepath.ToSlash(rel)
	}
	for _, flag := range j.job.build {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			c.Tags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return c
}

// buildWith builds the tests with an overlay, and as go test would else.
func (j *pollutionJob) buildWith(ctx context.Context, o *pollution.Overlay) (*runner.Binary, error) {
	dir, err := os.MkdirTemp(j.job.work, "pollution-")
	if err != nil {
		return nil, err
	}
	b := j.job.plainBuild(dir)
	b.Vet = "off"
	if b.Overlay, err = writeOverlay(dir, j.job.plan.Sites.Root, o.Files); err != nil {
		return nil, err
	}
	return b.Test(ctx, j.target)
}

// run runs the tests of the finding, with variables put back before the one that failed.
func (j *pollutionJob) run(ctx context.Context, bin *runner.Binary, back []finding.PackageVar) (failed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	x := j.exec
	x.Binary, x.Select = bin, j.selection(j.name, &j.f.Trial)
	x.Env = append(slices.Clip(x.Env), pollution.PutBack(back))
	run, err := x.Run(ctx)
	if err != nil {
		return false, err
	}
	o := outcomeOf(run, j.name)
	if !o.Ran {
		return true, nil // what is put back must not keep it from running
	}
	return o.Failed, nil
}
