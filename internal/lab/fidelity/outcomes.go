package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
)

// absent is the outcome of a test that a run does not have.
const absent runner.Status = "absent"

// A test is one execution of one test.
type test struct {
	name string // with addresses and times masked
	nth  int
}

// passing matches what %p and the present time print, which is part of the names of some
// subtests.
var passing = regexp.MustCompile(`0x[0-9a-f]{5,}|time\.Date\([^)]*\)`)

// nextTest returns the test of an outcome. If the run already has a test of that name, it is
// another execution.
func nextTest(m map[test]runner.Status, out *runner.Outcome) test {
	k := test{passing.ReplaceAllString(out.Test, "?"), out.Nth}
	for _, taken := m[k]; taken; _, taken = m[k] {
		k.nth++
	}
	return k
}

// observations has the outcomes of all runs of a package.
type observations struct {
	runs   [2][]observation // of the plain and of the traced side
	detail map[test]string  // the last failure message of the traced side
}

// An observation has the outcomes of one run.
type observation struct {
	of  map[test]runner.Status
	cut bool // not all tests were to run, or the process died, so a missing outcome means nothing
}

func newObservations() *observations { return &observations{detail: make(map[test]string)} }

func sideIndex(traced bool) int {
	if traced {
		return 1
	}
	return 0
}

// add adds the outcomes of a run. It leaves out a test that failed only because a subtest did.
// part says that not all tests were to run.
func (o *observations) add(traced bool, run *runner.Run, part bool) {
	m := make(map[test]runner.Status)
	cut := part || run.Exit.TimedOut || run.Exit.Code < 0
	for _, out := range run.Outcomes {
		if out.Shared { // it was only running when another test ended the process
			cut = true
			continue
		}
		k := nextTest(m, out)
		if m[k] = out.Status; out.ByChild {
			m[k] = runner.Passed
		}
		cut = cut || out.Status == runner.Crashed || out.Status == runner.Timeout
		if traced && out.Status.Failing() {
			o.detail[k] = strings.TrimSpace(out.Message)
		}
	}
	if !run.Exit.TimedOut && run.Exit.Code < 0 { // it matters that there was a signal, not which one
		m[test{name: "(process)"}] = runner.Crashed
	}
	i := sideIndex(traced)
	o.runs[i] = append(o.runs[i], observation{m, cut})
}

// tests returns all tests that were seen, by name.
func (o *observations) tests() []test {
	all := make(map[test]bool)
	for _, side := range o.runs {
		for _, run := range side {
			for k := range run.of {
				all[k] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b test) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return a.nth - b.nth
	})
}

// number returns how many tests were seen, without the package itself.
func (o *observations) number() (n int) {
	for _, k := range o.tests() {
		if k.name != "" && k.name[0] != '(' {
			n++
		}
	}
	return n
}

// statuses returns the outcomes of a test on one side, without repetition.
func (o *observations) statuses(k test, side int) []runner.Status {
	var all []runner.Status
	for _, run := range o.runs[side] {
		s, ok := run.of[k]
		switch {
		case run.cut && (!ok || s == runner.NotRun):
			continue // another test ended the process
		case !ok:
			s = absent
		}
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return []runner.Status{runner.NotRun}
	}
	return all
}

// differing returns the tests that had more than one outcome in total.
func (o *observations) differing() []test {
	var out []test
	for _, k := range o.tests() {
		plain, traced := o.statuses(k, 0), o.statuses(k, 1)
		if len(plain) > 1 || len(traced) > 1 || plain[0] != traced[0] {
			out = append(out, k)
		}
	}
	return out
}

// unsettled returns the names of top-level tests that had no outcome in common on both sides, or
// whose subtests had none.
func (o *observations) unsettled() []string {
	names := make(map[string]bool)
	for _, k := range o.differing() {
		name, _, _ := strings.Cut(k.name, "/")
		if name != "" && name[0] != '(' && !common(o.statuses(k, 0), o.statuses(k, 1)) {
			names[regexp.QuoteMeta(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// common reports whether an outcome occurred on both sides.
func common(plain, traced []runner.Status) bool {
	return slices.ContainsFunc(plain, func(s runner.Status) bool { return slices.Contains(traced, s) })
}

// A difference is a test with more than one outcome.
type difference struct {
	test          test
	plain, traced []runner.Status
	// unsteady is set if one outcome occurred on both sides.
	unsteady bool
	detail   string
	reason   string // of the exception; "" if there is none
}

func (d difference) String() string {
	name := d.test.name
	if name == "" {
		name = "(package)"
	}
	if d.test.nth > 0 {
		name += fmt.Sprintf(" (execution %d)", d.test.nth+1)
	}
	text := fmt.Sprintf("%s: plain %s, traced %s", name, join(d.plain), join(d.traced))
	switch {
	case d.unsteady:
		text += " (unsteady)"
	case d.reason != "":
		text += " (expected: " + d.reason + ")"
	}
	if d.detail != "" {
		line, _, _ := strings.Cut(d.detail, "\n")
		text += ": " + line
	}
	return text
}

func join(statuses []runner.Status) string {
	words := make([]string, len(statuses))
	for i, s := range statuses {
		words[i] = string(s)
	}
	return strings.Join(words, " or ")
}

// conclude fills in the result.
func (o *observations) conclude(r *result, known exceptions) {
	for _, k := range o.tests() {
		if k.name != "" { // the package itself is not a test
			r.same++
		}
	}
	for _, k := range o.differing() {
		d := difference{test: k, plain: o.statuses(k, 0), traced: o.statuses(k, 1), detail: o.detail[k]}
		d.unsteady = common(d.plain, d.traced)
		d.reason = known.reason(r.pkg, k.name)
		r.different = append(r.different, d)
		if k.name != "" {
			r.same--
		}
	}
	r.tests = r.same + len(r.different)
	r.stale = known.stale(r.pkg, r.different)
}
