package main

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// A catch is a failure that a hunt has provoked.
type catch struct {
	prey   *prey
	f      *experiment.Finding
	page   string             // name of its report, without extension
	replay string             // of its replay file
	left   *finding.Pollution // what tests before it leave in package variables, nil if not known
}

// catches returns what was found, the smallest dose first, deadline artefacts last;
// before all others what lies on lines that have changed.
func (j *huntJob) catches() []*catch {
	var list []*catch
	for _, p := range j.preys {
		if p.order != nil && p.order.Verdict != proof.None {
			list = append(list, &catch{prey: p, f: p.order, left: p.left})
		}
		if p.res == nil {
			continue
		}
		for _, f := range p.res.Findings {
			list = append(list, &catch{prey: p, f: f})
		}
	}
	slices.SortStableFunc(list, func(a, b *catch) int {
		return cmp.Or(boolInt(j.catchOnChange(b))-boolInt(j.catchOnChange(a)), boolInt(a.f.Artefact != "")-boolInt(b.f.Artefact != ""), cmp.Compare(a.f.Smallest, b.f.Smallest), int(b.f.Verdict)-int(a.f.Verdict))
	})
	return list
}

// catchOnChange reports whether a place of a catch lies on a line that has changed.
func (j *huntJob) catchOnChange(c *catch) bool {
	if j.Diff == nil {
		return false
	}
	p := c.prey.exp.Proof(c.f)
	lines := p.Where()
	if at := p.Hold(); at != nil {
		lines = append(lines, at.Shown)
	}
	return slices.ContainsFunc(lines, func(span proof.Span) bool {
		file := filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(span.File))
		for line := span.Start; line <= span.End; line++ {
			if j.Diff.Has(file, line) {
				return true
			}
		}
		return false
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// provoked counts the catches that did not fail anyway.
func provoked(list []*catch) int {
	n := 0
	for _, c := range list {
		if !c.f.Always {
			n++
		}
	}
	return n
}
