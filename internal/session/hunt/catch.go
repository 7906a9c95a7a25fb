package hunt

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A Catch is a failure that a hunt has provoked.
type Catch struct {
	Test    *Test
	Finding *experiment.Finding
}

// Catches returns the catches by dose, the smallest first.
func (j *Hunt) Catches() []*Catch {
	var list []*Catch
	for _, p := range j.Tests {
		if p.order != nil && p.order.Verdict != proof.None {
			list = append(list, &Catch{Test: p, Finding: p.order})
		}
		if p.Result == nil {
			continue
		}
		for _, f := range p.Result.Findings {
			list = append(list, &Catch{Test: p, Finding: f})
		}
	}
	slices.SortStableFunc(list, func(a, b *Catch) int {
		return cmp.Or(cmp.Compare(a.Finding.Smallest, b.Finding.Smallest),
			cmp.Compare(b.Finding.Verdict, a.Finding.Verdict))
	})
	return list
}

// provoked counts the catches that did not fail anyway.
func provoked(list []*Catch) int {
	return len(slices.DeleteFunc(slices.Clone(list), func(c *Catch) bool { return c.Finding.Always }))
}

// Told returns the verdict on a test of a result: on the subtest that failed, or on the test that contains it if the
// subtest has no report of its own.
func (c *Catch) Told(r *finding.Result) *analyze.TestVerdict {
	v := c.Test.Lab.Told(c.Test.Search, c.Finding)
	if !slices.ContainsFunc(r.Tests, v.Of) {
		v.Test = trace.TopTest(c.Finding.Test)
	}
	return v
}
