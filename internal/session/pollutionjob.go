package session

import (
	"context"
	"encoding/json"
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
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
)

// A PollutionJob finds the package variables through which earlier tests make one fail.
type PollutionJob struct {
	*Lab
	Test  string              // at top level
	Found *experiment.Finding // of kind tests
	least time.Duration       // the time that the runs of the search may take at the least
}

// Pollution returns the values that the tests of a finding leave in package variables, if these
// make the other one fail; nil if not, or if it could not be tried. It only adds to the result, so
// its errors are not fatal.
func (j *PollutionJob) Pollution(ctx context.Context) *finding.Pollution {
	r := j.Job
	if !OfOrder(j.Found) || !r.Builds() || r.Overlay != "" || len(r.Plan.Modules) != 1 || ctx.Err() != nil {
		return nil
	}
	found, err := j.find(ctx)
	if err != nil && ctx.Err() == nil && !errors.Is(err, pollution.ErrNoTest) {
		r.Warnf("what %s leaves behind is not known: %v", strings.Join(j.Found.Trial.Before, ", "), err)
	}
	return found
}

// OfOrder reports whether it was shown that earlier tests, and nothing else, make one fail.
func OfOrder(f *experiment.Finding) bool {
	return len(f.Trial.Before) > 0 && len(f.Trial.Plan.Acts) == 0 && f.Verdict >= proof.Reproduced
}

// pollution runs the job for a flaky test of a run, within its budget.
func (x *experimentJob) pollution(ctx context.Context, t *target, f *experiment.Finding) *finding.Pollution {
	if !OfOrder(f) {
		return nil
	}
	ctx, cancel := x.building(ctx)
	defer cancel()
	j := &PollutionJob{t.lab, t.Name, f, x.ExperimentTime(ranFor(t.Pkg)) / raceShare}
	return j.Pollution(ctx)
}

func (j *PollutionJob) find(ctx context.Context) (*finding.Pollution, error) {
	o, err := pollution.Make(j.config())
	if err != nil || len(o.Vars) == 0 {
		return nil, err
	}
	bin, err := j.buildWith(ctx, o)
	if err != nil {
		return nil, err
	}
	j.Job.Progressf("looking for what %s leaves behind, in %s", strings.Join(j.Found.Trial.Before, ", "),
		text.Plural(len(o.Vars), "package variable"))
	s := &pollution.Search{Vars: o.Vars, Run: func(ctx context.Context, back []finding.PackageVar) (bool, error) {
		return j.run(ctx, bin, back)
	}}
	limit := j.searchTime()
	more := ""
	if j.least > 0 { // a hunt has no such flag
		more = " (-experiments gives more)"
	}
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%v were too short%s", text.Rounded(limit), more))
	defer stop()
	found, err := s.Find(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}

// searchTime is how long the runs of a search may take, unless a budget ends sooner. It is at
// least half as much again as [pollution.Runs] take at the pace of the experiments; otherwise a
// slow machine would find less than a fast one.
func (j *PollutionJob) searchTime() time.Duration {
	pace := j.Found.Took / time.Duration(max(1, j.Found.Runs-j.Found.Kept))
	return max(j.least, pollution.Runs*pace*3/2)
}

// config returns the configuration of the build: the variables of all packages with probes can be put back.
func (j *PollutionJob) config() *pollution.Config {
	c := &pollution.Config{Root: j.Job.Plan.Sites.Root, Module: j.Job.Plan.Modules[0], Victim: j.Test,
		Polluters: j.Found.Trial.Before}
	for _, f := range j.Job.Plan.Sites.Files {
		if dir := path.Dir(filepath.ToSlash(f.Path)); filepath.IsLocal(dir) && !slices.Contains(c.Dirs, dir) {
			c.Dirs = append(c.Dirs, dir)
		}
	}
	if rel, err := filepath.Rel(c.Root, j.Target.Dir); err == nil {
		c.Dir = filepath.ToSlash(rel)
	}
	for _, flag := range j.Job.Flags {
		if tags, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			c.Tags = strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return c
}

// buildWith builds the tests as go test would, with an overlay.
func (j *PollutionJob) buildWith(ctx context.Context, o *pollution.Overlay) (*runner.Binary, error) {
	dir, err := os.MkdirTemp(j.Job.Work, "pollution-")
	if err != nil {
		return nil, err
	}
	b := j.Job.PlainBuild(dir)
	b.Vet = "off"
	if b.Overlay, err = WriteOverlay(dir, j.Job.Plan.Sites.Root, o.Files); err != nil {
		return nil, err
	}
	return b.Test(ctx, j.Target)
}

// mostPolluted is how often the tests run at most to get one run that does not fail in another
// way.
const mostPolluted = 5

// run runs the tests of the finding, with variables put back before the one that failed. A run
// that fails in another way is repeated, because putting variables back must neither cause that
// nor keep the test from running.
func (j *PollutionJob) run(ctx context.Context, bin *runner.Binary,
	back []finding.PackageVar) (failed bool, err error) {
	x := j.Exec
	x.Binary, x.Select = bin, j.Selection(j.Test, &j.Found.Trial)
	x.Env = append(slices.Clip(x.Env), pollution.PutBack(back))
	for range mostPolluted {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		run, err := x.Run(ctx)
		if err != nil {
			return false, err
		}
		o := OutcomeOf(run, j.Test)
		if is := o.Tells(&j.Found.Sig); is >= proof.TellsPass {
			return is == proof.TellsFailure, nil
		}
	}
	return true, nil
}

// WriteOverlay writes files into a directory, with an overlay for go build -overlay that puts
// them in place of the module's files, below root. It returns the name of the overlay.
func WriteOverlay(dir, root string, files map[string][]byte) (string, error) {
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for name, text := range files {
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, data, 0o666)
}
