package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
)

// An Item is the work that one process confirms alone: the runs that a verdict rests on are
// made in turn, on one machine.
type Item struct {
	Package    string             `json:"package"`
	Test       string             `json:"test"`
	Candidates []Candidate        `json:"candidates,omitempty"`
	Natural    []runner.Signature `json:"natural,omitempty"`
	Hints      []freedom.Hint     `json:"hints,omitempty"`
	Recorded   []Recorded         `json:"recorded,omitempty"`
}

const (
	maxText   = 1 << 20 // bytes of a text in an item
	maxListed = 1 << 20 // entries of a list in it
)

// Fits reports whether a candidate failed as the others of x did.
func (x *Item) Fits(c *Candidate) bool {
	return same(c.Outcome.Signature, x.Candidates[0].Outcome.Signature)
}

// Check returns an error for an item that fdebug can't have written: its lists are bounded, and each of its trials is
// one that a search makes.
func (x *Item) Check() error {
	switch {
	case x.Package == "" || len(x.Package) > maxText || !topLevel(x.Test):
		return errors.New("it names no test")
	case max(len(x.Candidates), len(x.Natural), len(x.Hints), len(x.Recorded)) > maxListed:
		return errors.New("a list is too long")
	}
	for i := range x.Candidates {
		c := &x.Candidates[i]
		if err := c.check(); err != nil {
			return fmt.Errorf("candidate %d: %w", i+1, err)
		}
		if !x.Fits(c) {
			return fmt.Errorf("candidate %d failed in another way", i+1)
		}
	}
	for _, h := range x.Hints {
		if slices.ContainsFunc(h.Tests, func(name string) bool { return !topLevel(name) }) {
			return errors.New("a hint names no test")
		}
		if slices.ContainsFunc(slices.Concat(h.Fails, h.Passes), func(acts []freedom.Step) bool {
			return slices.ContainsFunc(acts, func(a freedom.Step) bool { return !freedom.Follows(a) })
		}) {
			return errors.New("a hint sets what no fact does")
		}
	}
	return nil
}

// topLevel reports whether a text can be the name of a top-level test.
func topLevel(name string) bool {
	return name != "" && len(name) <= 1000 && !strings.ContainsAny(name, "/\n\x00 ")
}

// check returns why a candidate is none that a search shares.
func (c *Candidate) check() error {
	p, o := &c.Trial.Plan, &c.Outcome
	stalls := p.Of(freedom.Step.Holds)
	switch {
	case !o.Ran || !o.Failed || o.Trace != "" || o.Run != nil || len(o.Message) > maxText || len(o.Acts) > maxReduced:
		return errors.New("its outcome makes no sense")
	case c.Trial.Suite || c.Trial.Shuffle != 0 || len(c.Trial.Before) > 0 || p.Process+p.Test != "":
		return errors.New("no shared trial is like this")
	case len(stalls) > 1 || (len(stalls) == 1) != (c.Site != nil) || len(p.Acts) == 0:
		return errors.New("it perturbs nothing, or too much")
	}
	for _, x := range stalls {
		if x.Dose <= 0 || x.Dose > maxDose || c.Site.Position() != x.At || c.Site.Block <= 0 ||
			c.Site.Event < 0 || c.Site.Hit < 0 ||
			(c.Site.G.ID == 0) == (c.Site.G.Class == 0) {
			return errors.New("a stall makes no sense")
		}
	}
	return c.checkRandom()
}

// checkRandom is check for trials that follow seeds.
func (c *Candidate) checkRandom() error {
	for _, a := range c.Trial.Plan.Acts {
		switch {
		case a.Chooses() && !a.Everywhere():
			return errors.New("a pin makes no sense")
		case !a.Holds() && !a.Chooses():
			return errors.New("no shared trial is like this")
		}
	}
	return nil
}
