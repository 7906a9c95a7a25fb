package experiment

import (
	"context"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A tells is what a run tells of a failure.
type tells uint8

const (
	tellsNothing tells = iota // it did not come to the test, or that failed in another way
	tellsPass
	tellsFailure
)

// tells says what a run tells of failures with a signature, or of any failure if it is nil. All that counts or compares
// runs asks here: with one that fails in another way it isn't known whether it would have failed so too.
func (o *Outcome) tells(sig *runner.Signature) tells {
	switch {
	case !o.Ran || o.Failed && sig != nil && !same(o.Signature, *sig):
		return tellsNothing
	case o.Failed:
		return tellsFailure
	}
	return tellsPass
}

// addRun counts a run of a trial.
func addRun(c *proof.Count, t *Trial, o *Outcome, sig *runner.Signature) {
	if !o.Ran || !t.acted(o) {
		c.Missed++
		return
	}
	switch o.tells(sig) {
	case tellsNothing:
		c.Other++
		return
	case tellsFailure:
		c.Failed++
	}
	c.Of++
	if !t.met(o) {
		c.Unmet++
	}
}

// count makes runs until n count, as far as it is likely that they will.
func (e *Experimenter) count(ctx context.Context, t Trial, sig *runner.Signature, n int) (proof.Count, error) {
	var c proof.Count
	for c.Wants(n) > 0 {
		outs := make([]*Outcome, c.Wants(n))
		err := e.each(ctx, len(outs), func(i int) (err error) {
			outs[i], err = e.runAgain(ctx, t)
			return err
		})
		if err != nil {
			return c, err
		}
		for _, o := range outs {
			addRun(&c, &t, o, sig)
		}
	}
	return c, nil
}

// always reports whether n runs in a row turn out as wanted: all fail with the
// signature, or all pass. It stops at the first that does not. A trial that did not
// act in 3 runs, and in fewer than it missed, or that mostly fails in another way, tells
// nothing: then acts is false if no run counted.
func (e *Experimenter) always(ctx context.Context, t Trial, sig *runner.Signature, fail bool,
	n int) (is, acts bool, err error) {
	for c := (proof.Count{}); c.Of < n; {
		o, err := e.runAgain(ctx, t)
		if err != nil {
			return false, false, err
		}
		addRun(&c, &t, o, sig)
		switch {
		case c.Unmet > 0, fail && c.Failed < c.Of, !fail && c.Failed > 0:
			return false, true, nil
		case c.Missed >= maxMissed && c.Missed > c.Of, c.Lost():
			return false, c.Of > 0, nil
		}
	}
	return true, true, nil
}

const maxMissed = 3 // runs in which a perturbation may not act before it is given up

// mostOnce is how often a run is made that tells nothing.
const mostOnce = 3

// once makes a run of a trial for what it tells of a failure, and makes it again if it tells nothing.
func (e *Experimenter) once(ctx context.Context, t Trial, sig *runner.Signature) (*Outcome, tells, error) {
	for n := 1; ; n++ {
		o, err := e.runAgain(ctx, t)
		if err != nil {
			return nil, tellsNothing, err
		}
		if is := o.tells(sig); is != tellsNothing || n == mostOnce {
			return o, is, nil
		}
	}
}
