package hunt

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/exit"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
)

// Conclude reports the provoked failures of a hunt that ended with an error, nil for none. It returns
// the exit code.
func (j *Hunt) Conclude(ctx context.Context, err error) ([]*Catch, int, error) {
	j.markDone()
	if err != nil && ctx.Err() == nil {
		return nil, exit.Trouble, err
	}
	list, err := j.tell(ctx)
	if n := len(j.Untested); err == nil && n > 0 && !exit.IsInterrupted(ctx) {
		err = fmt.Errorf("%s could not be tested", text.Plural(n, "package"))
	}
	return list, j.code(ctx, list, err), err
}

// code is the exit code of a hunt that ended with an error, nil for none. A signal that ends the hunt of a run does not
// change the results of the runs.
func (j *Hunt) code(ctx context.Context, list []*Catch, err error) int {
	interrupted := exit.IsInterrupted(ctx) && j.after == nil
	return exit.Of(exit.If(interrupted, exit.Interrupted), exit.If(j.found(list), exit.Flaky),
		exit.If(err != nil, exit.Trouble))
}

// found reports whether tests failed with nothing perturbed. In a hunt that somebody asked for, provoked failures
// count, too.
func (j *Hunt) found(list []*Catch) bool {
	asked := j.after == nil
	return asked && provoked(list)+len(j.raced) > 0 || slices.ContainsFunc(j.failing(), func(p *Test) bool {
		return asked || !j.needsOthers(p)
	})
}

// tell writes reports and replay files, and prints the catches.
func (j *Hunt) tell(ctx context.Context) ([]*Catch, error) {
	list, seen := j.Catches(), j.seen()
	if len(list)+len(seen) == 0 {
		j.NothingFound(ctx, j.Budget.Began)
	} else if err := j.write(ctx, list, seen); err != nil {
		j.print(ctx, list, seen)
		return list, err
	}
	if j.JSON {
		return list, j.printJSON(list)
	}
	j.print(ctx, list, seen)
	if j.Result != nil {
		j.Screen.OpenReport(j.Dir, j.Result, report.FileNames(j.Result))
	} else if j.after == nil {
		j.Screen.OpenReport("", &finding.Result{}, nil)
	}
	return list, nil
}

// write makes a run directory from the runs of the confirmations and of the failures seen, as run does from its own.
func (j *Hunt) write(ctx context.Context, list []*Catch, seen []*sight) error {
	if err := j.MakeRunDir(ctx); err != nil {
		return err
	}
	results, err := j.Results(j.Dir, list, seen)
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
	an := j.Analyzer(j.Note)
	comparing, cancel := session.Comparing(ctx)
	defer cancel()
	result, err := an.Result(comparing, results)
	if err != nil {
		return err
	}
	result.Warnings = append(result.Warnings, j.Packed.Notes...)
	if n := enoughFor(seen); n > 0 && len(list) == 0 {
		j.RecordValues(ctx, an, result, results, n, j.Deadline)
	}
	if err := an.Complete(comparing, result); err != nil {
		return err
	}
	if err := j.writeReplays(comparing, an, list, report.FileNames(result)); err != nil {
		return err
	}
	if err := an.Keep(append(j.Verdicts(comparing, an, list), j.seenOn(seen)...)); err != nil {
		return err
	}
	an.Conclude(comparing, result)
	if _, err := j.Screen.Write(ctx, an, result); err != nil {
		return err
	}
	j.An, j.Result = an, result
	j.Publish(ctx, !j.others)
	return nil
}

// Verdicts returns the verdict on each catch, for its page.
func (j *Hunt) Verdicts(ctx context.Context, an *analyze.Analyzer, list []*Catch) (out []analyze.TestVerdict) {
	for _, c := range list {
		if c.Finding.Always || c.Replay == "" {
			continue // there is no perturbation that could be removed
		}
		out = append(out, analyze.TestVerdict{
			Package: c.Test.Lab.Target.ImportPath, Test: cmp.Or(c.Finding.Sig.Test, c.Finding.Test),
			Verdicts: []finding.Verdict{j.Verdict(ctx, an, c)},
		})
	}
	return out
}

func (j *Hunt) Verdict(ctx context.Context, an *analyze.Analyzer, c *Catch) finding.Verdict {
	p := c.Proof()
	an.Explain(ctx, p)
	p.Replay = j.inRun(c.Replay)
	return finding.Verdict{Proof: *p, Pollution: c.left}
}

// Results returns the runs of the confirmations: provoked runs that failed, and plain runs that
// passed or failed the same way. With them come those of the failures seen. Their traces are in a directory.
func (j *Hunt) Results(dir string, list []*Catch, seen []*sight) (*runner.Results, error) {
	var all []session.Evidence
	for _, c := range list {
		t := &c.Finding.Traces
		all = append(all, session.Evidence{Lab: c.Test.Lab, Runs: slices.Concat(t.Fail, t.Plain, t.Pass)})
	}
	for _, x := range seen {
		all = append(all, x.Evidence())
	}
	return j.ResultsOf(dir, "", all, j.Nth)
}

func (j *Hunt) inRun(name string) string {
	if name == "" || j.Dir == "" {
		return ""
	}
	if j.others {
		return j.Show(filepath.Join(j.Dir, name))
	}
	return j.Show(filepath.Join(j.Store.Dir, "latest", name))
}
