package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
)

// conclude reports what was found and returns the exit code.
func (j *huntJob) conclude(ctx context.Context, notes string) (int, error) {
	list, err := j.tell(ctx, notes)
	code := exitOK
	switch {
	case err != nil:
		code = exitTrouble
	case ctx.Err() != nil:
		code = exitInterrupted
	case len(j.untested) > 0:
		code, err = exitTrouble, fmt.Errorf("%s could not be tested", text.Plural(len(j.untested), "package"))
	case provoked(list)+len(j.raced)+len(j.unconfirmed()) > 0:
		code = exitFlaky
	}
	return j.ci.finish(j.ciReport(list), code, err)
}

// tell writes reports and replay files, and prints what was found.
func (j *huntJob) tell(ctx context.Context, notes string) ([]*catch, error) {
	list := j.catches()
	if len(list) == 0 {
		j.rememberNothing(ctx)
	} else if err := j.write(ctx, list, notes); err != nil {
		j.print(list)
		return list, err
	}
	if j.json {
		return list, j.printJSON(list)
	}
	j.print(list)
	if j.result != nil {
		j.app.openReport(j.Dir, j.result, report.FileNames(j.result))
	} else if j.after == nil {
		j.app.openReport("", &finding.Result{}, nil)
	}
	return list, nil
}

// write makes a run directory from the runs of the confirmations, as run does from its own.
func (j *huntJob) write(ctx context.Context, list []*catch, notes string) error {
	if err := j.MakeRunDir(ctx); err != nil {
		return err
	}
	results, err := j.results(list)
	if err != nil {
		return err
	}
	if err := runner.Save(j.Dir, results); err != nil {
		return err
	}
	if err := j.saveRaces(); err != nil {
		return err
	}
	j.Progressf("comparing")
	an := j.Analyzer(notes)
	result, err := an.Result(context.Background(), results)
	if err != nil {
		return err
	}
	result.Warnings = append(result.Warnings, j.Notes()...)
	if err := an.Complete(context.Background(), result); err != nil {
		return err
	}
	if err := j.writeReplays(list, result, report.FileNames(result)); err != nil {
		return err
	}
	if err := an.Keep(j.verdicts(an, list)); err != nil {
		return err
	}
	an.Conclude(result)
	if _, err := j.app.write(an, result); err != nil {
		return err
	}
	j.an, j.result = an, result
	j.Publish()
	return nil
}

// verdicts returns the verdict on each catch, for its page.
func (j *huntJob) verdicts(an *analyze.Analyzer, list []*catch) (out []analyze.TestVerdict) {
	for _, c := range list {
		if c.f.Always || c.replay == "" {
			continue // there is no perturbation that could be removed
		}
		out = append(out, analyze.TestVerdict{
			Package: c.prey.lab.Target.ImportPath, Test: cmp.Or(c.f.Sig.Test, c.f.Test), Place: c.f.Sig.Place(),
			Verdicts: []finding.Verdict{j.verdict(an, c)},
		})
	}
	return out
}

func (j *huntJob) verdict(an *analyze.Analyzer, c *catch) finding.Verdict {
	p := j.describe(c)
	an.Explain(p)
	p.Replay = j.inRun(c.replay)
	return finding.Verdict{Proof: *p, Pollution: c.left}
}

// results returns the runs of the confirmations: provoked runs that failed, and plain runs that
// passed or failed the same way.
func (j *huntJob) results(list []*catch) (*runner.Results, error) {
	res := &runner.Results{Started: j.deadline.Add(-j.Budget.Whole), Elapsed: time.Since(j.deadline.Add(-j.Budget.Whole)), Parallel: j.Parallel}
	byLab := make(map[*session.Lab]*runner.Package)
	for _, c := range list {
		p := byLab[c.prey.lab]
		if p == nil {
			p = &runner.Package{Target: c.prey.lab.Target}
			byLab[c.prey.lab] = p
			res.Packages = append(res.Packages, p)
		}
		for _, o := range slices.Concat(c.f.Traces.Fail, c.f.Traces.Plain, c.f.Traces.Pass) {
			if err := j.adopt(p, o); err != nil {
				return nil, err
			}
		}
		res.N = max(res.N, len(p.Runs))
	}
	return res, nil
}

// adopt adds the run of an experiment to the results, and its trace to the run directory.
func (j *huntJob) adopt(p *runner.Package, o *experiment.Outcome) error {
	if o.Run == nil || o.Trace == "" {
		return nil
	}
	run := *o.Run
	run.N = j.shard.part.Nth(len(p.Runs) + 1)
	name := path.Join("traces", text.DirName(p.ImportPath), fmt.Sprintf("%04d.trace", run.N))
	dst := filepath.Join(j.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
		return err
	}
	if err := os.Link(o.Trace, dst); err != nil {
		if err := copyFile(o.Trace, dst); err != nil {
			return err
		}
	}
	run.Traces = []string{name}
	p.Runs = append(p.Runs, &run)
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}

func (j *huntJob) inRun(name string) string {
	if name == "" || j.Dir == "" {
		return ""
	}
	return j.app.Show(filepath.Join(j.Store.Dir, "latest", name))
}
