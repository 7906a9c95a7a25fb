package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/remedy"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
)

// A Fix tries edits of the code, and prints the first that ends the
// failure.
type Fix struct {
	*Job
	now   fixed // the unchanged code
	tried int   // how many edits did not hold
}

// A fixed has the outcomes of a test under the perturbation, and without it.
type fixed struct{ with, plain proof.Count }

func (j *Fix) Run(ctx context.Context, name string) (int, error) {
	if err := j.read(name); err != nil {
		return exit.Trouble, err
	}
	c := remedy.CauseOf(j.r)
	if !c.HasEdits() {
		return exit.Flaky, j.none()
	}
	if err := j.instrumentAgain(ctx); err != nil {
		return exit.Trouble, err
	}
	c.Files = j.files()
	list := (&remedy.Proposer{Source: j.Source}).Propose(c)
	if len(list) == 0 && experiment.Unmoved(j.r, j.Source) {
		return exit.Flaky, j.none()
	}
	if err := j.buildLab(ctx); err != nil {
		return exit.Trouble, err
	}
	defer j.show.Clear()
	if err := j.failsNow(ctx); err != nil {
		return exit.Trouble, err
	}
	for i := range list {
		j.show.Clear()
		j.Progressf("trying to %s", list[i].Words)
		was, err := j.try(ctx, &list[i])
		if ctx.Err() != nil {
			return exit.Interrupted, ctx.Err()
		}
		if err != nil {
			j.tried++
			j.Progressf("no: %v", err)
			continue
		}
		j.print(ctx, &list[i], was)
		return exit.OK, nil
	}
	return exit.Flaky, j.none()
}

// none says that there is no edit, and where to read on.
func (j *Fix) none() error {
	hint := "fdebug explain lists the kinds of causes, and says of each how it is usually fixed"
	if j.tried == 0 && j.r.Kind() == "rand" {
		return advice.With(errors.New("no edit is made for random numbers: a fixed seed would hide the failure"), hint)
	}
	if j.tried == 0 {
		return advice.With(fmt.Errorf("no edit is known for this: `fdebug help fix` says for what there is one"), hint)
	}
	if j.tried == 1 {
		return advice.With(errors.New("the one edit that was tried does not hold"), hint)
	}
	return advice.With(fmt.Errorf("none of the %d edits that were tried holds", j.tried), hint)
}

// failsNow checks that there is something to fix: the lines must be those of the replay file,
// which may come from another machine, and fail under its perturbation.
func (j *Fix) failsNow(ctx context.Context) error {
	re, err := j.exp.Retry(ctx, j.r, j.lab.Build, times)
	if err != nil {
		return j.explainGone(err)
	}
	again := "fdebug hunt -run '^" + j.r.Test + "$' " + j.r.Package + " finds the places in the code of today"
	if !re.Same && !experiment.Unmoved(j.r, j.Source) {
		return advice.With(fmt.Errorf("the code has changed since %s was made", j.Show(j.file)), again)
	}
	sig := j.signature(re)
	if re, _, err = j.exp.Settle(ctx, re, sig); err != nil {
		return err
	}
	x, err := j.exp.With(ctx, re, sig, j.N)
	if err != nil {
		return err
	}
	if !experiment.Promised(x.With, j.r.Confirmed.With) {
		return advice.With(fmt.Errorf(
			"it failed in %s now, and in %d of %d when it was found: an edit could not be told from chance",
			text.OfRuns(x.With.Failed, x.With.Of), j.r.Confirmed.With.Failed, j.r.Confirmed.With.Of), again)
	}
	j.now = fixed{x.With, proof.Count(j.r.Confirmed.Plain)}
	return nil
}

// files returns the files of the package, by path from the module's root.
func (j *Fix) files() (list []string) {
	for _, f := range store.Glob(j.target().Dir, "*.go") {
		if rel, ok := j.Plan.Sites.Rel(f); ok {
			list = append(list, rel)
		}
	}
	return list
}

// try builds the package with an edit and runs the test, under the perturbation and without it.
// The error says why the edit does not hold.
func (j *Fix) try(ctx context.Context, r *remedy.Remedy) (was fixed, err error) {
	k := j.another()
	k.N, k.Parallel, k.Out, k.file, k.Edited = j.N, j.Parallel, j.Out, j.file, r.Files
	k.r = j.r.Reworded(r.Was, r.Now)
	defer k.CleanUp()
	if k.Overlay, err = session.WriteOverlay(j.Work, j.Plan.Sites.Root, r.Files); err != nil {
		return was, err
	}
	if err := k.buildAgain(ctx); err != nil {
		return was, fmt.Errorf("it does not build: %w", err)
	}
	defer k.show.Clear()
	k.exp.ExpectAs(j.exp)
	if once, err := k.exp.Without(ctx, 1); err != nil || once.Failed > 0 {
		// for example because it waits for something that never comes
		return was, cmp.Or(err, errors.New("it fails even without the perturbation, in the first run"))
	}
	re, err := k.exp.Retry(ctx, k.r, k.lab.Build, times)
	if gone := (*experiment.GoneError)(nil); errors.As(err, &gone) {
		return k.plainOnly(ctx, j.now)
	} else if err != nil {
		return was, err
	}
	x, err := k.exp.With(ctx, re, nil, k.N)
	if err != nil {
		return was, err
	}
	if x.With.Of == 0 {
		return k.plainOnly(ctx, j.now)
	}
	was.with = x.With
	if was.plain, err = k.exp.Without(ctx, k.N); err != nil {
		return was, err
	}
	if x.With.Failed+was.plain.Failed > 0 || x.With.Of < k.N || was.plain.Of < k.N {
		return was, fmt.Errorf("with it %s failed, without it %d of %d", text.OfRuns(x.With.Failed, x.With.Of),
			was.plain.Failed, was.plain.Of)
	}
	if code, err := k.tryLonger(ctx, re); code != exit.OK || err != nil {
		return was, cmp.Or(err, errors.New("held for longer it fails as before"))
	}
	return was, nil
}

// fixPlainRuns is how often the test must pass if nothing is left to perturb.
const fixPlainRuns = 100

// plainOnly tries code in which nothing is left to perturb. The edit holds if the code never
// fails, and the unchanged code fails so often that this can't be luck.
func (j *Job) plainOnly(ctx context.Context, now fixed) (was fixed, err error) {
	if was.plain, err = j.exp.Without(ctx, fixPlainRuns); err != nil {
		return was, err
	}
	switch {
	case was.plain.Failed > 0 || was.plain.Of < fixPlainRuns:
		return was, fmt.Errorf("%d of %d runs failed", was.plain.Failed, was.plain.Of)
	case !proof.Differ(now.plain, was.plain):
		return was, fmt.Errorf(
			"nothing is left to perturb, and plain runs say nothing: %d of %d failed before, %d of %d with it",
			now.plain.Failed, now.plain.Of, was.plain.Failed, was.plain.Of)
	}
	return was, nil
}

// print writes the patch after a summary of the trials, which git apply and patch skip.
func (j *Fix) print(ctx context.Context, r *remedy.Remedy, was fixed) {
	j.show.Clear()
	w := j.Stdout
	fmt.Fprintf(w, "To %s.\n", r.Words)
	fmt.Fprintf(w, "before: with the perturbation %s failed, without it %d of %d\n",
		text.OfRuns(j.now.with.Failed, j.now.with.Of), j.now.plain.Failed, j.now.plain.Of)
	if was.with.Of > 0 {
		fmt.Fprintf(w, "after:  with the perturbation %s failed, without it %d of %d; it acted in %d of %d\n",
			text.OfRuns(was.with.Failed, was.with.Of), was.plain.Failed, was.plain.Of, was.with.Of,
			was.with.Of+was.with.Missed)
	} else {
		fmt.Fprintf(w, "after:  nothing is left to perturb; %d of %d runs failed\n", was.plain.Failed, was.plain.Of)
	}
	prefix := j.gitPrefix(ctx)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		old, err := j.Source(name)
		if err != nil {
			continue // it was read a moment ago
		}
		fmt.Fprintf(w, "\n%s", diff.Diff("a/"+prefix+name, old, "b/"+prefix+name, r.Files[name]))
	}
}
