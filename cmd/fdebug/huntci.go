package main

import (
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/tracker/ciout"
)

// forCI returns the report of a hunt for a CI system.
func forCI(h *hunt.Hunt) *ciout.Report {
	_, lines := h.Left()
	return ciout.New(h.Result, suitesOf(h), strings.Join(append([]string{h.Nothing()}, lines...), ". ")+".")
}

// suitesOf returns the packages of a hunt, with the runs of the tests in which nothing was found.
func suitesOf(h *hunt.Hunt) (list []*ciout.Suite) {
	for _, u := range h.Untested {
		list = append(list, &ciout.Suite{Package: u.ImportPath, Err: u.Err.Error()})
	}
	for _, p := range h.Tests {
		i := slices.IndexFunc(list, func(s *ciout.Suite) bool { return s.Package == p.Lab.Target.ImportPath })
		if i < 0 {
			i = len(list)
			list = append(list, &ciout.Suite{Package: p.Lab.Target.ImportPath, Started: h.Budget.Began})
		}
		if !slices.ContainsFunc(h.Result.Tests, func(t *finding.Test) bool {
			return t.Package == list[i].Package && t.Name == p.Name
		}) {
			list[i].Cases = append(list[i].Cases, caseOf(p))
		}
	}
	return list
}

func caseOf(p *hunt.Test) *ciout.Case {
	c := &ciout.Case{Name: p.Name, Elapsed: p.Usual}
	switch {
	case p.Result != nil && p.Result.Plain.Of > 0:
		c.Runs = ciout.Counts{Failed: p.Result.Plain.Failed, Passed: p.Result.Plain.Of - p.Result.Plain.Failed}
		c.Elapsed *= time.Duration(p.Result.Plain.Of)
	case p.Status.Failing():
		c.Runs.Failed = 1
	default:
		c.Runs.Passed = 1
	}
	return c
}
