package hunt

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// A Catch is a failure that a hunt has provoked.
type Catch struct {
	Test    *Test
	Finding *experiment.Finding
	page    string             // name of its report, without extension
	Replay  string             // of its replay file
	left    *finding.Pollution // what tests before it leave in package variables, nil if not known
}

// Catches returns what was found, the smallest dose first, deadline artefacts last;
// before all others what lies on lines that have changed.
func (j *Hunt) Catches() []*Catch {
	var list []*Catch
	for _, p := range j.Tests {
		if p.order != nil && p.order.Verdict != proof.None {
			list = append(list, &Catch{Test: p, Finding: p.order, left: p.left})
		}
		if p.Result == nil {
			continue
		}
		for _, f := range p.Result.Findings {
			list = append(list, &Catch{Test: p, Finding: f})
		}
	}
	slices.SortStableFunc(list, func(a, b *Catch) int {
		return cmp.Or(boolInt(j.catchOnChange(b))-boolInt(j.catchOnChange(a)), boolInt(a.Finding.Artefact != "")-boolInt(b.Finding.Artefact != ""), cmp.Compare(a.Finding.Smallest, b.Finding.Smallest), int(b.Finding.Verdict)-int(a.Finding.Verdict))
	})
	return list
}

// catchOnChange reports whether a place of a catch lies on a line that has changed.
func (j *Hunt) catchOnChange(c *Catch) bool {
	if j.Diff == nil {
		return false
	}
	p := c.Proof()
	lines := p.Where()
	if at := p.Hold(); at != nil {
		lines = append(lines, at.Shown)
	}
	return slices.ContainsFunc(lines, func(span proof.Span) bool {
		return j.Diff.Has(filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(span.File)), span.Start, span.End)
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// provoked counts the catches that did not fail anyway.
func provoked(list []*Catch) int {
	n := 0
	for _, c := range list {
		if !c.Finding.Always {
			n++
		}
	}
	return n
}
