package main

import (
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/session/hunt"
	"github.com/fdebug/fdebug/internal/tracker/ciout"
)

// forCI returns the report of a hunt for a CI system.
func forCI(h *hunt.Hunt) *ciout.Report {
	_, lines := h.Left()
	return ciout.OfHunt(h.Result, suitesOf(h), strings.Join(append([]string{h.Nothing()}, lines...), ". ")+".")
}

// suitesOf returns the packages of a hunt, with the runs of their tests in which nothing was perturbed.
func suitesOf(h *hunt.Hunt) (list []*ciout.Suite) {
	for _, u := range h.Untested {
		list = append(list, &ciout.Suite{Package: u.ImportPath, Err: u.Err.Error()})
	}
	byPackage := make(map[string]*ciout.Suite)
	for _, p := range h.Tests {
		s := byPackage[p.Lab.Target.ImportPath]
		if s == nil {
			s = &ciout.Suite{Package: p.Lab.Target.ImportPath, Started: h.Budget.Began}
			byPackage[s.Package] = s
			list = append(list, s)
		}
		s.Cases = append(s.Cases, caseOf(p))
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
