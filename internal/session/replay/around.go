package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// Failures are looked for round the functions that were edited for so long, and in so many runs.
const (
	aroundTime = 10 * time.Second
	aroundRuns = 200
)

// around looks for failures that the edit has brought. One that the code had before is not its doing.
func (j *Judge) around(ctx context.Context) (Condition, error) {
	exp := j.lab.Experimenter(j.r.Test, cmp.Or(j.Seed, rand.Uint64()), j.show)
	exp.Most, exp.Until, exp.Grace = aroundRuns, time.Now().Add(aroundTime), aroundTime/2
	if j.edit != nil {
		exp.Hints = hints(j.edit)
	}
	exp.ExpectAs(j.exp)
	res, err := exp.Find(ctx)
	if err != nil {
		return Condition{}, err
	}
	for _, f := range exp.Failures() {
		if n := f.Plain.Failed + f.Before; n > 0 && f.Signature.Message == j.r.Signature.Message {
			return Condition{Is: Still, Failed: n, Printed: f.Message, Of: exp.Runs(),
				Says: fmt.Sprintf("in %s of a hunt with nothing done yet it failed", text.Plural(n, "run"))}, nil
		}
	}
	for _, f := range res.Findings {
		p := j.lab.Proof(exp, f)
		if old, err := j.hadBefore(ctx, p); err != nil || old {
			if err != nil {
				return Condition{}, err
			}
			continue
		}
		c := Condition{Is: Another, Says: "a hunt provoked another failure", Printed: f.Message}
		if p.Signature.Message == j.r.Signature.Message {
			c.Is = Still
		}
		return c, nil
	}
	return Condition{Is: Gone, Says: "a hunt provoked nothing new in " + text.Plural(exp.Runs(), "run")}, nil
}

// hints say that something may be wrong in the functions that an edit has changed.
func hints(e *edit.Edit) (list []freedom.Hint) {
	for _, f := range e.Funcs {
		if f.New.From > 0 {
			list = append(list, freedom.Hint{Span: trace.Span{File: f.File, Start: f.New.From, End: f.New.To}})
		}
	}
	return list
}

// hadBefore reports whether the code before the edit fails so too, with what makes it fail now.
func (j *Judge) hadBefore(ctx context.Context, p *proof.Proof) (bool, error) {
	if j.sides == nil {
		return false, nil
	}
	k, err := j.old(ctx)
	if err != nil {
		return false, err
	}
	re, err := k.exp.Retry(ctx, p, k.lab.Build, times)
	if gone := (*experiment.GoneError)(nil); errors.As(err, &gone) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	x, err := k.exp.With(ctx, re, nil, fewRuns)
	return err == nil && x.With.Failed > 0 && x.With.Failed*2 >= x.With.Of, err
}
