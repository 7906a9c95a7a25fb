package remedy

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A Cause is what an experiment has shown, as far as edits need it. What is unknown is zero.
type Cause struct {
	Maps []trace.Frame // lines at which the order of a map decides
	// Started is the go statement of the goroutine that comes too late. Before are the places
	// that came too soon: each is tried as the one that waits.
	Started trace.Frame
	Before  []trace.Frame
	Files   []string // of the package of the test
}

// CauseOf returns the cause that a proof shows.
func CauseOf(p *proof.Proof) *Cause {
	c := &Cause{Maps: mapsOf(p)}
	c.waiting(p)
	return c
}

func siteOf(p proof.Place) trace.Frame { return trace.Frame{File: p.File, Line: p.Line} }

// mapsOf returns the lines at which the order of maps decides: those of the pinned blocks or, if
// all choices are pinned, of the block whose choices were shown to matter.
func mapsOf(p *proof.Proof) (list []trace.Frame) {
	add := func(places ...proof.Place) {
		for _, at := range places {
			for n := range strings.Count(at.Text, "\n") + 1 { // the choice is the last of them
				list = append(list, trace.Frame{File: at.File, Line: at.Line + n})
			}
		}
	}
	for _, pin := range p.Plan {
		if pin.Kind == trace.ActMap && pin.At != nil {
			add(*pin.At)
		}
	}
	if p.Kind() == "map" {
		add(p.Asked()...)
	}
	slices.Reverse(list)
	return list
}

// waiting adds which goroutine comes too late, and which too soon: where holding it makes the
// test pass, and the check that failed.
func (c *Cause) waiting(p *proof.Proof) {
	for _, s := range p.Plan.Of(proof.Act.Holds) {
		if s.At != nil {
			c.late(*s.At)
		}
	}
	for _, s := range p.CureHolds() {
		c.Before = append(c.Before, siteOf(*s.At))
	}
	if first, then := p.Events(); first != nil {
		c.late(*then)
		c.Before = append(c.Before, siteOf(*first))
	}
	if s := p.Signature; s.Line > 0 {
		c.Before = append(c.Before, trace.Frame{File: s.File, Line: s.Line})
	}
}

// late adds the go statement of a goroutine that comes too late.
func (c *Cause) late(p proof.Place) {
	if at := p.Goroutine.Started(); c.Started.File == "" {
		c.Started = trace.Frame{File: at.File, Line: at.Line}
	}
}

// HasEdits reports whether there are edits for causes of this kind, whatever the code looks like.
func (c *Cause) HasEdits() bool {
	return len(c.Maps) > 0 || c.Started.File != ""
}
