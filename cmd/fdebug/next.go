package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/shard"
)

// A hunt with -next is the second stage of a hunt whose trials, or of a run whose runs, were
// divided. It only examines what failed there. Now the failures are divided instead of the runs
// of a confirmation, which are made in turn, on one machine.

// readTask reads the file of -next.
func (j *huntJob) readTask() (err error) {
	if j.next == "" {
		return nil
	}
	j.task, err = experiment.ReadTask(j.next)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, experiment.ErrNotTask), errors.Is(err, experiment.ErrTaskDamaged):
		return advice.With(err, "fdebug merge -next "+j.next+" writes it, of what shards have left")
	case err != nil:
		return err
	}
	if j.task.Bundle != "" && j.BundleFile == "" {
		return advice.With(fmt.Errorf("%s is of a bundle, %.12s", j.next, j.task.Bundle), "-bundle FILE says which file that is")
	}
	j.RunsIn = func(importPath string) bool { return len(j.itemsOf(importPath)) > 0 }
	return nil
}

// itemsOf returns what to confirm here for a package.
func (j *huntJob) itemsOf(importPath string) (mine []*experiment.Item) {
	for i := range j.task.Items {
		if x := &j.task.Items[i]; x.Package == importPath && j.shard.part.Has(i+1) {
			mine = append(mine, x)
		}
	}
	return mine
}

// stages are the facts that both stages have in common.
var stages = []string{"fdebug", "go", "platform", "module", sourceFact, "sites", "flags", "tests"}

// checkTask refuses a task from another build, because its positions would differ.
func (j *huntJob) checkTask(ctx context.Context) error {
	if j.task == nil {
		return nil
	}
	if j.BundleID != j.task.Bundle {
		return fmt.Errorf("%s is of bundle %s, and this is %s", j.next, orNone(j.task.Bundle), orNone(j.BundleID))
	}
	j.Origin = j.OriginHere(ctx).Or(provenance.FromEnv(j.Getenv))
	facts, err := j.facts()
	if err != nil {
		return err
	}
	for _, f := range facts {
		if want := j.task.Build[f.Name]; slices.Contains(stages, f.Name) && f.Value != want {
			return advice.With(fmt.Errorf("%s is of another build: %s is %s there, and %s here", j.next, f.Name, orNone(text.Clip(want, 80)), orNone(text.Clip(f.Value, 80))),
				"both stages want the same source, Go, fdebug and flags")
		}
	}
	for _, x := range j.task.Items {
		if !slices.Contains(j.importPaths(), x.Package) {
			return advice.With(fmt.Errorf("%s has a failure of package %s, which is not among those here", j.next, x.Package), "name the same packages as in the first stage")
		}
	}
	hash, err := session.HashFile(j.next)
	j.shard.facts = append(facts, shard.Fact{Name: "-next", Value: hash})
	return err
}

func orNone(text string) string { return cmp.Or(text, "none") }

// confirm examines the failures in the task that are this shard's.
func (j *huntJob) confirm(ctx context.Context) error {
	for _, p := range j.Plan.Packages {
		mine := j.itemsOf(p.ImportPath)
		if len(mine) == 0 {
			continue
		}
		target := runner.Target{ImportPath: p.ImportPath, Dir: p.Dir}
		if err := j.confirmIn(ctx, target, mine); err != nil {
			if ctx.Err() != nil {
				return err
			}
			j.notTested(target, err)
		}
	}
	return j.rounds(ctx)
}

// confirmIn prepares failures of one package for examination.
func (j *huntJob) confirmIn(ctx context.Context, target runner.Target, items []*experiment.Item) error {
	if j.Bundle == nil {
		j.Progressf("building %s", target.ImportPath)
	}
	l, err := j.NewLab(ctx, target, filepath.Join(j.known, text.DirName(target.ImportPath)))
	if err != nil {
		return err
	}
	if l == nil {
		return runner.ErrNoTestFiles
	}
	for _, x := range items {
		p := &prey{lab: l, name: x.Test}
		p.exp = &experiment.Experimenter{
			Test: x.Test, Sites: j.Plan.Sites, Source: l.Source, Parallel: j.Parallel, Seed: j.Seed, Every: j.every, Only: j.only, Traces: true, Kinds: j.Kinds,
			Grace: max(20*time.Second, j.Budget.Whole/5), Run: l.Runs(x.Test), Report: j.show.Event,
			Candidates: x.Candidates, Natural: x.Natural, Hints: x.Hints, Recorded: x.Recorded,
		}
		if p.exp.AsksForOrder() {
			p.exp.Tests = l.TestNames(ctx, "^Test")
		}
		j.preys = append(j.preys, p)
	}
	return nil
}

// confirmShard examines this shard's part of the failures, and writes its blob.
func (j *huntJob) confirmShard(ctx context.Context) (int, error) {
	began := time.Now()
	if err := j.huntPart(ctx, began); err != nil {
		return exitTrouble, err
	}
	list := slices.DeleteFunc(j.catches(), func(c *catch) bool { return c.f.Always })
	h := j.head
	h.Started, h.Ended, h.Interrupted, h.Next = began, time.Now(), ctx.Err() != nil, j.shard.facts[len(j.shard.facts)-1].Value
	h.Tests, h.Complete, h.Runs = j.tally()
	file, err := j.writeConfirmed(context.WithoutCancel(ctx), list)
	if err != nil {
		return exitTrouble, err
	}
	fmt.Fprintf(j.Stdout, "shard %v: %s looked into in %s, %s\n%s\n", h.Part, text.Plural(h.Tests, "failure"), text.Plural(h.Runs, "run"), cameTo(len(list)), j.app.Show(file))
	switch {
	case h.Interrupted:
		return exitInterrupted, nil
	case len(j.untested) > 0:
		return exitTrouble, fmt.Errorf("%s could not be tested", text.Plural(len(j.untested), "package"))
	}
	return exitOK, nil
}

// cameTo is the phrase for the number of failures with a verdict.
func cameTo(n int) string {
	if n == 1 {
		return "1 came to a verdict"
	}
	return fmt.Sprintf("%d came to a verdict", n)
}

// writeConfirmed writes the blob with the confirmations: a run directory of their runs, with
// verdicts and replay files. Runs are numbered as parts of a whole.
func (j *huntJob) writeConfirmed(ctx context.Context, list []*catch) (string, error) {
	if err := j.MakeRunDir(ctx); err != nil {
		return "", err
	}
	defer os.RemoveAll(j.Dir) // the blob has everything
	results, err := j.results(list)
	if err != nil {
		return "", err
	}
	if err := runner.Save(j.Dir, results); err != nil {
		return "", err
	}
	h := j.head
	h.N, h.Controls = 1, 0
	for _, p := range results.Packages {
		for _, run := range p.Runs {
			h.N = max(h.N, run.N)
			if run.Failed() {
				h.Failed++
			}
		}
	}
	an := j.Analyzer("")
	if _, err := an.Result(ctx, results); err != nil { // after that it knows the source
		return "", err
	}
	for i, c := range list {
		base := text.DirName(path.Base(c.prey.lab.Target.ImportPath) + "." + cmp.Or(c.f.Sig.Test, c.f.Test))
		c.replay = fmt.Sprintf("%s-%d%s", base, j.shard.part.Nth(i+1), session.ReplaySuffix)
		if err := j.describe(c).WriteFile(filepath.Join(j.Dir, c.replay)); err != nil {
			return "", err
		}
	}
	if err := analyze.WriteVerdicts(j.Dir, j.verdicts(an, list)); err != nil {
		return "", err
	}
	file := j.blobName(h)
	return file, shard.Write(file, &h.Header, j.Dir, results, j.Plan.Sites, j.Source)
}
