package runner

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

// This file assigns a race to the test whose goroutines raced. The race detector reports it at
// the second access, and package testing blames the test that runs then. If the first test has
// ended by that time and left a goroutine behind, that is another test, or none: then the binary
// just prints FAIL.

// giveRaces assigns each race to the test it belongs to, if the stacks name it, and corrects the
// package's failure.
func (p *parser) giveRaces(pkg *testState) {
	left := 0
	for _, text := range p.races {
		if strings.HasPrefix(text, race.Warning) && !p.giveRace(text) {
			left++
		}
	}
	if given := len(p.races) - left; given > 0 && left == 0 && pkg.status == Failed && p.final != "" {
		pkg.status = Passed
	}
}

// giveRace assigns one race to the test that its stacks name, and reports whether some test has
// it. If they name several tests, which share data, it is the one that started last, as it mostly
// is for package testing.
func (p *parser) giveRace(text string) bool {
	r, _ := race.Parse(text)
	blamed := p.blamedFor(text)
	var owner *testState
	for _, t := range p.tests {
		if t.parent == nil && r.Mentions(t.name) {
			owner = t
		}
	}
	switch {
	case owner == nil || !owner.convictable():
		return blamed != nil
	case blamed != nil && r.Mentions(blamed.name):
		return true
	case blamed != nil && !p.onlyRaced(blamed):
		return true // it also failed for another reason
	case blamed != nil:
		p.acquit(blamed)
	}
	owner.convict(text)
	return true
}

// blamedFor returns the test that failed for a race during its execution, or nil if none did. The
// test has the report, or no report at all, because a passing subtest was the last one named
// before.
func (p *parser) blamedFor(report string) *testState {
	var other *testState
	for _, t := range p.tests {
		out := t.out.String()
		if t.status != Failed || t.late || !strings.Contains(out, racedDuring) {
			continue
		}
		if strings.Contains(out, strings.TrimSpace(report)) {
			return t
		}
		if raceReport(out) == "" {
			other = t
		}
	}
	return other
}

const racedDuring = "race detected during execution of test"

// onlyRaced reports whether a test failed only because of a race.
func (p *parser) onlyRaced(t *testState) bool {
	for _, c := range checksIn(t.out.String()) {
		if c.File != "testing.go" || !strings.HasPrefix(c.text, racedDuring) {
			return false
		}
	}
	return !slices.ContainsFunc(p.tests, func(o *testState) bool { return o.within(t) && o.status.Failing() })
}

// within reports whether t is a subtest of a, at any depth.
func (t *testState) within(a *testState) bool {
	for t = t.parent; t != nil; t = t.parent {
		if t == a {
			return true
		}
	}
	return false
}

// acquit removes the failure of a test, and of the tests that contain it if nothing else in them
// failed.
func (p *parser) acquit(t *testState) {
	t.status = Passed
	t.out.reset()
	if a := t.parent; a != nil && a.status == Failed && p.onlyRaced(a) &&
		!strings.Contains(a.out.String(), racedDuring) {
		p.acquit(a)
	}
}

// convictable reports whether a race can be a failure of t. It can't if t was skipped or cut off.
func (t *testState) convictable() bool { return t.status == Passed || t.status.Failing() }

// convict makes a test fail for a race that was reported after its end, unless it has a failure
// of its own.
func (t *testState) convict(report string) {
	if t.status != Passed {
		return
	}
	t.status, t.late = Failed, true
	t.out.reset()
	t.out.Write([]byte(report))
}

// giveRacesByTrace assigns the races of a run whose stacks name no test. The trace knows which
// test started a goroutine, directly or through others. It also knows which subtest it was.
func giveRacesByTrace(run *Run, t *trace.Trace) {
	pkg := run.Outcome("")
	if pkg != nil && pkg.Status == Failed && len(run.Races) > 0 {
		given := 0
		for _, text := range run.Races {
			o := run.lastOutcome(starterOf(text, "", t))
			if o != nil && (o.Status == Passed || o.Status.Failing()) {
				o.convict(text)
				given++
			}
		}
		if given == len(run.Races) {
			*pkg = Outcome{Status: Passed, Elapsed: pkg.Elapsed}
		}
	}
	for _, o := range slices.Clone(run.Outcomes) {
		if !o.Late {
			continue
		}
		name := starterOf(o.Output, o.Test, t)
		if sub := run.lastOutcome(name); sub != nil && sub != o && sub.Status == Passed {
			sub.convict(o.Output)
			*o = Outcome{Test: o.Test, Nth: o.Nth, Status: Passed, Elapsed: o.Elapsed}
		}
	}
}

// convict is convict of a testState.
func (o *Outcome) convict(report string) {
	if o.Status == Passed {
		o.Status, o.Late, o.Output = Failed, true, report
	}
}

// lastOutcome returns the last execution of a test, or nil for "".
func (r *Run) lastOutcome(test string) *Outcome {
	for _, o := range slices.Backward(r.Outcomes) {
		if test != "" && o.Test == test {
			return o
		}
	}
	return nil
}

// starterOf returns the innermost test that contains all goroutines of the trace started at one
// of the go statements of a race report. within is a test that they are known to belong to, or
// "". If there is none, starterOf returns "".
func starterOf(report, within string, t *trace.Trace) string {
	r, _ := race.Parse(report)
	name, any := "", false
	for _, g := range t.Goroutines {
		at := slices.ContainsFunc(r.Accesses[:], func(a race.Access) bool {
			return len(a.Started) > 0 && a.Started[0].File == g.Spawn.File && a.Started[0].Line == g.Spawn.Line
		})
		switch {
		case !at || g.Test == "" || within != "" && trace.TopTest(g.Test) != trace.TopTest(within):
		case !any:
			name, any = g.Test, true
		default:
			for name != "" && name != g.Test && !strings.HasPrefix(g.Test, name+"/") {
				name = parentOf(name)
			}
		}
	}
	return name
}
