package main

import (
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/experiment"
)

// alone reports whether the test had a run of its own.
func (p *prey) alone() bool {
	return p.exp.Runs() > 0 || p.res != nil && p.res.Plain.Of > 0 || p.order != nil
}

// ofTests says how many tests had runs: "3 tests", or "2 of 3 tests".
func (j *huntJob) ofTests() string {
	tried := 0
	for _, p := range j.preys {
		if p.alone() {
			tried++
		}
	}
	if tried < len(j.preys) {
		return fmt.Sprintf("%d of %s", tried, text.Plural(len(j.preys), "test"))
	}
	return text.Plural(tried, "test")
}

// left lists what was not tried, for lack of time, without full stops. never are tests that their
// own runs never reach.
func (j *huntJob) left() (never []*prey, lines []string) {
	var without []*prey
	partly := 0
	for _, p := range j.preys {
		switch {
		case p.res != nil && p.res.NotRun:
			never = append(never, p)
		case !p.alone():
			without = append(without, p)
		case p.res == nil || !p.res.Complete:
			partly++
		}
	}
	within := fmt.Sprintf("within %v", text.Rounded(j.Budget.Whole))
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("Nothing was tried for %d of them (%s) %s", len(without), namesOf(without), within))
	}
	if partly > 0 {
		lines = append(lines, fmt.Sprintf("Not everything was tried for %d of them %s", partly, within))
	}
	return never, lines
}

// unconfirmed returns the tests that were made to fail without a verdict, and that did not fail
// that way with nothing perturbed.
func (j *huntJob) unconfirmed() (list []*prey) {
	for _, p := range j.preys {
		if p.open() != nil || len(p.provoked()) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// provoked returns the failures without a verdict that occurred only with something perturbed.
func (p *prey) provoked() []*experiment.Failure {
	return slices.DeleteFunc(p.unexplained(), func(x *experiment.Failure) bool { return x.Plain.Failed > 0 })
}

// open returns what failed each time, or too often to be chance, when the time was up.
func (p *prey) open() *experiment.Finding {
	if p.res == nil || p.res.Open == nil || p.res.Open.Natural {
		return nil
	}
	return p.res.Open
}

// unexplained returns the failures of the test in its runs, except those reported as a finding,
// or as occurring with nothing perturbed. No failed run is left out, however its examination
// ended.
func (p *prey) unexplained() []*experiment.Failure {
	if !p.alone() {
		return nil
	}
	plain := p.res != nil && p.res.Plain.Failed > 0
	return slices.DeleteFunc(p.exp.Failures(), func(x *experiment.Failure) bool {
		said := func(f *experiment.Finding) bool { return f != nil && f.Verdict != proof.None && x.Is(f.Sig) }
		switch open := p.open(); {
		case open != nil && x.Is(open.Sig), said(p.order), p.res != nil && slices.ContainsFunc(p.res.Findings, said):
			return true
		case plain && p.res.Plain.Failed == p.res.Plain.Of, slices.ContainsFunc(p.exp.Natural, x.Is): // no perturbation is needed for that
			return true
		}
		return plain && x.Plain.Failed > 0 // it is reported that it fails by itself
	})
}

// tally counts the tests, those for which everything was tried, and the runs made.
func (j *huntJob) tally() (tests, complete, runs int) {
	for _, p := range j.preys {
		tests++
		runs += p.exp.Runs()
		if p.res != nil && p.res.Complete {
			complete++
		}
	}
	return tests, complete, runs
}

// plain counts the first runs of the test with nothing perturbed or, if none of them failed, all
// of these, by a failure that nothing else is reported about.
func (p *prey) plain() (c proof.Count) {
	if p.res != nil {
		c = p.res.Plain
	}
	for _, x := range p.unexplained() {
		if c.Failed == 0 {
			c = x.Plain
		}
	}
	return c
}
