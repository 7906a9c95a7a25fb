package experiment

import (
	"context"

	"github.com/fdebug/fdebug/internal/runner"
)

// A Count is what became of the runs of one kind.
type Count struct {
	Failed int `json:"failed"` // with the signature in question
	Of     int `json:"of"`     // runs that count: the perturbation acted
	Other  int `json:"other"`  // of these, failed with another signature
	Missed int `json:"missed"` // runs in which it did not act: they count on no side
	// Unmet are those of Of in which somebody waited for an order that did not come about.
	Unmet int `json:"unmet,omitempty"`
}

// add counts a run.
func (c *Count) add(t *Trial, o *Outcome, sig *runner.Signature) {
	switch {
	case !o.Ran || !t.acted(o):
		c.Missed++
		return
	case o.Failed && sig != nil && !same(o.Signature, *sig):
		c.Other++
	case o.Failed:
		c.Failed++
	}
	c.Of++
	if !t.met(o) {
		c.Unmet++
	}
}

// count makes runs until n count, at most twice as many.
func (e *Experimenter) count(ctx context.Context, step string, t Trial, sig *runner.Signature, n int) (Count, error) {
	var c Count
	for made := 0; c.Of < n && made < 2*n; {
		batch := min(n-c.Of, 2*n-made)
		made += batch
		outs := make([]*Outcome, batch)
		err := e.each(ctx, batch, func(i int) (err error) {
			outs[i], err = e.runAgain(ctx, step, t, false)
			return err
		})
		if err != nil {
			return c, err
		}
		for _, o := range outs {
			c.add(&t, o, sig)
		}
	}
	return c, nil
}

// always reports whether n runs in a row turn out as wanted: all fail with the
// signature, or all pass. It stops at the first that does not. A trial that did not
// act in 3 runs, and in fewer than it missed, tells nothing: then acts is false if it
// never did.
func (e *Experimenter) always(ctx context.Context, step string, t Trial, sig *runner.Signature, fail bool, n int) (is, acts bool, err error) {
	for done, missed := 0, 0; done < n; {
		o, err := e.runAgain(ctx, step, t, false)
		if err != nil {
			return false, false, err
		}
		var c Count
		c.add(&t, o, sig)
		switch {
		case c.Of == 0:
			e.misses++
			if missed++; missed >= maxMissed && missed > done {
				return false, done > 0, nil
			}
			continue
		case fail != (c.Failed == 1), c.Unmet > 0:
			return false, true, nil
		}
		done++
	}
	return true, true, nil
}

const maxMissed = 3 // runs in which a perturbation may not act before it is given up
