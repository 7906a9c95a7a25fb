package experiment

import (
	"context"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/search"
)

// outcome is the outcome of a run of t. All that counts or compares runs asks here.
func (t *Trial) outcome(o *Outcome) search.Outcome {
	x := search.Outcome{Is: proof.TellsPass, Unmet: !t.met(o), Done: o, Took: o.Wall}
	switch {
	case !o.Ran:
		x.Is = proof.TellsNothing
	case !t.acted(o):
		x.Is = proof.TellsMissed
	case o.Failed:
		x.Is, x.Failure = proof.TellsFailure, nameOf(o.Signature)
	}
	return x
}

// tells classifies a run of t by failures with a signature, or by any failure if it is nil.
func (t *Trial) tells(o *Outcome, sig *runner.Signature) proof.Tells {
	x, failure := t.outcome(o), ""
	if sig != nil {
		failure = nameOf(*sig)
	}
	return x.Tells(failure)
}

// Tells classifies a run with nothing done to it by failures with a signature.
func (o *Outcome) Tells(sig *runner.Signature) proof.Tells { return (&Trial{}).tells(o, sig) }

// addRun counts a run of a trial.
func addRun(c *proof.Count, t *Trial, o *Outcome, sig *runner.Signature) {
	c.Add(t.tells(o, sig), !t.met(o))
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

// always reports whether n runs in a row turn out as wanted: all fail with the signature, or all pass. It stops at
// the first that does not. A trial that did not act in 3 runs, and in fewer than it missed, or that mostly fails in
// another way, tells nothing: then acts is false if no run counted.
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
