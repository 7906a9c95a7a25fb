package hunt

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
)

// Conclude reports the provoked failures of a hunt that ended with an error, nil for none. It returns
// the exit code.
func (j *Hunt) Conclude(ctx context.Context, err error) (int, error) {
	j.markDone()
	if err != nil && ctx.Err() == nil {
		return exit.Trouble, err
	}
	list, err := j.tell(ctx)
	if n := len(j.Untested); err == nil && n > 0 && j.after == nil && !exit.IsInterrupted(ctx) {
		err = fmt.Errorf("%s could not be tested", text.Plural(n, "package"))
	}
	return j.code(ctx, list, err), err
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
	return asked && provoked(list)+len(j.Raced()) > 0 || slices.ContainsFunc(j.failing(), func(p *Test) bool {
		return asked || !j.needsOthers(p)
	})
}

// tell writes reports and replay files, and prints what was found.
func (j *Hunt) tell(ctx context.Context) (list []*Catch, err error) {
	list, seen := j.Catches(), j.seen()
	j.Result.Elapsed = time.Since(j.Budget.Began)
	if len(list)+len(seen) == 0 {
		j.NothingFound(ctx, j.Budget.Began)
	} else {
		err = j.write(ctx, list, seen)
	}
	if err == nil && j.JSON {
		return list, report.JSON(j.Stdout, j.withRaces())
	}
	if err == nil {
		err = j.brief(list)
	}
	j.print(list, seen)
	if err == nil && (len(j.Result.Tests) > 0 || j.after == nil) {
		j.Screen.OpenReport(j.Dir, j.Result, report.FileNames(j.Result))
	}
	return list, err
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
	an := j.Analyzer(j.Note)
	found, err := j.Find(ctx, an, results, func(r *finding.Result) {
		if n := enoughFor(seen); n > 0 && len(list) == 0 {
			j.RecordValues(ctx, an, r, results, n, j.Deadline)
		}
	}, func(r *finding.Result) error { return j.keep(ctx, an, r, list, seen) })
	if err != nil {
		return err
	}
	j.Result = found
	if j.pages, err = j.Screen.Write(ctx, an, found); err != nil {
		return err
	}
	j.addFailing(list)
	j.Publish(ctx, !j.others)
	return nil
}

// keep writes a replay file for each catch, with the name of its page, and keeps the verdicts of all. There is none for
// what fails by itself.
func (j *Hunt) keep(ctx context.Context, an *analyze.Analyzer, r *finding.Result, list []*Catch, seen []*sight) error {
	ctx, cancel := exit.Closing(ctx)
	defer cancel()
	var kept []analyze.TestVerdict
	files, used := report.FileNames(r), make(map[string]int)
	for _, c := range list {
		if c.Finding.Always {
			continue
		}
		v, base := c.Told(r), ""
		if i := slices.IndexFunc(r.Tests, v.Of); i >= 0 {
			base = files[r.Tests[i]]
		}
		name := cmp.Or(base, text.TestFile(v.Package, v.Test))
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, used[name])
		}
		name += proof.Suffix
		if err := j.KeepProof(ctx, an, v, name, j.inRun(name)); err != nil {
			return err
		}
		kept = append(kept, *v)
	}
	return an.Keep(append(kept, j.seenOn(seen)...))
}

// nothing is the result of a hunt that has found nothing.
func (j *Hunt) nothing() *finding.Result {
	r := terminal.SourcesOf(j.Plan.Sites)
	r.Command, r.Go, r.Options = j.Command, j.Plan.Toolchain.GOVERSION, j.Options()
	r.Started, r.Environ = j.Budget.Began, os.Environ()
	r.Home, _ = os.UserHomeDir()
	return r
}

// addFailing adds, to tests that always fail and have no verdict on their page, what was found of that.
func (j *Hunt) addFailing(list []*Catch) {
	for _, c := range list {
		v := c.Told(j.Result)
		if i := slices.IndexFunc(j.Result.Tests, v.Of); i >= 0 && len(j.Result.Tests[i].Verdicts) == 0 {
			j.Result.Tests[i].Verdicts = v.Verdicts
		}
	}
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
	return j.ResultsOf(dir, "", all)
}

func (j *Hunt) inRun(name string) string {
	if j.others {
		return j.Show(filepath.Join(j.Dir, name))
	}
	return j.Show(filepath.Join(j.Store.Dir, "latest", name))
}

// withRaces is the result with data races of tests that did not fail.
func (j *Hunt) withRaces() *finding.Result {
	r := *j.Result
	for _, t := range j.Raced() {
		if !slices.ContainsFunc(r.Tests, (&analyze.TestVerdict{Package: t.Package, Test: t.Name}).Of) {
			r.Tests = append(slices.Clip(r.Tests), t)
		}
	}
	return &r
}

// brief adds the hunt to the brief.
func (j *Hunt) brief(list []*Catch) error {
	said, next := "", ""
	if provoked(list) == 0 {
		said = j.Said()
	}
	if _, left := j.Left(); len(left) > 0 {
		o := onward(j.Session)
		next = o.Typed("hunt")
	}
	return j.Screen.Tell(j.withRaces(), j.inRun(""), said, next)
}
