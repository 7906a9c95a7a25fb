package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/remedy"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
)

// A Fix tries edits of the code, and prints the first that ends the
// failure.
type Fix struct {
	*Job
	tried int // how many edits did not hold
}

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
		g, err := j.try(ctx, &list[i])
		if ctx.Err() != nil {
			return exit.Interrupted, ctx.Err()
		}
		if err != nil {
			j.tried++
			j.Progressf("no: %v", err)
			continue
		}
		j.print(ctx, &list[i], g)
		return exit.OK, nil
	}
	return exit.Flaky, j.none()
}

// none says that there is no edit, and where to read on.
func (j *Fix) none() error {
	hint := "fdebug help kinds lists the kinds of causes, and fdebug help KIND says how each is usually fixed"
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

// try judges an edit, as far as it can be wrong: it is one that only mends. The error says why it does not hold.
func (j *Fix) try(ctx context.Context, r *remedy.Remedy) (*Judgement, error) {
	k := &Judge{Job: j.another(), sides: &Sides{Root: j.Plan.Sites.Root, Before: edit.Source{}, After: r.Files}}
	k.r = j.r.Reworded(r.Was, r.Now)
	defer k.CleanUp()
	if err := k.MakeWork(); err != nil {
		return nil, err
	}
	for name := range r.Files {
		k.sides.Before[name] = k.sides.now(name)
	}
	var err error
	if k.edit, err = edit.Between(k.sides.Before, k.sides.After); err != nil {
		return nil, err
	}
	if err := k.build(ctx); err != nil {
		return nil, fmt.Errorf("it does not build: %w", err)
	}
	defer k.show.Clear()
	k.exp.ExpectAs(j.exp)
	g := &Judgement{Test: j.failing(nil)}
	err = k.answer(ctx, g, question{"plain", k.plain}, question{"cause", k.acts}, question{"longer", k.longer})
	if err == nil && g.Ruling() != Gone {
		err = errors.New(g.Conditions[len(g.Conditions)-1].Says)
	}
	return g, err
}

// print writes the patch after what it holds by, which git apply and patch skip.
func (j *Fix) print(ctx context.Context, r *remedy.Remedy, g *Judgement) {
	j.show.Clear()
	w := j.Stdout
	fmt.Fprintf(w, "To %s.\n", r.Words)
	g.printConditions(w)
	prefix := gitPrefix(ctx, j.Plan.Sites.Root)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		old, err := j.Source(name)
		if err != nil {
			continue // it was read a moment ago
		}
		fmt.Fprintf(w, "\n%s", diff.Diff("a/"+prefix+name, old, "b/"+prefix+name, r.Files[name]))
	}
}
