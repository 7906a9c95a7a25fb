package main

import (
	"fmt"
)

// alone reports whether the test had a run of its own.
func (p *prey) alone() bool {
	return p.exp.Runs() > 0 || p.res != nil && p.res.Plain.Of > 0 || p.order != nil
}

// ofTests says of how many tests there were runs: "3 tests", or "2 of 3 tests".
func (j *huntJob) ofTests() string {
	tried := 0
	for _, p := range j.preys {
		if p.alone() {
			tried++
		}
	}
	if tried < len(j.preys) {
		return fmt.Sprintf("%d of %s", tried, plural(len(j.preys), "test"))
	}
	return plural(tried, "test")
}

// left says what was not tried, for lack of time, without full stops. never are tests that no
// run of their own comes to.
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
	within := fmt.Sprintf("within %v", rounded(j.budget.whole))
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("Nothing was tried for %d of them (%s) %s", len(without), namesOf(without), within))
	}
	if partly > 0 {
		lines = append(lines, fmt.Sprintf("Not everything was tried for %d of them %s", partly, within))
	}
	return never, lines
}

// unconfirmed returns the tests that were made to fail each time, without a verdict when the
// time was up, and that did not fail so with nothing perturbed.
func (j *huntJob) unconfirmed() (list []*prey) {
	for _, p := range j.preys {
		if p.res != nil && p.res.Open != nil && !p.res.Open.Natural {
			list = append(list, p)
		}
	}
	return list
}

// tally counts the tests, those of which everything was tried, and the runs made.
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
