package hunt

import (
	"fmt"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"
)

// alone reports whether the test had a run of its own.
func (p *Test) alone() bool {
	return p.Search.Runs() > 0 || p.Result != nil && p.Result.Plain.Of > 0 || p.order != nil
}

// ofTests says how many tests had runs: "3 tests", or "2 of 3 tests".
func (j *Hunt) ofTests() string {
	tried := 0
	for _, p := range j.Tests {
		if p.alone() {
			tried++
		}
	}
	if tried < len(j.Tests) {
		return fmt.Sprintf("%d of %s", tried, text.Plural(len(j.Tests), "test"))
	}
	return text.Plural(tried, "test")
}

// Left lists the experiments not tried, for lack of time, without full stops. never are tests that
// their own runs never reach.
func (j *Hunt) Left() (never []*Test, lines []string) {
	var without []*Test
	partly, spared := 0, 0
	for _, p := range j.Tests {
		switch {
		case p.Result != nil && p.Result.NotRun:
			never = append(never, p)
		case !p.alone():
			without = append(without, p)
		case p.Result == nil || !p.Result.Complete && !p.Result.Spared:
			partly++
		case !p.Result.Complete:
			spared++
		}
	}
	within := fmt.Sprintf("within %v", text.Rounded(min(j.Budget.Whole, time.Since(j.Budget.Began))))
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("Nothing was tried for %d of them (%s) %s", len(without),
			namesOf(without), within))
	}
	if partly > 0 {
		lines = append(lines, fmt.Sprintf("Not everything was tried for %d of them %s", partly, within))
	}
	if spared > 0 {
		lines = append(lines, fmt.Sprintf("What is less likely was not all tried for %d of them", spared))
	}
	return never, lines
}

// unconfirmed returns the tests that were made to fail without a verdict, and that did not fail
// that way with nothing perturbed.
func (j *Hunt) unconfirmed() (list []*Test) {
	for _, p := range j.Tests {
		if p.open() != nil || len(p.provoked()) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// provoked returns the failures without a verdict that occurred only with something perturbed.
func (p *Test) provoked() []*experiment.Failure {
	return slices.DeleteFunc(p.seen(), func(x *experiment.Failure) bool {
		return x.ByItself() || x.Perturbed.Failed == 0
	})
}

// open returns the finding that failed each time, or too often to be chance, when the time was up.
func (p *Test) open() *experiment.Finding {
	if p.Result == nil || p.Result.Open == nil || p.Result.Open.Natural {
		return nil
	}
	return p.Result.Open
}

// failing returns the tests that failed in runs in which nothing was perturbed.
func (j *Hunt) failing() []*Test {
	return slices.DeleteFunc(slices.Clone(j.Tests), func(p *Test) bool { return !p.byItself() })
}

// byItself reports whether the test failed in a run in which nothing was perturbed.
func (p *Test) byItself() bool { return p.Status.Failing() || p.plain().Failed+p.before() > 0 }

// before counts the runs that failed before anything was perturbed: so they failed by themselves. They do not tell how
// often that comes.
func (p *Test) before() (n int) {
	if !p.alone() {
		return 0
	}
	for _, x := range p.Search.Failures() {
		n += x.Before
	}
	return n
}

// plain counts the first runs of the test with nothing perturbed or, if none of them failed, all
// of these, by a failure that came in them.
func (p *Test) plain() (c proof.Count) {
	if p.Result != nil {
		c = p.Result.Plain
	}
	if !p.alone() {
		return c
	}
	for _, x := range p.Search.Failures() {
		if c.Failed == 0 && x.Plain.Failed > 0 {
			c = x.Plain
		}
	}
	return c
}
