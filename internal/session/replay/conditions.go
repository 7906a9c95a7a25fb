package replay

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"
)

// dose asks whether the diff shows that only a dose has moved.
func (j *Judge) dose(context.Context) (Condition, error) {
	if list := j.edit.Dose(); len(list) > 0 {
		return Condition{Is: Dose, Says: "all that changes is " + changes(list)}, nil
	}
	return Condition{}, nil
}

// checks asks whether the diff shows that the test checks less.
func (j *Judge) checks(context.Context) (Condition, error) {
	list := j.edit.Weaker()
	switch {
	case slices.ContainsFunc(list, leavesOut):
		return Condition{Is: Weaker, Says: changes(list)}, nil
	case len(list) > 0: // the same may be checked in another way
		return Condition{Is: Gone, Says: "to be looked at: " + changes(list)}, nil
	}
	return Condition{Is: Gone, Says: "no check was deleted, and nothing is skipped"}, nil
}

// leavesOut reports whether a change leaves out a test.
func leavesOut(c edit.Change) bool {
	return slices.Contains([]string{"skip", "test", "build tag"}, c.What)
}

// changes says what some changes are, the first few.
func changes(list []edit.Change) string {
	const most = 3
	var parts []string
	for _, c := range list[:min(len(list), most)] {
		parts = append(parts, told(c))
	}
	if n := len(list) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}

// told says what a change is, with its place.
func told(c edit.Change) string {
	at := fmt.Sprintf("%s (%s:%d)", c.What, path.Base(c.File), c.Line)
	switch {
	case c.Before != "" && c.After != "":
		return at + " `" + c.Before + "` to `" + c.After + "`"
	case c.Before != "":
		return at + " `" + c.Before + "` went"
	case c.After != "":
		return at + " `" + c.After + "` came"
	}
	return at
}

// failure returns how runs that failed are to be told: as before, or in another way.
func (j *Judge) failure(x *experiment.Tried, how string) Condition {
	c := Condition{Is: Still, Failed: x.With.Failed, Of: x.With.Of, Printed: x.Messages[0],
		Says: how + " " + text.OfRuns(x.With.Failed, x.With.Of) + " failed"}
	if j.r.Verdict != proof.None && !slices.Contains(x.Masked, j.r.Signature.Message) {
		c.Is = Another
	}
	return c
}

// plain asks whether the test passes with nothing done to it.
func (j *Judge) plain(ctx context.Context) (Condition, error) {
	x, err := j.first(ctx)
	n := j.N
	if u := j.exp.Usual(); u > 0 {
		n = max(n, min(plainMost, int(plainTime/u)))
	}
	if err == nil && x.With.Failed == 0 {
		x, err = j.exp.With(ctx, experiment.Nothing(), nil, n)
	}
	if err != nil {
		return Condition{}, err
	}
	was, before := j.r.Confirmed.Plain, ""
	if was.Of > 0 {
		before = fmt.Sprintf("; before, %d of %d", was.Failed, was.Of)
	}
	switch {
	case x.With.Failed > 0:
		return j.failure(x, "with nothing done"), nil
	case x.With.Of < n:
		return Condition{Is: Open, Says: fmt.Sprintf("only %d of %s came to the test", x.With.Of,
			text.Plural(x.With.Of+x.With.None, "run"))}, nil
	}
	return Condition{Is: Gone, Of: x.With.Of,
		Says: fmt.Sprintf("with nothing done 0 of %d failed%s", x.With.Of, before)}, nil
}

// Plain runs are made for so long, and at most so many: what is left of a failure may be rare.
const (
	plainTime = 10 * time.Second
	plainMost = 100
)

// first makes one run with nothing done, in a third of the time. One that does not end in that hangs.
func (j *Judge) first(ctx context.Context) (*experiment.Tried, error) {
	limit := j.Budget.Whole / 3
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	x, err := j.exp.With(ctx, experiment.Nothing(), nil, 1)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &experiment.Tried{With: proof.Count{Failed: 1, Of: 1},
			Messages: []string{fmt.Sprintf("it did not end in %v", text.Rounded(limit))}, Masked: []string{""}}, nil
	}
	return x, err
}

// A trial is what became of something that was done to the code after the edit.
type trial struct {
	*experiment.Tried
	re    *experiment.Retrial
	gone  error // why it can't be done any more; nil if it can
	limit bool  // it fails only by a limit of time that the hold outlasts
}

// try makes n runs of what a proof says, with goroutines held for some time, or for that of the proof.
func (j *Judge) try(ctx context.Context, p *proof.Proof, n int, hold time.Duration) (t trial, err error) {
	t.re, err = j.exp.Retry(ctx, p, j.lab.Build, times)
	if gone := (*experiment.GoneError)(nil); errors.As(err, &gone) {
		t.gone = gone
		return t, nil
	} else if err != nil {
		return t, err
	}
	if hold > 0 {
		t.re = t.re.Longer(float64(hold) / float64(t.re.Longest()))
	}
	if t.Tried, err = j.exp.With(ctx, t.re, nil, n); err == nil && t.With.Failed > 0 {
		t.limit, err = t.re.Outlasts()
	}
	return t, err
}

// fails reports whether the test fails by it.
func (t trial) fails() bool { return t.With.Failed > 0 && !t.limit }

// acts reports whether it acted in so many runs that their outcome tells.
func (t trial) acts() bool {
	acted := t.With.Of + t.With.Other
	return 10*acted >= 9*(acted+t.With.Missed)
}

// told says what became of it, after how it was done.
func (t trial) told(how string) Condition {
	c := Condition{Is: Gone, Failed: t.With.Failed, Of: t.With.Of, Says: fmt.Sprintf("%s %d of %d failed", how, t.With.Failed, t.With.Of)}
	if t.limit {
		c.Says += ", only by a limit of time that the hold outlasts"
	}
	if t.With.Unmet > 0 {
		c.Says += fmt.Sprintf("; in %d the order did not come about", t.With.Unmet)
	}
	return c
}

// acts asks whether the test passes under what made it fail. If that can't come about any more, the diff must say why.
func (j *Judge) acts(ctx context.Context) (Condition, error) {
	const how = "with what was proved"
	switch {
	case j.r.Always:
		return Condition{}, nil
	case j.r.Verdict == proof.None:
		return Condition{Is: Open, Says: "no cause was found in the code before the edit, so nothing shows that it is gone"}, nil
	}
	t, err := j.try(ctx, j.r, j.N, 0)
	switch {
	case err != nil:
		return Condition{}, err
	case t.gone != nil:
		return j.cannot(t.gone.Error()), nil
	case t.fails():
		return j.failure(t.Tried, how), nil
	case t.With.Of+t.With.Other == 0 && j.r.Plan.Does(proof.Act.Chooses):
		return Condition{Is: Gone, Says: fmt.Sprintf("it can't come about any more: nothing is chosen there in any of %s",
			text.Plural(t.With.Missed, "run"))}, nil
	case !t.acts():
		return j.cannot(fmt.Sprintf("what was proved did not act in %d of %s", t.With.Missed,
			text.Plural(t.With.Of+t.With.Other+t.With.Missed, "run"))), nil
	case len(t.re.Trials) > 1:
		return j.drawn(ctx, t)
	}
	before := j.r.Confirmed.With
	c := t.told(how + dosedWords(t.Tried))
	c.Says += fmt.Sprintf("; before, %d of %d", before.Failed, before.Of)
	return c, nil
}

// cannot is the answer where what was proved does not act any more: the statement that it needs must have been edited
// away.
func (j *Judge) cannot(why string) Condition {
	if j.edit != nil && experiment.Unmoved(j.r, j.before) {
		for _, at := range j.r.Places() {
			start := at.Goroutine.Started()
			for _, s := range []proof.Span{{File: start.File, Start: start.Line}, {File: at.File, Start: at.Line}} {
				if c, gone := j.edit.Gone(s.File, s.Start); gone {
					return Condition{Is: Gone, Says: "it can't come about any more: " + told(c)}
				}
			}
		}
	}
	return Condition{Is: Open, Says: why + ", and the edit does not show why"}
}

// drawn compares choices by chance before and after the edit: in each build a seed stands for others.
func (j *Judge) drawn(ctx context.Context, t trial) (Condition, error) {
	if j.sides == nil { // plain runs choose by chance, too
		return Condition{}, nil
	}
	k, err := j.old(ctx)
	if err != nil {
		return Condition{}, err
	}
	was, err := k.exp.Retry(ctx, k.r, k.lab.Build, times)
	if err != nil {
		return Condition{}, err
	}
	was = k.exp.Reseeded(was)
	before, after := proof.Count{}, t.With
	for after.Of < plainMost {
		x, err := k.exp.With(ctx, was.After(before.Of), nil, j.N)
		if err != nil {
			return Condition{}, err
		}
		if before = before.Plus(x.With); proof.Differ(before, after) {
			return Condition{Is: Gone, Of: after.Of, Says: fmt.Sprintf("with %d other choices 0 failed; before the edit, %d of %d",
				after.Of, before.Failed, before.Of)}, nil
		}
		if x, err = j.exp.With(ctx, t.re.After(after.Of), nil, j.N); err != nil {
			return Condition{}, err
		}
		if after = after.Plus(x.With); x.With.Failed > 0 {
			return j.failure(x, "with other choices"), nil
		}
	}
	return Condition{Is: Open, Of: after.Of, Says: fmt.Sprintf("with %d other choices 0 failed; before the edit, %d of %d: too few to tell",
		after.Of, before.Failed, before.Of)}, nil
}

// waits reports whether goroutines wait in an act.
func waits(a proof.Act) bool { return a.Holds() || a.Orders() }

// opposite asks whether the test passes with the opposite of what was proved.
func (j *Judge) opposite(ctx context.Context) (Condition, error) {
	if len(j.r.Opposite) == 0 {
		return Condition{}, nil
	}
	o := *j.r
	o.Plan, o.Before, o.Shuffle = j.r.Opposite, nil, 0
	t, err := j.try(ctx, &o, fewRuns, 0)
	if err != nil || t.gone != nil || t.With.Of == 0 { // what it is the opposite of can't come about either
		return Condition{}, err
	}
	const how = "with the opposite"
	if t.fails() {
		return j.failure(t.Tried, how), nil
	}
	return t.told(how), nil
}

const (
	fewRuns   = 5                // of what must not fail once
	leastHold = time.Second      // that a fix must withstand
	mostHold  = 10 * time.Second // that is tried
)

// longer asks whether the test passes if goroutines are held for longer than its runs wait for anything. A longer sleep
// does not.
func (j *Judge) longer(ctx context.Context) (Condition, error) {
	if !j.r.Plan.Does(waits) {
		return Condition{}, nil
	}
	hold := min(max(times*j.r.Smallest, leastHold, 2*j.exp.Usual()), mostHold)
	t, err := j.try(ctx, j.r, fewRuns, hold)
	if err != nil || t.gone != nil || t.With.Of == 0 {
		return Condition{}, err
	}
	how := fmt.Sprintf("held for %v", text.Rounded(hold))
	if !t.fails() {
		return t.told(how), nil
	}
	c := j.failure(t.Tried, how)
	if c.Is == Still {
		c.Is = Dose
	}
	return c, nil
}

// edited says what else the edit changes, and whether anything was edited at all.
func (j *Judge) edited(context.Context) (Condition, error) {
	switch {
	case j.edit == nil:
		return Condition{Is: Open, Says: "what was edited is not known: the run that made the replay file is not here"}, nil
	case len(j.edit.Files) == 0:
		return Condition{Is: Open, Says: "nothing was edited"}, nil
	case len(j.sides.Others) > 0:
		return Condition{Is: Gone, Says: "also changed, and not looked at: " + strings.Join(j.sides.Others, ", ")}, nil
	case slices.Contains(j.edit.Files, "go.mod"):
		return Condition{Is: Gone, Says: "also changed, and not looked at: go.mod"}, nil
	}
	return Condition{}, nil
}
